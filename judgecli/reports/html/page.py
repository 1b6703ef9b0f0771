"""The page, from its template: what the reader sees first, charts, rows, and the items to look through."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from judgecli.reports.html.embedding import content_policy, embedded_json
from judgecli.reports.html.figures import counts_figure, figures, outcome_bar, outcomes
from judgecli.reports.html.items import chunks_of, index_of, table_of
from judgecli.reports.html.key_numbers import key_numbers
from judgecli.reports.wording import Document
from judgecli.types import RunRecord, Summary

_FOLDER = Path(__file__).parent
_SCRIPTS = ("theme.js", "myers.js", "words.js", "details.js", "list.js")
_WHOLES = ("pair", "diff")  # reports whose counts are parts of one whole


def render(*, record: RunRecord, summary: Summary, document: Document, **_other: object) -> str:
    """Return the report as one HTML file that needs no other."""
    script, style = _script(), _text("page.css")
    table = table_of(record, summary)
    index = index_of(table) if table else None
    charts = figures(record, summary)
    is_whole = summary.about in _WHOLES
    counted = None if is_whole else counts_figure(document, summary.about)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            policy=content_policy(script, style),
            script=Markup(script),  # noqa: S704 - judgecli's own files
            style=Markup(style),  # noqa: S704
            about=summary.about,
            subject=document.headline.subject,
            result=document.headline.result,
            document=document,
            bar=outcome_bar(document) if is_whole and document.bars else None,
            outcomes=outcomes(document, table) if is_whole else [],
            numbers=key_numbers(summary),
            figures=[counted, *charts] if counted else charts,
            has_items=table is not None,
            index=embedded_json(index) if index else None,
            chunks=[embedded_json(chunk) for chunk in chunks_of(table)] if table else [],
            noun=table.noun if table else "item",
        )
        + "\n"
    )


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def _script() -> str:
    return "\n".join(_text(name) for name in _SCRIPTS)


@cache
def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
