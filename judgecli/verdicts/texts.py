"""What a completion's text says, where a backend gives no distribution.

A reader looks at the one place where its family's judges put the verdict and searches nothing else: what it
cannot tell apart is a failure, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from judgecli.types import (
    Completion,
    Failure,
    Grammar,
    Item,
    LabelsGrammar,
    Reading,
    ReadingRule,
    ScoresGrammar,
    bare_text,
    find_last,
    read_scores,
)

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_NUMBERS = re.compile(rf"{_NUMBER}(?:(?:[^\S\n]*,[^\S\n]*|[^\S\n]+){_NUMBER})*")
# The score ends where the line, the word or the sentence does: `8,5`, `8/10` and `8.5.1` are no scores.
_LABELLED = re.compile(
    rf"\s*(?:scores?\s+for\s+)?assistant\s*([0-9]{{1,2}})\s*:\s*({_NUMBER})(?=[,;.]?(?:\s|$))", re.IGNORECASE
)
_BETWEEN_LABELS = re.compile(r"[\s,;.]*")
_LABEL_ENDS = '(?:["\u201d]|[.!]?$)'
_COUNTS = ("no", "one", "two", "three")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a completion says nothing."""

    failure: Failure
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A verdict in a text. `ends_text`: what may follow it could change it.

    `line` and `passage` are what could be a quotation, if anything: the verdict's line, and what marks it as
    the verdict wherever it stands.
    """

    reading: Reading
    ends_text: bool
    line: str | None = None
    passage: str | None = None


def read_text(completion: Completion, item: Item, rule: ReadingRule) -> Reading | Unread:
    """Read what the judge wrote: an echo of the prompt is cut off, a quoted verdict decides nothing."""
    text = completion.text.removeprefix(completion.request.prompt.text)
    is_cut = completion.finish_reason == "length"
    found = _READERS[rule.reader](text, completion.request.grammar, rule)
    if isinstance(found, Unread):
        if is_cut and found.failure is Failure.UNREADABLE:
            return Unread(failure=Failure.TRUNCATED, detail=f"cut off before a verdict: {_excerpt(text)}")
        return found
    if is_cut and found.ends_text:  # the 1 of "8 1" may be the beginning of 10
        return Unread(failure=Failure.TRUNCATED, detail=f"cut off inside the verdict: {_excerpt(text)}")
    if found.line is not None and _is_quoted(found.line, item):
        detail = f"the line {_excerpt(found.line)} also stands in an answer"
        return Unread(failure=Failure.UNREADABLE, detail=detail)
    if found.passage is not None and _stands_in(found.passage, item):
        detail = f"{_excerpt(found.passage)} also stands in what was judged"
        return Unread(failure=Failure.UNREADABLE, detail=detail)
    return found.reading


def reader_names() -> list[str]:
    """Return the names of the readers, as prompt families use them."""
    return sorted(_READERS)


def _first_line_scores(text: str, grammar: Grammar, _rule: ReadingRule) -> _Found | Unread:
    """Read all scores from the first non-empty line, or from the labelled form at the very beginning."""
    if not isinstance(grammar, ScoresGrammar):
        return Unread(failure=Failure.UNREADABLE, detail="the prompt asks for no scores")
    line = _first_line(text)
    scores, ends_text = _scores_of(line, grammar), text.endswith(line)
    if scores is None:
        labelled = _labelled_scores(text, grammar.n)
        if labelled is None:
            asked = (
                "no score at the beginning of" if grammar.n == 1 else f"no {_counted(grammar.n)} scores in"
            )
            return Unread(failure=Failure.UNREADABLE, detail=f"{asked} {_excerpt(text)}")
        scores, end = labelled
        ends_text = end == len(text)
    low, high = grammar.low, grammar.high
    if not all(low <= score <= high for score in scores):
        detail = f"a score in {_excerpt(text)} is outside {low} to {high}"
        return Unread(failure=Failure.OUT_OF_RANGE, detail=detail)
    return _Found(reading=read_scores(*scores), ends_text=ends_text, line=line)


def _counted(n: int) -> str:
    return _COUNTS[n] if n < len(_COUNTS) else str(n)


def _scores_of(line: str, grammar: ScoresGrammar) -> tuple[float, ...] | None:
    """Return a line's scores; what the grammar writes after them, such as a quotation mark, ends them."""
    if grammar.terminator.strip():
        line = line.partition(grammar.terminator.strip())[0]
    if not _NUMBERS.fullmatch(line):
        return None
    numbers = re.split(r"[\s,]+", line)
    return tuple(map(float, numbers)) if len(numbers) == grammar.n else None


