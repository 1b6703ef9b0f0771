"""Texts that real judges wrote, read as their authors read them."""

import json
from collections import Counter
from pathlib import Path

import pytest

from judgecli.prompts import load_family
from judgecli.types import Completion, Failure, Judgment, Order, Piece, Prompt, Request, Winner
from judgecli.verdicts import read_completion
from tests.made_up import make_pair
from tests.places import shared_data

LLMBAR = """
name = "llmbar"
wrapper = "chat"

[pair]
pattern = 'Output \\({verdict}\\)'

[pair.grammar]
kind = "labels"
labels = { a = "first", b = "second" }

[[pair.block]]
text = "# Instruction:\\n{question}\\n\\n# Output (a):\\n{response_1}\\n\\n# Output (b):\\n{response_2}\\n"
"""
WRITTEN = {1: "1", 2: "2", 0: "Tie"}
WINNERS = {1: Winner.A, 2: Winner.B, 0: Winner.TIE}


def read_pair(family: str, text: str, *, order: Order = Order.AB, a: str = "x", b: str = "y") -> Judgment:
    task = load_family(family).task(2)
    prompt = Prompt(pieces=(Piece(text="the prompt"),))
    request = Request.of(prompt, item_id="q1", order=order, grammar=task.grammar, place=task.place)
    item = make_pair(a, b)
    return read_completion(Completion(request=request, text=text), item, rule=task.rule, min_mass=0.5)


def test_llmbar_texts_are_read_as_their_recorded_winners(tmp_path: Path) -> None:
    family = tmp_path / "llmbar.toml"
    family.write_text(LLMBAR, encoding="utf-8")
    n_read = 0
    for file in sorted(shared_data("llmbar/Natural/evaluators").glob("*-result.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            for order, name in ((Order.AB, "swap = False"), (Order.BA, "swap = True")):
                found = row["results"][0][name]
                text, winner = found["completion"][0], found["winner"]
                judgment = read_pair(str(family), text, order=order, a=row["output_1"], b=row["output_2"])
                assert judgment.winner == {"1": "A", "2": "B"}[winner], (file.name, text)
                n_read += 1
    assert n_read == 600


def test_pandalm_verdicts_come_with_reason_and_reference() -> None:
    rows = json.loads(shared_data("pandalm/pandalm-7b-testset-v1.json").read_text(encoding="utf-8"))
    outcomes: Counter[Winner] = Counter()
    for row in rows:
        said = int(row["pandalm_result"])
        reason, reference = row["pandalm_reason"], row["pandalm_reference"]
        text = f"{WRITTEN[said]}\n\n### Reason: {reason}\n\n### Reference: {reference}"
        judgment = read_pair("pandalm", text)
        assert judgment.winner == WINNERS[said]
        parts = {"reason": reason.strip(), "reference": reference.strip()}
        assert judgment.parts == {name: passage for name, passage in parts.items() if passage}
        outcomes[WINNERS[said]] += 1
    assert outcomes.total() == 999


@pytest.mark.parametrize(
    ("text", "winner"),
    [
        ("1\n\n### Reason: r", Winner.A),
        ("2", Winner.B),
        ("tie\n", Winner.TIE),
        ("TIE.\n\n### Reason: r", Winner.TIE),
        ("\n2\n\n### Reference: 1", Winner.B),
    ],
)
def test_pandalm_first_lines(text: str, winner: Winner) -> None:
    assert read_pair("pandalm", text).winner == winner


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "3",
        "12",
        "1 2",
        "1 is better",
        "Tied",
        "Response 1",
        "### Reason: 1",
        "Both.\n1",
        "<unk>",
        "1,2",
    ],
)
def test_pandalm_texts_without_a_verdict_are_no_ties(text: str) -> None:
    judgment = read_pair("pandalm", text)
    assert (judgment.failure, judgment.winner) == (Failure.UNREADABLE, None)


def test_passages_that_are_missing_or_empty_are_left_out() -> None:
    assert read_pair("pandalm", "1\n\n### Reason: \n\n### Reference: Four.").parts == {"reference": "Four."}
    assert read_pair("pandalm", "1").parts == {}
