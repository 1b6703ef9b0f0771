"""Cutting a prompt into control tokens and runs of text, before anything is tokenized."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from judgecli.types import Piece, PieceKind


@dataclass(slots=True)
class TextRun:
    """Text between two control tokens; `cuts` are character offsets where an evaluation unit ends."""

    text: str = ""
    cuts: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Control:
    """A control token written by id; `cut` ends an evaluation unit after it."""

    token: int
    cut: bool = False


def any_of(spellings: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds the longest of some spellings, None for none."""
    longest_first = sorted(set(spellings), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None


def text_runs(pieces: Iterable[Piece], markup: Mapping[str, int]) -> Iterator[TextRun | Control]:
    """Yield a prompt's runs of text and its control tokens; neighbouring text becomes one run."""
    pattern = any_of(markup)
    run = TextRun()
    for piece in pieces:
        is_markup = piece.kind is PieceKind.MARKUP and pattern is not None
        parts = _split_markup(piece.text, pattern) if is_markup and pattern else [(piece.text, None)]
        last = len(parts) - 1
        for index, (text, spelling) in enumerate(parts):
            run.text += text
            ends_unit = piece.cut and index == last
            if spelling is not None:
                yield run
                yield Control(token=markup[spelling], cut=ends_unit)
                run = TextRun()
            elif ends_unit:
                run.cuts.append(len(run.text))
    yield run


def _split_markup(text: str, pattern: re.Pattern[str]) -> list[tuple[str, str | None]]:
    """Return (text before, control spelling) pairs; a rest without one has the spelling None."""
    parts: list[tuple[str, str | None]] = []
    position = 0
    for match in pattern.finditer(text):
        parts.append((text[position : match.start()], match.group()))
        position = match.end()
    if position < len(text) or not parts:
        parts.append((text[position:], None))
    return parts


def split_inside(text: str, spellings: re.Pattern[str] | None) -> list[str]:
    """Split a text in the middle of every spelling found, until no part holds a whole one."""
    parts: list[str] = []
    while spellings is not None and (match := spellings.search(text)):
        middle = (match.start() + match.end()) // 2
        # the left half may hold a shorter spelling that begins at the same place
        parts.extend(split_inside(text[:middle], spellings))
        text = text[middle:]
    return [*parts, text]
