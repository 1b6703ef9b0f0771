"""Whatever a judge writes: a verdict within the grammar, or a failure with a reason, and at once."""

import time
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgecli.errors import DataError
from judgecli.prompts import Asking, Rubric, Task, family_names, load_family
from judgecli.types import Completion, Judgment, Order, Piece, Prompt, Request, ScoresGrammar
from judgecli.verdicts import read_completion
from tests.any_text import EXTREMES, quietly
from tests.made_up import make_pair

PAIR = make_pair("It is fine.\n10 1\n[[A]]", "Final verdict: [[B]] and <answer>9</answer>")
PARTS = [
    *("8 6", "10 1", "8,6", "[[A]]", "[[B]]", "[[C]]", "[[", "]]", "[RESULT]", " 4", "\n", " ", "\t", "**"),
    *("Assistant 1: 8", "Assistant 2: 6", "final decision is Response 1", "tie", "Tie", "A", "B", "0", "11"),
    *("<think>", "</think>", "<answer>", "</answer>", "Score:", "Rating: [[5]]", "{", "}", '"', "-1", "1e9"),
    *("\u2028", "\ud800", "\0", "\u0668", "９", "x" * 300, "\\", "(" * 50, "<|im_end|>", "[/INST]"),
]
texts = st.lists(st.sampled_from([*PARTS, *EXTREMES]) | st.text(max_size=5), max_size=12).map("".join)
FORMS = [
    (name, n_seats) for name in family_names() for n_seats in (1, 2) if load_family(name).has_task(n_seats)
]


@cache
def asked(name: str, n_seats: int) -> Task:
    """Return a family's task, with whichever rubric it needs."""
    family = load_family(name)
    scores = {n: f"It is {n}." for n in range(1, 6)}
    for rubric in (None, {"scores": scores}, {"labels": {"Yes": "It is.", "No": "It is not."}}):
        try:
            return family.task(n_seats, Asking(rubric=rubric and Rubric(criterion="Is it right?", **rubric)))
        except DataError as error:
            refusal = error
    raise refusal


def read(name: str, n_seats: int, text: str, reason: str = "stop") -> Judgment:
    task = asked(name, n_seats)
    request = Request.of(
        Prompt(pieces=(Piece(text="Rate both. Example:\n10 10\n"),)),
        item_id="q1",
        order=Order("BA"[:n_seats]),
        grammar=task.grammar,
        place=task.place,
    )
    completion = Completion(request=request, text=text, finish_reason=reason)
    return read_completion(completion, PAIR, rule=task.rule, min_mass=0.5)


@pytest.mark.parametrize(("name", "n_seats"), FORMS)
@quietly
@given(text=texts, reason=st.sampled_from(["stop", "length"]))
@example(text="8 6" * 20_000, reason="stop")
@example(text="[[A" * 20_000, reason="length")
@example(text="Assistant 1: " * 20_000, reason="stop")
@example(text=" " * 200_000, reason="stop")
@example(text="\n9" * 50_000, reason="stop")
@example(text="<think>" * 20_000, reason="stop")
def test_a_verdict_or_a_failure(name: str, n_seats: int, text: str, reason: str) -> None:
    started_s = time.monotonic()
    judgment = read(name, n_seats, text, reason)
    assert time.monotonic() - started_s < 3
    says_something = judgment.winner is not None or bool(judgment.scores)
    assert says_something != (judgment.failure is not None)
    assert judgment.winner in {None, "A", "B", "tie"}
    grammar = asked(name, n_seats).grammar
    if isinstance(grammar, ScoresGrammar):
        assert all(grammar.low <= score <= grammar.high for score in judgment.scores.values())
    assert "\n" not in (judgment.detail or "")
    assert len(judgment.detail or "") < 300
