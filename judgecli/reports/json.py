"""The JSON report: one object with stable names; null where there is nothing.

    report            "judgecli", the kind of file
    report_version    1; grows when a name changes its meaning or goes away
    mode              what was done: pair, grade or rank
    about             what is reported of it: the mode, or agree, validate or calibrate
    headline          the sentence a reader sees first
    warnings          [{code, text, value, limit}]
    ...               the facts of what is reported, see `judgecli.reports.<about>.facts`
    pairs             the pairs asked for with --only, see `judgecli.reports.pairs.facts`; null without it
    flags             {flag: items that carry it}
    notes             remarks made while reading
    header            the run file's header as it is

The rows are in the run file. Characters beyond ASCII are escaped, U+2028 among them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.reports.pairs import PairView
from judgecli.reports.pairs.facts import pair_facts
from judgecli.reports.wording import Document
from judgecli.reports.wording.plain import plain
from judgecli.reports.wording.setup import notes
from judgecli.types import RunRecord, Summary


def render(
    record: RunRecord,
    summary: Summary,
    document: Document,
    facts: Mapping[str, Any],
    pairs: Sequence[PairView] | None = None,
    **_layout: object,
) -> str:
    """Return the report as one JSON object."""
    listed = None if pairs is None else [pair_facts(view) for view in pairs]
    report = {**_report(record, summary, document, facts), "pairs": listed}
    return json.dumps(plain(report), indent=2, allow_nan=False) + "\n"


def _report(
    record: RunRecord, summary: Summary, document: Document, facts: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "report": "judgecli",
        "report_version": 1,
        "mode": record.header.get("mode", "pair"),
        "about": summary.about,
        "headline": str(document.headline),
        "warnings": _warnings(document),
        **facts,
        "flags": summary.flags,
        "notes": notes(record),
        "header": record.header,
    }


def _warnings(document: Document) -> list[dict[str, Any]]:
    return [
        {"code": caution.kind, "text": " ".join(sentences), "value": caution.value, "limit": caution.limit}
        for caution, sentences in document.warnings
    ]
