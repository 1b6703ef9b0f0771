"""The Markdown report, for a pull-request comment: a headline, warnings, what was counted, and the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable

from judgecli.reports.wording import Document, Table

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render(document: Document, **_other: object) -> str:
    """Return the report as GitHub-flavoured Markdown, under 60 lines."""
    lines = [f"### {escape(document.headline)}", ""]
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
    return "\n".join(lines) + "\n"


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
