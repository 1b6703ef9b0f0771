"""The Markdown report, for a pull-request comment: a headline, warnings, what was counted, and the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from judgecli.reports.pairs import PairView
from judgecli.reports.pairs.phrases import verdict_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.reports.wording import Document
from judgecli.reports.wording.rows import plural, shortened

Cells = tuple[str, ...]
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;"}
_MAX_LINES = 59
_MAX_CHARACTERS = 60_000  # GitHub takes comments of 65,536
_CELL_LIMITS = (1000, 300, 100, 30, 10)  # characters of a cell, tried in turn until the report is short
_MAX_EXCERPT = 100  # characters of a text in a table of pairs
_N_LISTED_FIRST = 7  # pairs that have lines of their own even where the report would fill them all
_N_LAST = 5  # rows at the end of a table that are kept: the judge stands below the models
_GAP = "<!-- -->"  # shows as nothing, and keeps what stands on either side from being taken for one

# What GitHub makes more of than text, and where a gap keeps it from that: mentions, addresses, numbers of
# issues, emoji.
_MADE_MORE_OF = (
    (re.compile(r"@"), f"@{_GAP}"),
    (re.compile(r"://"), f":{_GAP}//"),
    (re.compile(r"\b(www)\.", re.IGNORECASE), rf"\1{_GAP}."),
    (re.compile(r"((?<!&)#|\bGH-)(?=\d)", re.IGNORECASE), rf"\1{_GAP}"),
    (re.compile(r":(?=[A-Za-z0-9_+-]+:)"), f":{_GAP}"),
)


def render(document: Document, *, pairs: Sequence[PairView] | None = None, **_other: object) -> str:
    """Return the report as GitHub-flavoured Markdown: under 60 lines, and short enough for a comment.

    Of each table as many rows are shown as there are lines for, and so of the pairs that were asked for; what
    is left out is counted. Cells are cut where they would be too long.
    """
    text = ""
    for limit in _CELL_LIMITS:
        lines = _report(document, limit, 0 if pairs is None else min(len(pairs), _N_LISTED_FIRST) + 3)
        if pairs is not None:
            lines += _listing(pairs, _MAX_LINES - len(lines), limit)
        text = "\n".join(lines) + "\n"
        if len(text) <= _MAX_CHARACTERS:
            break
    return text


def _report(document: Document, limit: int, n_kept: int) -> list[str]:
    """Return the report's lines, `n_kept` fewer than there may be at most; no cell exceeds the limit."""

    def cell(text: str) -> str:
        return escape(shortened(text, limit))

    headline, ruling = cell(str(document.headline)), document.ruling
    lines = [f"### {cell(ruling.sentence)}", "", f"**{headline}**", ""] if ruling else [f"### {headline}", ""]
    warnings = [f"- **Warning:** {cell(' '.join(sentences))}" for _, sentences in document.warnings]
    lines += [*warnings, ""] if warnings else []
    if document.bars:
        lines += [_table_row(cell(bar.name) for bar in document.bars)]
        lines += [_table_row("---:" for _ in document.bars)]
        lines += [_table_row(f"{bar.n:,}" for bar in document.bars), ""]
    parts = [[(row.label, ", ".join(row.phrases)) for row in part.rows] for part in document.sections]
    tables = [part.table for part in document.sections if part.table]
    room = _MAX_LINES - n_kept - len(lines) - 2 - 3 * len(tables)
    shown = _fitting([*parts, *(table.rows for table in tables)], room)
    lines += ["| | |", "|---|---|"]
    lines += [_table_row(map(cell, cells)) for part in shown[: len(parts)] for cells in part]
    for table, rows in zip(tables, shown[len(parts) :], strict=True):
        aligned = ["---", *("---:" for _ in table.header[1:])]
        lines += ["", _table_row(map(cell, table.header)), _table_row(aligned)]
        lines += [_table_row(map(cell, cells)) for cells in rows]
    return lines


def _fitting(parts: Sequence[Sequence[Cells]], room: int) -> list[Sequence[Cells]]:
    """Return as many rows of each part as there is room for in all, the longest parts cut first."""
    longest = max(map(len, parts), default=0)
    cut: list[Sequence[Cells]] = list(parts)
    for n in range(min(longest, max(room, 1)), 0, -1):
        cut = [_cut(rows, n) for rows in parts]
        if sum(map(len, cut)) <= room:
            break
    return cut


def _cut(rows: Sequence[Cells], n: int) -> Sequence[Cells]:
    """Return at most `n` rows; where there are more, one says how many are left out above the last ones."""
    if len(rows) <= n:
        return rows
    rest = len(rows) - n + 1
    said = f"and {plural(rest, 'more row')}: see --format json"
    gap = ("", said) if len(rows[0]) == 2 else (said, *[""] * (len(rows[0]) - 1))
    n_last = min(_N_LAST, (n - 1) // 2)
    return [*rows[: n - 1 - n_last], gap, *rows[len(rows) - n_last :]]


def _listing(pairs: Sequence[PairView], room: int, limit: int) -> Iterator[str]:
    """Yield a row a pair in `room` lines: a blank one, the table's two, and one on what is left out."""
    width = min(limit, _MAX_EXCERPT)
    n_shown = len(pairs) if len(pairs) + 3 <= room else max(room - 5, 0)
    if n_shown:
        yield from ("", "| pair | verdict | asked | A | B |", "|---|---|---|---|---|")
    for view in pairs[:n_shown]:
        item = view.item
        texts = (item.instruction, item.response_a.output, item.response_b.output)
        said = ", ".join(verdict_phrases(view))
        cells = (one_line(item.id, width), one_line(said, 2 * width))
        yield _table_row(map(escape, (*cells, *(one_line(text, width) for text in texts))))
    if n_shown < len(pairs):
        yield from ("", f"{len(pairs) - n_shown:,} more of {len(pairs):,} pairs are not listed here.")


def escape(text: str) -> str:
    """Return text that GitHub shows as it is: no markup, link, HTML, mention, issue, emoji or formula."""
    text = re.sub(r"[&<>$]", lambda match: _ENTITIES[match[0]], text)
    text = re.sub(r"([\\`*_|~])", r"\\\1", text).replace("](", "]\\(")
    for pattern, apart in _MADE_MORE_OF:
        text = pattern.sub(apart, text)
    return text


def _table_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
