"""What a report says about a run that grades one answer at a time."""

from __future__ import annotations

from judgecli.reports.grade.facts import facts
from judgecli.reports.grade.headline import bars, cautions, headline
from judgecli.reports.grade.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import GradeSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: GradeSummary) -> Document:
    """Return a run's report before it is laid out; its bars are the histogram."""
    return Document(
        headline=headline(summary),
        warnings=tuple(cautions(summary)),
        bars=tuple(bars(summary)),
        sections=tuple(sections(record, summary)),
    )
