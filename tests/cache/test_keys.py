"""A key is of all that changes an answer, and of nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from judgecli.cache import completion_key
from judgecli.types import LabelsGrammar, Order, Piece, Prompt, ScoresGrammar, Seat, VerdictPlace
from tests.cache.made_up import JUDGE, RULE, make_request

LABELS = {"A": Seat.FIRST, "B": Seat.SECOND, "C": Seat.TIE}
KEY = completion_key(JUDGE, make_request(), RULE)


def test_the_same_question_to_the_same_judge_has_the_same_key() -> None:
    assert completion_key(JUDGE, make_request(), RULE) == KEY
    assert (
        KEY.hex() == "d92004fba9aba1001151df5b79964cf0a0b9ec5c5d9394b5c1c45412e939f121"
    )  # or all caches of users are lost


@pytest.mark.parametrize("other", [{"item_id": "q2"}, {"order": Order.BA}])
def test_whose_answers_are_shown_does_not_matter_once_the_prompt_is_the_same(other: dict[str, Any]) -> None:
    assert completion_key(JUDGE, make_request(**other), RULE) == KEY


def test_what_the_judge_is_called_does_not_matter() -> None:
    assert completion_key(replace(JUDGE, name="other", identity="x"), make_request(), RULE) == KEY


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Which is worse?"},
        {"grammar": ScoresGrammar(low=1, high=5)},
        {"grammar": ScoresGrammar(low=1, high=10, has_decimals=False)},
        {"grammar": LabelsGrammar(labels=LABELS)},
        {"place": VerdictPlace.LAST},
        {"n_reason_tokens": 1},
        {"stop": ("\n",)},
        {"conclusion": "So, the better one is "},
        {"locate": len},
    ],
)
def test_all_that_is_asked_matters(other: dict[str, Any]) -> None:
    assert completion_key(JUDGE, make_request(**other), RULE) != KEY


def test_where_a_prompt_is_cut_matters() -> None:
    cut = Prompt(pieces=(Piece(text="Which is ", cut=True), Piece(text="better?")))
    request = replace(make_request(), prompt_hash=cut.hash)
    assert completion_key(JUDGE, request, RULE) != KEY


def test_labels_in_another_order_are_another_grammar() -> None:
    grammars = [LabelsGrammar(labels=LABELS), LabelsGrammar(labels=dict(reversed(LABELS.items())))]
    first, second = (completion_key(JUDGE, make_request(grammar=one), RULE) for one in grammars)
    assert first != second


def test_grammars_that_were_used_are_the_same() -> None:
    """They remember their texts once these were asked for."""
    used = ScoresGrammar(low=1, high=10)
    assert used.readings
    assert completion_key(JUDGE, make_request(grammar=used), RULE) == KEY


def test_weights_engine_and_sampling_matter() -> None:
    for settings in ((("model.sha256", "e" * 64), ("sampling", "greedy")), JUDGE.settings[:1]):
        assert completion_key(replace(JUDGE, settings=settings), make_request(), RULE) != KEY


def test_how_a_place_is_found_matters_where_the_verdict_is_read_there() -> None:
    other = replace(RULE, pattern=r"\[\[{verdict}\]\]")
    assert completion_key(JUDGE, make_request(), other) == KEY
    written = make_request(place=VerdictPlace.LAST, locate=len)
    assert completion_key(JUDGE, written, RULE) != completion_key(JUDGE, written, other)
