"""What the words of labels mean, and the majority of several."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.answers.label_values import (
    counts_from_0,
    is_number,
    majority_of,
    score_of,
    winners_by_word,
)
from judgecli.types import Winner

WINNERS = st.sampled_from(list(Winner))


@pytest.mark.parametrize(
    ("words", "winner"),
    [
        (["a", "A", " a ", "1", "1.0", "baseline", "model_a", "Model A", "model_1", "answer1"], Winner.A),
        (["b", "B", "2", "2.0", "candidate", "model_b", "response-2", "assistant b"], Winner.B),
        (["tie", "Tie", "tie (bothbad)", "both bad", "both_bad", "draw", "equal"], Winner.TIE),
    ],
)
def test_the_usual_words(words, winner):
    assert winners_by_word(words) == (dict.fromkeys(words, winner), [])


@pytest.mark.parametrize("word", ["c", "3", "0", "-1", "1.5", "true", "neither", "ab", "garbage", "model_c"])
def test_other_words_are_not_guessed(word):
    assert winners_by_word([word, "a"]) == ({"a": Winner.A}, [word])


def test_blank_labels_say_nothing():
    assert winners_by_word(["", "  "]) == ({}, [])


@pytest.mark.parametrize(
    "words", [["0", "1"], ["0"], ["0", "1", "2", "tie"], ["0", "1", "2", "a"], ["0", "b"]]
)
def test_0_beside_anything_but_1_and_2_is_not_guessed(words):
    _, unknown = winners_by_word(words, zero_may_be_tie=True)
    assert unknown == ["0"]
    assert counts_from_0(unknown)


@pytest.mark.parametrize("words", [["0", "1", "2"], ["0.0", "2.0"], ["2", "0"]])
def test_0_is_a_tie_in_a_file_of_0_1_and_2(words):
    known, unknown = winners_by_word(words, zero_may_be_tie=True)
    assert (known[next(w for w in words if w[0] == "0")], unknown) == (Winner.TIE, [])
    assert winners_by_word(words)[1]


@pytest.mark.parametrize(
    ("word", "score"),
    [("7.5", 7.5), ("-1", -1), ("1e2", 100), ("nan", None), ("inf", None), ("1_0", None), ("good", None)],
)
def test_scores_are_finite_numbers(word, score):
    assert score_of(word) == score
    assert is_number(word) == (score is not None)


def test_a_number_that_no_scale_reaches_is_no_score():
    assert (score_of("-1e15"), score_of("1.1e15")) == (-1e15, None)
    assert is_number("1e300")


def test_a_majority_is_more_than_half():
    a, b, tie = Winner.A, Winner.B, Winner.TIE
    assert majority_of([a, a, b]) is a
    assert majority_of([a, b]) is None
    assert majority_of([a, b, tie]) is None
    assert majority_of([a, a, b, tie]) is None
    assert majority_of([tie]) is tie
    assert majority_of([]) is None


@given(st.lists(WINNERS, max_size=9))
def test_the_majority_has_more_than_half_and_nothing_else_has(labels):
    shares = {winner: Fraction(labels.count(winner), max(1, len(labels))) for winner in Winner}
    more = [winner for winner, share in shares.items() if share > Fraction(1, 2)]
    assert majority_of(labels) == (more[0] if more else None)


@given(st.lists(WINNERS, max_size=9), st.randoms())
def test_the_majority_does_not_depend_on_the_order_and_turns_with_the_seats(labels, random):
    shuffled = random.sample(labels, len(labels))
    assert majority_of(shuffled) == majority_of(labels)
    majority = majority_of(labels)
    assert majority_of([label.swapped() for label in labels]) == (majority and majority.swapped())
