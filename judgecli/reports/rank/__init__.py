"""What a report says about a ranking."""

from __future__ import annotations

from judgecli.reports.rank.facts import facts
from judgecli.reports.rank.headline import cautions, headline
from judgecli.reports.rank.outcomes import bars
from judgecli.reports.rank.sections import sections
from judgecli.reports.wording import Document
from judgecli.types import RankSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: RankSummary) -> Document:
    """Return a ranking's report before it is laid out."""
    return Document(
        headline=headline(summary),
        warnings=tuple(cautions(summary)),
        bars=tuple(bars(summary)) if summary.counts.n_compared else (),
        sections=tuple(sections(record, summary)),
    )
