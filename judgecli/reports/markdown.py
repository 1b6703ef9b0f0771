"""The Markdown report, for a pull-request comment: a headline, warnings, what was counted, and the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from judgecli.reports.pairs import PairView
from judgecli.reports.pairs.phrases import verdict_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.reports.wording import Document, Table

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MAX_LINES = 59
_MAX_EXCERPT = 100  # characters of a text in a table of pairs


def render(document: Document, *, pairs: Sequence[PairView] | None = None, **_other: object) -> str:
    """Return the report as GitHub-flavoured Markdown, under 60 lines.

    Of the pairs that were asked for, as many are listed as there are lines left; what is left out is counted.
    """
    lines = _report(document)
    if pairs is not None:
        lines += _listing(pairs, _MAX_LINES - len(lines))
    return "\n".join(lines) + "\n"


def _report(document: Document) -> list[str]:
    lines = [f"### {escape(document.headline)}", ""]
    lines += [f"**{escape(document.ruling.sentence)}**", ""] if document.ruling else []
    warnings = [f"- **Warning:** {escape(' '.join(sentences))}" for _, sentences in document.warnings]
    lines += [*warnings, ""] if warnings else []
    if document.bars:
        lines += [_table_row(escape(bar.name) for bar in document.bars)]
        lines += [_table_row("---:" for _ in document.bars)]
        lines += [_table_row(f"{bar.n:,}" for bar in document.bars), ""]
    lines += ["| | |", "|---|---|"]
    for part in document.sections:
        lines += [_table_row((escape(row.label), escape(", ".join(row.phrases)))) for row in part.rows]
    for part in document.sections:
        if part.table:
            lines += ["", *_table(part.table)]
    return lines


def _listing(pairs: Sequence[PairView], room: int) -> Iterator[str]:
    """Yield a row a pair in `room` lines: a blank one, the table's two, and one on what is left out."""
    n_shown = len(pairs) if len(pairs) + 3 <= room else max(room - 5, 0)
    if n_shown:
        yield from ("", "| pair | verdict | asked | A | B |", "|---|---|---|---|---|")
    for view in pairs[:n_shown]:
        item = view.item
        texts = (item.instruction, item.response_a.output, item.response_b.output)
        said = ", ".join(verdict_phrases(view))
        cells = (one_line(item.id, _MAX_EXCERPT), one_line(said, 2 * _MAX_EXCERPT))
        yield _table_row(map(escape, (*cells, *(one_line(text, _MAX_EXCERPT) for text in texts))))
    if n_shown < len(pairs):
        yield from ("", f"{len(pairs) - n_shown:,} more of {len(pairs):,} pairs are not listed here.")


def escape(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, no link, no HTML, no mention."""
    text = re.sub(r"[&<>]", lambda match: _ENTITIES[match[0]], text)
    text = re.sub(r"([\\`*_|~])", r"\\\1", text).replace("](", "]\\(")
    # A comment in between keeps a model called @name from notifying somebody of that name.
    return text.replace("@", "@<!-- -->")


def _table(table: Table) -> list[str]:
    aligned = _table_row(["---", *("---:" for _ in table.header[1:])])
    header, *rows = (_table_row(map(escape, cells)) for cells in (table.header, *table.rows))
    return [header, aligned, *rows]


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
