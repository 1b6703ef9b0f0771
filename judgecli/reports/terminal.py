"""The terminal report: reads at 40 columns and up, in plain characters, colour or not.

Rich measures, wraps and styles; its markup is never used, as names may hold `[/INST]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import StringIO
from itertools import zip_longest
from textwrap import wrap

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from judgecli.reports.pairs import PairView
from judgecli.reports.pairs.phrases import judgment_phrases, seating, verdict_phrases
from judgecli.reports.pairs.texts import cut_lines
from judgecli.reports.wording import Bar, Document, Row, Table
from judgecli.reports.wording.rows import clean
from judgecli.types import GateDecision

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
_RULINGS = {
    GateDecision.PASS: "bold green",
    GateDecision.FAIL: "bold red",
    GateDecision.INCONCLUSIVE: "bold yellow",
}
_GAP = "  "
_SIDE_BY_SIDE = 80  # cells; with fewer the answers stand one under the other
_RULE = " | "
_MAX_LINES = {"instruction": 4, "reference": 4, "answer": 12}


def render(
    document: Document, *, width: int, color: bool, pairs: Sequence[PairView] | None = None, **_other: object
) -> str:
    """Return the report; lines take at most `width` cells (30 at least), escape codes only in colour.

    The pairs that were asked for follow, if any were: both answers, the verdict and what the judge said.
    """
    out = StringIO()
    console = _console(out, color=color)
    room = max(width, _MIN_WIDTH)
    for line in _lines(document, room):
        console.print(line, soft_wrap=True)
    for line in _listing(pairs, room) if pairs is not None else ():
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
    if document.ruling:
        style = _RULINGS[document.ruling.decision]
        yield from (Text(line, style=style) for line in fill([document.ruling.sentence], width))
    subject, result = document.headline.subject, document.headline.result
    for line in fill((f"{subject}:", result) if result else (subject,), width, joint=" "):
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
    return [line.plain.rstrip() for line in Text(phrase).wrap(_measure(), width)]


@cache
def _measure() -> Console:
    return Console(width=1000)


def _listing(pairs: Sequence[PairView], width: int) -> Iterator[Text]:
    yield Text()
    yield Text(f"{len(pairs):,} {'pair' if len(pairs) == 1 else 'pairs'} listed", style="bold")
    for view in pairs:
        yield Text()
        yield from _pair(view, width)


def _pair(view: PairView, width: int) -> Iterator[Text]:
    """Yield a pair: what was asked, both answers, and beneath them what the judge made of them."""
    item = view.item
    for line in fill([clean(item.id)], width):
        yield Text(line, style="bold")
    yield from _labelled("asked", item.instruction, "instruction", width)
    if item.input:
        yield from _labelled("input", item.input, "instruction", width)
    if item.reference:
        yield from _labelled("reference", item.reference, "reference", width)
    yield from _answers(view, width)
    yield from _row(Row(label="verdict", phrases=tuple(map(clean, verdict_phrases(view)))), width)
    for judgment in (*view.judgments, *view.escalated):
        said = tuple(map(clean, judgment_phrases(judgment)))
        yield from _row(Row(label=seating(judgment), phrases=said), width)


def _labelled(label: str, text: str, kind: str, width: int) -> Iterator[Text]:
    for i, line in enumerate(_cut(text, kind, width - _LABEL)):
        yield Text.assemble((("" if i else label).ljust(_LABEL), "cyan"), line) if line else Text()


def _answers(view: PairView, width: int) -> Iterator[Text]:
    a, b = view.item.response_a, view.item.response_b
    if width < _SIDE_BY_SIDE:
        yield from _labelled("A", a.output, "answer", width)
        yield from _labelled("B", b.output, "answer", width)
        return
    room = (width - len(_RULE)) // 2
    sides = (["A", *_cut(a.output, "answer", room)], ["B", *_cut(b.output, "answer", room)])
    for i, (left, right) in enumerate(zip_longest(*sides, fillvalue="")):
        line = f"{left}{' ' * (room - cell_len(left))}{_RULE}{right}".rstrip()
        yield Text(line, style="" if i else "cyan")


def _cut(text: str, kind: str, width: int) -> list[str]:
    return cut_lines(text, _MAX_LINES[kind], width, lambda line: _wrap_text(line, width))


def _wrap_text(line: str, width: int) -> list[str]:
    """Wrap a line of a text; where every character takes one cell, ten times as fast as Rich does it."""
    if line.isascii():
        return wrap(line, width, break_on_hyphens=False)
    return _wrap(line, width)