def _labelled_scores(text: str, n: int) -> tuple[tuple[float, ...], int] | None:
    """Return the scores of `Assistant 1: 8` and `Assistant 2: 6`, in any order, and where they end."""
    scores: dict[int, float] = {}
    end = 0
    while n > 1 and len(scores) < n:
        gap = _BETWEEN_LABELS.match(text, end) if scores else None
        match = _LABELLED.match(text, gap.end() if gap else end)
        if match is None or int(match[1]) in scores or not 1 <= int(match[1]) <= n:
            return None
        scores[int(match[1])] = float(match[2])
        end = match.end()
    return (tuple(scores[number] for number in range(1, n + 1)), end) if scores else None


def _first_label(text: str, grammar: Grammar, _rule: ReadingRule) -> _Found | Unread:
    """Read the label that a completion begins with, whatever its case.

    It must end with its line or with a closing quotation mark: "A and B are equal" names no winner. The
    family has begun the reply for the judge, so this place cannot be a quotation of an answer.
    """
    line = _first_line(text)
    labels = grammar.labels if isinstance(grammar, LabelsGrammar) else {}
    for label in labels:
        if re.match(f"{re.escape(label.strip())}{_LABEL_ENDS}", line, re.IGNORECASE):
            ends_text = text.lstrip().casefold() == label.strip().casefold()
            return _Found(reading=grammar.readings[label], ends_text=ends_text)
    known = ", ".join(label.strip() for label in labels)
    detail = f"no verdict ({known}) at the beginning of {_excerpt(text)}"
    return Unread(failure=Failure.UNREADABLE, detail=detail)


def _last_match(text: str, grammar: Grammar, rule: ReadingRule) -> _Found | Unread:
    """Read the verdict at the last place where the family's pattern begins; see `find_last`."""
    found = find_last(text, rule, grammar)
    if found is None:
        detail = f"no verdict in {_excerpt_of_end(text)}"
        return Unread(failure=Failure.UNREADABLE, detail=detail)
    if found.is_off_scale and isinstance(grammar, ScoresGrammar):
        scale = f"{grammar.low} to {grammar.high}{'' if grammar.has_decimals else ' in whole numbers'}"
        detail = f"a score in {_excerpt(found.line)} is not on the scale, {scale}"
        return Unread(failure=Failure.OUT_OF_RANGE, detail=detail)
    if found.reading is None:
        detail = f"no verdict where one should stand, in {_excerpt(found.line)}"
        return Unread(failure=Failure.UNREADABLE, detail=detail)
    return _Found(
        reading=found.reading,
        ends_text=True,  # the last word of a text that was cut off is not known
        line=found.line,
        passage=found.matched if found.is_distinct else None,
    )


_READERS: Mapping[str, Callable[[str, Grammar, ReadingRule], _Found | Unread]] = {
    "first_line_scores": _first_line_scores,
    "first_label": _first_label,
    "last_match": _last_match,
}


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def _is_quoted(line: str, item: Item) -> bool:
    """Whether a verdict's line stands, as a line, in an answer: then the judge may only be quoting it."""
    outputs = (text for answer in item.responses for text in (*answer.earlier_outputs, answer.output))
    lines = (other for output in outputs for other in re.split("[\n\r]", output))
    said = bare_text(line)
    return any(said == bare_text(other) for other in lines)


def _stands_in(passage: str, item: Item) -> bool:
    """Whether what marks a verdict stands anywhere in what the judge was shown of an item."""
    said = bare_text(passage)
    return any(said in bare_text(text) for text in _texts(item))


def _texts(item: Item) -> Iterator[str]:
    yield from (item.instruction, item.input or "", item.reference or "")
    yield from item.earlier_instructions
    yield from (reference or "" for reference in item.earlier_references)
    for answer in item.responses:
        yield from (*answer.earlier_outputs, answer.output)


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= 60 else f"{words[:57]}...") if words else "an empty completion"


def _excerpt_of_end(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= 60 else f"...{words[-57:]}") if words else "an empty completion"
