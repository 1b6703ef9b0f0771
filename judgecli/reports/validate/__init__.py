"""What a report says about a judge that might stand in for an annotator."""

from __future__ import annotations

from judgecli.reports.validate.facts import facts
from judgecli.reports.validate.headline import cautions, headline
from judgecli.reports.validate.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import RunRecord, ValidationSummary

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: ValidationSummary) -> Document:
    """Return the report before it is laid out; nothing in it is a count to draw."""
    return Document(
        headline=headline(record, summary),
        warnings=tuple(cautions(summary)),
        bars=(),
        sections=tuple(sections(record, summary)),
    )
