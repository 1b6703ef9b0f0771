"""Verdict grammars: the closed set of texts a judge may answer, and what each of them says.

A grammar is asked two things: all its texts (a backend turns them into token paths), and what one
of them means (`verdicts` turns that into a winner). Both speak of seats: first and second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property


class Seat(StrEnum):
    """Which seat of the prompt a verdict names."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a verdict's text says: the better seat, and both scores where there are scores."""

    seat: Seat
    score_1: float | None = None
    score_2: float | None = None


class Grammar:
    """A closed set of verdict texts."""

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Every text of the grammar and what it says."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class ScoresGrammar(Grammar):
    """Two scores on one line, as JudgeLM writes them: `8 6` and a newline.

    Scores run from `low` to `high`, each with at most one decimal digit.
    """

    low: int
    high: int
    separator: str = " "
    terminator: str = "\n"

    def number_texts(self) -> list[str]:
        """Return every score as the judge may write it: `8`, `8.0`, `8.5`, ... , `10`."""
        whole = [str(n) for n in range(self.low, self.high + 1)]
        tenths = [f"{n}.{d}" for n in range(self.low, self.high) for d in range(10)]
        return [*whole, *tenths, f"{self.high}.0"]

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Every `a b` line: about 12,000 texts for scores from 1 to 10."""
        numbers = [(text, float(text)) for text in self.number_texts()]
        return {
            f"{text_1}{self.separator}{text_2}{self.terminator}": read_scores(score_1, score_2)
            for text_1, score_1 in numbers
            for text_2, score_2 in numbers
        }


@dataclass(frozen=True, kw_only=True)
class LabelsGrammar(Grammar):
    """One label out of a few, as chat judges write them: `A`, `B` or `tie`."""

    labels: Mapping[str, Seat]

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Each label and the seat it names."""
        return {text: Reading(seat=seat) for text, seat in self.labels.items()}


def read_scores(score_1: float, score_2: float) -> Reading:
    """Return the reading of two scores: the higher one wins, equal ones tie."""
    difference = score_1 - score_2
    seat = Seat.FIRST if difference > 0 else Seat.SECOND if difference < 0 else Seat.TIE
    return Reading(seat=seat, score_1=score_1, score_2=score_2)
