"""What is kept of a completion comes back bit by bit, or not at all."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.cache import completion_text, read_completion_text
from judgecli.types import LabelsGrammar, Seat
from tests.cache.made_up import DISTRIBUTION, make_completion, make_request

REQUEST = make_request()


@pytest.mark.parametrize(
    "more", [{}, {"distribution": None}, {"text": "8 6\nBecause 🎉\x00\udcff", "finish_reason": "length"}]
)
def test_it_comes_back_as_it_was(more: dict[str, Any]) -> None:
    completion = make_completion(**more)
    again = read_completion_text(completion_text(completion), REQUEST)
    assert again == replace(completion, request=REQUEST, cached=True)


def test_what_it_took_is_not_kept() -> None:
    completion = make_completion(elapsed_s=2.5, n_calls=3)
    again = read_completion_text(completion_text(completion), REQUEST)
    assert (again.elapsed_s, again.n_calls) == (0, 0)


def test_it_is_the_answer_to_whatever_request_asks_the_same() -> None:
    request = make_request(item_id="q9")
    assert read_completion_text(completion_text(make_completion()), request).request is request


def test_a_probability_that_is_no_number_cannot_be_kept() -> None:
    with pytest.raises(ValueError, match="JSON"):
        completion_text(make_completion(distribution=replace(DISTRIBUTION, preferred=("8", float("nan")))))


def changed(**fields: Any) -> str:
    return json.dumps(json.loads(completion_text(make_completion())) | fields)


def with_distribution(**fields: Any) -> str:
    row = json.loads(completion_text(make_completion()))
    return json.dumps(row | {"distribution": row["distribution"] | fields})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "null",
        '"8 6"',
        "{}",
        completion_text(make_completion())[:-2],
        "[" * 100_000,
        changed(text=None),
        changed(n_prompt_tokens=-1),
        changed(n_prompt_tokens=True),
        changed(n_completion_tokens=1.5),
        changed(finish_reason=3),
        changed(distribution=[]),
        changed(distribution={}),
        with_distribution(p={"8 6\n": 1.5}),
        with_distribution(p={"8 6\n": -0.1}),
        with_distribution(p={"8 6\n": "0.5"}),
        with_distribution(p={"8 6\n": float("nan")}),
        with_distribution(p={"11 6\n": 0.5}),
        with_distribution(p=[0.5]),
        with_distribution(greedy="A"),
        with_distribution(greedy=None),
        with_distribution(greedy=["8 6\n"]),
        with_distribution(p_unopened=float("inf")),
        with_distribution(preferred=["8"]),
        with_distribution(preferred=["8", 0.5, 1]),
        with_distribution(preferred=None),
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - nobody is shown what it says
        read_completion_text(text, REQUEST)


def test_verdicts_of_another_grammar_are_refused() -> None:
    labels = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND})
    with pytest.raises(ValueError, match="not a completion"):
        read_completion_text(completion_text(make_completion()), make_request(grammar=labels))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["p", "greedy", "8 6\n"]), inner)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["text", "distribution", "n_prompt_tokens"]), values)
def test_no_value_does_more_than_be_refused(field: str, value: Any) -> None:
    with suppress(ValueError):
        read_completion_text(changed(**{field: value}), REQUEST)
