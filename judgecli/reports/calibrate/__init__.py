"""What a report says about fitting a calibration."""

from __future__ import annotations

from judgecli.reports.calibrate.facts import facts
from judgecli.reports.calibrate.headline import cautions, headline
from judgecli.reports.calibrate.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import CalibrationSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: CalibrationSummary) -> Document:
    """Return the report before it is laid out; its steps are a table."""
    return Document(
        headline=headline(record, summary),
        warnings=tuple(cautions(summary)),
        bars=(),
        sections=tuple(sections(record, summary)),
    )
