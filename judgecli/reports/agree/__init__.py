"""What a report says about the agreement of a judge with people."""

from __future__ import annotations

from judgecli.reports.agree.facts import facts
from judgecli.reports.agree.headline import cautions, headline
from judgecli.reports.agree.outcomes import bars
from judgecli.reports.agree.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import AgreementSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: AgreementSummary) -> Document:
    """Return the report before it is laid out; its bars are in what judge and people differ."""
    return Document(
        headline=headline(record, summary),
        warnings=tuple(cautions(summary)),
        bars=tuple(bars(summary)),
        sections=tuple(sections(record, summary)),
    )
