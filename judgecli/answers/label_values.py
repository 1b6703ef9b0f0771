"""What a label's word means: who is better, or a score; and what several annotators mean together."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from judgecli.types import Winner

Label = TypeVar("Label", bound=str)

UNDERSTOOD = "a, b, tie, 1, 2"
ZERO, ONE, TWO = "0", "1", "2"
TOO_LARGE = "a number beyond 1e15, which no scale of scores reaches"
_MAX_SCORE = 1e15  # sums of squares of far larger numbers overflow
_NOUNS = ("model", "answer", "response", "output", "assistant")
_WINNERS = {
    "baseline": Winner.A,
    "candidate": Winner.B,
    **dict.fromkeys(
        ("tie", "draw", "equal", "bothbad", "both bad", "tie (bothbad)", "tie (both bad)"), Winner.TIE
    ),
    **{
        prefix + word: winner
        for prefix in ("", *(noun + blank for noun in _NOUNS for blank in ("", " ")))
        for word, winner in (("a", Winner.A), (ONE, Winner.A), ("b", Winner.B), (TWO, Winner.B))
    },
}
_BLANKS = re.compile(r"[\s_-]+")
_WHOLE = re.compile(r"([0-9]+)\.0+")


def plain_word(word: str) -> str:
    """Return a label without what makes no difference: case, blanks at its ends, `_` for a blank, `1.0`."""
    text = _BLANKS.sub(" ", word.strip().lower()) if not is_number(word) else word.strip()
    return _WHOLE.sub(r"\1", text)


def winners_by_word(
    words: Iterable[str], *, zero_may_be_tie: bool = False
) -> tuple[dict[str, Winner], list[str]]:
    """Return the winner that each of a file's labels means, and the labels that cannot be read, sorted.

    Blank labels are in neither. 0 may be a tie where the labels are all 0, 1 and 2, with a 2 among them. A
    file labelled 0 and 1 may number its answers from 0: reading its 1 as the first would be wrong.
    """
    plain = {word: plain_word(word) for word in words if word.strip()}
    meanings = dict(_WINNERS)
    if zero_may_be_tie and {TWO} <= set(plain.values()) <= {ZERO, ONE, TWO}:
        meanings[ZERO] = Winner.TIE
    unknown = sorted({word for word, text in plain.items() if text not in meanings})
    return {word: meanings[text] for word, text in plain.items() if text in meanings}, unknown


def counts_from_0(unknown: Iterable[str]) -> bool:
    """Whether all that cannot be read of a file's labels is 0."""
    return {plain_word(word) for word in unknown} == {ZERO}


def zeros_are_ties(file: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return what should be said where one of the labels that were read is 0."""
    has_zero = any(plain_word(word) == ZERO for word in known)
    return (f"{file}: labels of {ZERO} are read as ties",) if has_zero else ()


def is_number(word: str) -> bool:
    """Whether a word is a finite number, though it may be none that a score can be."""
    return _number(word) is not None


def score_of(word: str) -> float | None:
    """Return a number of at most 1e15 in size, or None for what is none."""
    number = _number(word)
    return number if number is not None and abs(number) <= _MAX_SCORE else None


def _number(word: str) -> float | None:
    """Return a finite number, or None for what is none."""
    try:
        number = float(word)
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in word else None


def majority_of(labels: Iterable[Label]) -> Label | None:
    """Return the label that more than half of the annotators gave; None where there is none, or n = 0."""
    counts = Counter(labels)
    if not counts:
        return None
    label, n = counts.most_common(1)[0]
    return label if 2 * n > counts.total() else None
