"""What is said of confidences: which of them puts the judge's errors last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgecli.reports.wording.rows import Row, row
from judgecli.types import AgreementSummary, ErrorRanking, Estimate


def ranking_rows(summary: AgreementSummary) -> Iterator[Row | None]:
    """Yield the area under the risk-coverage curve of each confidence, and which one's is lower."""
    rankings = summary.rankings
    if not rankings:
        return
    areas = (f"{one.kind} {_area(one.aurc)}" for one in rankings)
    yield row("confidence", *areas, _random(rankings[0]), f"n={rankings[0].aurc.n:,}")
    yield row("", "area under the risk-coverage curve", "less is better")
    yield row("", _better(rankings))


def _area(aurc: Estimate) -> str:
    if aurc.value is None:
        return aurc.method
    if aurc.low is None or aurc.high is None:
        return f"{aurc.value:.3f}"
    return f"{aurc.value:.3f} [{aurc.low:.3f}, {aurc.high:.3f}]"


def _random(one: ErrorRanking) -> str | None:
    return None if one.random is None else f"{one.random:.3f} in any order"


def _better(rankings: Sequence[ErrorRanking]) -> str | None:
    known = sorted(
        (one for one in rankings if one.aurc.value is not None), key=lambda one: one.aurc.value or 0.0
    )
    if len(known) < 2:
        return None
    best, second = known[:2]
    if best.aurc.value == second.aurc.value:
        return "neither ranks errors better"
    overlap = "and the intervals do not" if _are_apart(best.aurc, second.aurc) else "though the intervals"
    return f"{best.kind} ranks errors better here, {overlap} overlap"


def _are_apart(lower: Estimate, higher: Estimate) -> bool:
    return lower.high is not None and higher.low is not None and lower.high < higher.low
