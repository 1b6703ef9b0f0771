"""The terminal report: reads at 40 columns and up, in plain characters, colour or not.

Rich measures, wraps and styles; its markup is never used, as names may hold `[/INST]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from judgecli.reports.wording import Bar, Document, Row, Table

_MIN_WIDTH = 30
_LABEL = 13
_BARS = {
    "good": ("#", "green"),
    "even": ("=", ""),
    "doubtful": ("~", "yellow"),
    "bad": ("-", "red"),
    "open": (".", ""),
    "failed": ("!", "magenta"),
}
_PLAIN_BAR = ("#", "")
_GAP = "  "


def render(document: Document, *, width: int, color: bool, **_other: object) -> str:
    """Return the report; lines take at most `width` cells (30 at least), escape codes only in colour."""
    out = StringIO()
    console = _console(out, color=color)
    for line in _lines(document, max(width, _MIN_WIDTH)):
        console.print(line, soft_wrap=True)
    return out.getvalue()


def _console(out: StringIO, *, color: bool) -> Console:
    # Everything is said: left to itself Rich asks the environment (NO_COLOR, TERM, GITHUB_ACTIONS).
    return Console(
        file=out,
        width=1000,
        height=25,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        legacy_windows=False,
    )


def _lines(document: Document, width: int) -> Iterator[Text]:
    subject, colon, result = document.headline.partition(": ")
    for line in fill(filter(None, (subject + colon.rstrip(), result)), width, joint=" "):
        yield Text(line, style="bold")
    for _, sentences in document.warnings:
        for i, line in enumerate(fill(sentences, width - 2, joint=" ")):
            yield Text(f"  {line}" if i else f"! {line}", style="yellow")
    for number, part in enumerate(document.sections):
        yield Text()
        for row in part.rows:
            yield from _row(row, width)
        if number == 0 and document.bars:
            yield Text()
            yield from _bars(document.bars, width)
        if part.table:
            yield Text()
            yield from _table(part.table, width)


def _row(row: Row, width: int) -> Iterator[Text]:
    for i, line in enumerate(fill(row.phrases, width - _LABEL)):
        yield Text.assemble((("" if i else row.label).ljust(_LABEL), "cyan"), line)


def _bars(bars: Sequence[Bar], width: int) -> Iterator[Text]:
    """Draw each count as its share of all; what is not zero has one mark at least."""
    n_label = max(len(bar.name) for bar in bars)
    n_digits = max(len(f"{bar.n:,}") for bar in bars)
    room = width - n_label - n_digits - 3
    total = sum(bar.n for bar in bars) or 1
    for bar in bars:
        mark, style = _BARS.get(bar.kind, _PLAIN_BAR)
        marks = mark * max(round(room * bar.n / total), min(bar.n, 1))
        line = Text(f"{bar.name:<{n_label}} {bar.n:>{n_digits},}")
        yield line.append(f"  {marks}", style=style) if marks else line


def _table(table: Table, width: int) -> Iterator[Text]:
    """Draw a table, numbers to the right; where it is too wide, a row for each of its own."""
    lines = (table.header, *table.rows)
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    if sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        for first, *cells in table.rows:
            said = tuple(f"{name} {cell}" for name, cell in zip(table.header[1:], cells, strict=True) if cell)
            yield from _row(Row(label=first, phrases=said), width)
        return
    for number, (first, *cells) in enumerate(lines):
        aligned = [" " * (room - cell_len(cell)) + cell for room, cell in zip(widths[1:], cells, strict=True)]
        line = _GAP.join([first + " " * (widths[0] - cell_len(first)), *aligned])
        yield Text(line.rstrip(), style="" if number else "cyan")


def fill(phrases: Iterable[str], width: int, *, joint: str = ", ") -> list[str]:
    """Join phrases into lines of at most `width` cells, breaking inside a phrase only if it is too long."""
    room = width - len(joint.rstrip())
    lines: list[str] = []
    for phrase in phrases:
        if lines and cell_len(lines[-1] + joint + phrase) <= room:
            lines[-1] += joint + phrase
            continue
        if lines:
            lines[-1] += joint.rstrip()
        lines += [phrase] if cell_len(phrase) <= room else _wrap(phrase, room)
    return lines


def _wrap(phrase: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in Text(phrase).wrap(Console(width=width), width)]
