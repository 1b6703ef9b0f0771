"""The Markdown report, for a pull-request comment: a headline, warnings and one table."""

from __future__ import annotations

import re
from collections.abc import Iterable

from judgecli.reports.wording import cautions, headline, outcomes, sections
from judgecli.types import RunRecord, Summary

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def render(record: RunRecord, summary: Summary, **_layout: object) -> str:
    """Return the report as GitHub-flavoured Markdown, under 60 lines."""
    lines = [f"### {escape(headline(summary))}", ""]
    warnings = [f"- **Warning:** {escape(' '.join(sentences))}" for _, sentences in cautions(summary)]
    lines += [*warnings, ""] if warnings else []
    counts = outcomes(summary)
    lines += [_table_row(name for name, _ in counts), _table_row("---:" for _ in counts)]
    lines += [_table_row(f"{n:,}" for _, n in counts), "", "| | |", "|---|---|"]
    for part in sections(record, summary):
        lines += [_table_row((row.label, escape(", ".join(row.phrases)))) for row in part.rows]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is: no markup, no link, no HTML, no mention."""
    text = re.sub(r"[&<>]", lambda match: _ENTITIES[match[0]], text)
    text = re.sub(r"([\\`*_|~])", r"\\\1", text).replace("](", "]\\(")
    # A comment in between keeps a model called @name from notifying somebody of that name.
    return text.replace("@", "@<!-- -->")


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
