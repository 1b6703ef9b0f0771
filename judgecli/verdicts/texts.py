"""What a completion's text says, where a backend gives no distribution.

A reader looks at the one place where its family's judges put the verdict and searches nothing else: what it
cannot tell apart is a failure, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judgecli.types import (
    Completion,
    Failure,
    Grammar,
    LabelsGrammar,
    Pair,
    Reading,
    ScoresGrammar,
    read_scores,
)

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_TWO_NUMBERS = re.compile(rf"({_NUMBER})(?:[^\S\n]*,[^\S\n]*|[^\S\n]+)({_NUMBER})")
# The score ends where the line, the word or the sentence does: `8,5`, `8/10` and `8.5.1` are no scores.
_LABELLED = re.compile(
    rf"\s*(?:scores?\s+for\s+)?assistant\s*([12])\s*:\s*({_NUMBER})(?=[,;.]?(?:\s|$))", re.IGNORECASE
)
_BETWEEN_LABELS = re.compile(r"[\s,;.]*")
_LABEL_ENDS = '(?:["\u201d]|[.!]?$)'


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a completion says nothing."""

    failure: Failure
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A verdict in a text. `ends_text`: nothing follows it. `line` is what could be a quotation, if any."""

    reading: Reading
    ends_text: bool
    line: str | None = None


def read_text(completion: Completion, pair: Pair, reader: str) -> Reading | Unread:
    """Read what the judge wrote: an echo of the prompt is cut off, a quoted verdict decides nothing."""
    text = completion.text.removeprefix(completion.request.prompt.text)
    is_cut = completion.finish_reason == "length"
    found = _READERS[reader](text, completion.request.grammar)
    if isinstance(found, Unread):
        if is_cut and found.failure is Failure.UNREADABLE:
            return Unread(failure=Failure.TRUNCATED, detail=f"cut off before a verdict: {_excerpt(text)}")
        return found
    if is_cut and found.ends_text:  # the 1 of "8 1" may be the beginning of 10
        return Unread(failure=Failure.TRUNCATED, detail=f"cut off inside the verdict: {_excerpt(text)}")
    if found.line is not None and _is_quoted(found.line, pair):
        detail = f"the line {_excerpt(found.line)} also stands in an answer"
        return Unread(failure=Failure.UNREADABLE, detail=detail)
    return found.reading


def reader_names() -> list[str]:
    """Return the names of the readers, as prompt families use them."""
    return sorted(_READERS)


def _first_line_scores(text: str, grammar: Grammar) -> _Found | Unread:
    """Read two scores from the first non-empty line, or from the labelled form at the very beginning."""
    line = _first_line(text)
    match = _TWO_NUMBERS.fullmatch(line)
    if match:
        scores, ends_text = (float(match[1]), float(match[2])), text.endswith(line)
    else:
        labelled = _labelled_scores(text)
        if labelled is None:
            return Unread(failure=Failure.UNREADABLE, detail=f"no two scores in {_excerpt(text)}")
        scores, end = labelled
        ends_text = end == len(text)
    low, high = (grammar.low, grammar.high) if isinstance(grammar, ScoresGrammar) else (1, 10)
    if not all(low <= score <= high for score in scores):
        detail = f"a score in {_excerpt(text)} is outside {low} to {high}"
        return Unread(failure=Failure.OUT_OF_RANGE, detail=detail)
    return _Found(reading=read_scores(*scores), ends_text=ends_text, line=line)


def _labelled_scores(text: str) -> tuple[tuple[float, float], int] | None:
    """Return both scores of `Assistant 1: 8` and `Assistant 2: 6`, in either order, and where they end."""
    first = _LABELLED.match(text)
    if first is None:
        return None
    gap = _BETWEEN_LABELS.match(text, first.end())
    second = _LABELLED.match(text, gap.end() if gap else first.end())
    if second is None or first[1] == second[1]:
        return None
    scores = {first[1]: float(first[2]), second[1]: float(second[2])}
    return (scores["1"], scores["2"]), second.end()


def _first_label(text: str, grammar: Grammar) -> _Found | Unread:
    """Read the label that a completion begins with, whatever its case.

    It must end with its line or with a closing quotation mark: "A and B are equal" names no winner. The
    family has begun the reply for the judge, so this place cannot be a quotation of an answer.
    """
    line = _first_line(text)
    labels = grammar.labels if isinstance(grammar, LabelsGrammar) else {}
    for label, seat in labels.items():
        if re.match(f"{re.escape(label.strip())}{_LABEL_ENDS}", line, re.IGNORECASE):
            ends_text = text.lstrip().casefold() == label.strip().casefold()
            return _Found(reading=Reading(seat=seat), ends_text=ends_text)
    known = ", ".join(labels)
    detail = f"no verdict ({known}) at the beginning of {_excerpt(text)}"
    return Unread(failure=Failure.UNREADABLE, detail=detail)


_READERS: Mapping[str, Callable[[str, Grammar], _Found | Unread]] = {
    "first_line_scores": _first_line_scores,
    "first_label": _first_label,
}


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def _is_quoted(line: str, pair: Pair) -> bool:
    """Whether a verdict's line stands, as a line, in an answer: then the judge may only be quoting it."""
    answers = (pair.response_a.output, pair.response_b.output)
    lines = (other for answer in answers for other in answer.split("\n"))
    return any(line.split() == other.split() for other in lines)


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= 60 else f"{words[:57]}...") if words else "an empty completion"
