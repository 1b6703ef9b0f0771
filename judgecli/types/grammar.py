"""Verdict grammars: the closed set of texts a judge may answer, and what each of them says.

A grammar is asked two things: all its texts (a backend turns them into token paths), and what one
of them means (`verdicts` turns that into a winner). Both speak of seats: first and second.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import product
from typing import Any

MAX_LISTED = 2  # scores: 100 of each make 10,000 texts of two, and a million of three


class Seat(StrEnum):
    """Which seat of the prompt a verdict names."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRule:
    """How a verdict is found in a text: `reader` names the way, see `judgecli.verdicts.reader_names`.

    `pattern` is what a reader that searches looks for, `{verdict}` in it standing for a text of the grammar;
    `parts` maps the names of passages worth keeping to the headings they stand under. `begun` is what was
    written for the judge as the beginning of its reply; `own_words` are the prompt's instructions, which a
    reader that searches does not take for the judge's.
    """

    reader: str
    pattern: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    begun: str = ""
    own_words: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a verdict's text says: the better of two seats, and each seat's score where there are scores."""

    seat: Seat | None = None
    scores: tuple[float, ...] = ()


class Grammar:
    """A closed set of verdict texts."""

    @property
    def is_listed(self) -> bool:
        """Whether the texts are few enough for `readings`."""
        return True

    def reading(self, text: str) -> Reading:
        """Return what one of the texts says.

        Raises:
            LookupError: it is none of them.
        """
        return self.readings[text]

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Every text of the grammar and what it says."""
        raise NotImplementedError

    @property
    def scale(self) -> Mapping[str, Any] | None:
        """What a run header says about the scores: `low`, `high`, and `decimals` or `labels`.

        None where a verdict names a seat.
        """
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class ScoresGrammar(Grammar):
    """A score for each of `n` answers, as JudgeLM writes two: `8 6` and a newline.

    Scores run from `low` to `high`, with `has_decimals` each with at most one decimal digit. `opening` stands
    before the first one, `separator` between them, `terminator` after the last one ("" if nothing needs to).
    """

    low: int
    high: int
    n: int = 2
    opening: str = ""
    separator: str = " "
    terminator: str = "\n"
    has_decimals: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether the texts are few enough for `readings`."""
        return self.n <= MAX_LISTED

    def reading(self, text: str) -> Reading:
        """Return what a line of scores says.

        Raises:
            LookupError: it is none of the grammar's.
        """
        if self.is_listed:
            return self.readings[text]
        if not self.begins(text) or not self.is_whole(text):
            raise LookupError(f"{text!r} is no line of {self.n} scores")
        line = text[len(self.opening) : len(text) - len(self.terminator)]
        return read_scores(*map(float, line.split(self.separator)))

    def is_whole(self, text: str) -> bool:
        """Whether a beginning of a line (see `begins`) is all of one."""
        line = text[len(self.opening) : len(text) - len(self.terminator)]
        is_closed = bool(self.terminator) and text.endswith(self.terminator)
        return is_closed and line.count(self.separator) == self.n - 1

    def begins(self, text: str) -> bool:
        """Whether a text is a beginning of a line of scores, or all of one."""
        if len(text) <= len(self.opening):
            return self.opening.startswith(text)
        rest, is_open = text.removeprefix(self.opening), text.startswith(self.opening)
        for ending in (*[self.separator] * (self.n - 1), self.terminator):
            number = re.match(r"[0-9.]*", rest)[0]  # type: ignore[index] # it matches any text
            rest = rest[len(number) :]
            if not is_open or not rest:
                return is_open and any(whole.startswith(number) for whole in self._numbers)
            if number not in self._numbers or not (ending.startswith(rest) or rest.startswith(ending)):
                return False
            if len(rest) <= len(ending):
                return True
            rest = rest[len(ending) :]
        return False

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(self.number_texts())

    def is_on_scale(self, score: float) -> bool:
        """Whether a number is one of the scores."""
        return self.low <= score <= self.high and (self.has_decimals or score == int(score))

    @property
    def scale(self) -> Mapping[str, Any]:
        """The lowest and the highest score, and whether there are decimals between them."""
        return {"low": self.low, "high": self.high, "decimals": self.has_decimals}

    def number_texts(self) -> list[str]:
        """Return every score as the judge may write it: `8`, `8.0`, `8.5`, ... , `10`."""
        whole = [str(n) for n in range(self.low, self.high + 1)]
        if not self.has_decimals:
            return whole
        tenths = [f"{n}.{d}" for n in range(self.low, self.high) for d in range(10)]
        return [*whole, *tenths, f"{self.high}.0"]

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Every line of scores: about 12,000 texts for two from 1 to 10.

        Raises:
            ValueError: there are more than two scores, so too many texts to list.
        """
        if self.n > MAX_LISTED:
            raise ValueError(f"the texts of {self.n} scores are too many to list")
        numbers = self.number_texts()
        return {
            f"{self.opening}{self.separator.join(texts)}{self.terminator}": read_scores(*map(float, texts))
            for texts in product(numbers, repeat=self.n)
        }


@dataclass(frozen=True, kw_only=True)
class LabelsGrammar(Grammar):
    """One label out of a few, as chat judges write them: `A`, `B` or `tie`.

    A label names a seat, or where one answer is judged alone, the score it stands for.
    """

    labels: Mapping[str, Seat | float]

    @property
    def scale(self) -> Mapping[str, Any] | None:
        """The labels with their scores; of labels that are whole numbers themselves only the ends."""
        scores = {text.strip(): score for text, score in self.labels.items() if not isinstance(score, Seat)}
        if not scores:
            return None
        ends = {"low": min(scores.values()), "high": max(scores.values())}
        are_numbers = all(text == f"{score:g}" for text, score in scores.items())
        return {**ends, "decimals": False} if are_numbers else {**ends, "labels": scores}

    @cached_property
    def readings(self) -> Mapping[str, Reading]:
        """Each label and what it says."""
        return {
            text: Reading(seat=meaning) if isinstance(meaning, Seat) else Reading(scores=(meaning,))
            for text, meaning in self.labels.items()
        }


def read_scores(*scores: float) -> Reading:
    """Return the reading of scores: of two, the higher one wins and equal ones tie."""
    if len(scores) != 2:
        return Reading(scores=scores)
    difference = scores[0] - scores[1]
    seat = Seat.FIRST if difference > 0 else Seat.SECOND if difference < 0 else Seat.TIE
    return Reading(seat=seat, scores=scores)
