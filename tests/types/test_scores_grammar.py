"""Lines of scores, two of which can be listed and more of which are followed character by character."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.types import ScoresGrammar, Seat

TWO = ScoresGrammar(low=1, high=10)
THREE = ScoresGrammar(low=1, high=10, n=3)


def test_what_begins_a_line_is_what_the_listed_texts_begin_with() -> None:
    listed = {text[:end] for text in TWO.readings for end in range(len(text) + 1)}
    characters = "0189. \n"
    tried = {"".join(text) for n in range(6) for text in product(characters, repeat=n)}
    assert {text for text in tried if TWO.begins(text)} == tried & listed
    assert {text for text in tried if TWO.begins(text) and TWO.is_whole(text)} == tried & set(TWO.readings)


@given(st.lists(st.sampled_from(THREE.number_texts()), min_size=3, max_size=3))
def test_every_line_of_three_scores_is_followed_to_its_end_and_read(numbers: list[str]) -> None:
    text = f"{' '.join(numbers)}\n"
    assert all(THREE.begins(text[:end]) for end in range(len(text) + 1))
    assert not any(THREE.is_whole(text[:end]) for end in range(len(text)))
    reading = THREE.reading(text)
    assert (reading.seat, reading.scores) == (None, tuple(map(float, numbers)))


@pytest.mark.parametrize(
    "text", ["1 2\n", "1 2 3", "1 2 3 4\n", "0 1 2\n", "11 1 1\n", "1  2 3\n", "", "a b c\n"]
)
def test_what_is_no_line_is_not_read(text: str) -> None:
    with pytest.raises(LookupError):
        THREE.reading(text)


def test_other_texts_around_the_scores() -> None:
    grammar = ScoresGrammar(
        low=1, high=5, n=3, opening=" ", separator=", ", terminator=";\n", has_decimals=False
    )
    text = " 5, 1, 3;\n"
    assert all(grammar.begins(text[:end]) for end in range(len(text) + 1))
    assert grammar.reading(text).scores == (5, 1, 3)
    assert not grammar.begins(" 6")
    assert not grammar.begins(" 5 ")


def test_few_texts_are_listed_and_many_are_not() -> None:
    assert (TWO.is_listed, THREE.is_listed) == (True, False)
    assert TWO.reading("8 6\n").seat is Seat.FIRST
    with pytest.raises(ValueError, match="too many to list"):
        _ = THREE.readings
