"""What a report says about the difference between two runs."""

from __future__ import annotations

from judgecli.reports.diff.facts import facts
from judgecli.reports.diff.headline import bars, cautions, headline
from judgecli.reports.diff.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import DiffSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: DiffSummary) -> Document:
    """Return the report before it is laid out; `record` is the second run."""
    return Document(
        headline=headline(summary),
        warnings=tuple(cautions(summary)),
        bars=tuple(bars(summary)),
        sections=tuple(sections(record, summary)),
    )
