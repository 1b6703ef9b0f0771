"""What a report says about a run of pairs."""

from __future__ import annotations

from judgecli.reports.pair.facts import facts
from judgecli.reports.pair.gate import ruling
from judgecli.reports.pair.headline import cautions, headline, outcomes
from judgecli.reports.pair.sections import sections
from judgecli.reports.pairs.kinds import KINDS, TONES
from judgecli.reports.wording import Bar, Document
from judgecli.types import PairSummary, RunRecord

__all__ = ["document", "facts"]


def document(record: RunRecord, summary: PairSummary) -> Document:
    """Return a run's report before it is laid out."""
    counted = outcomes(summary) if summary.counts.n_pairs else []
    return Document(
        headline=headline(summary),
        warnings=tuple(cautions(summary)),
        bars=tuple(
            Bar(name=name, n=n, kind=TONES.get(name, "failed"), filter=KINDS.get(name, name))
            for name, n in counted
        ),
        sections=tuple(sections(record, summary)),
        ruling=ruling(summary.gate) if summary.gate else None,
    )
