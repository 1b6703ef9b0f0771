"""The few numbers that stand out below the headline of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from judgecli.reports.html.svg import interval_axis
from judgecli.reports.wording.rows import percent, points
from judgecli.types import Estimate, PairSummary, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyNumber:
    """A number, what it is, and a line below it; `value` is a dash where there is none."""

    name: str
    value: str
    note: str
    drawing: Markup | None = None


def key_numbers(summary: Summary) -> list[KeyNumber]:
    """Return the numbers to show large; none but for runs of pairs."""
    return list(_of_pairs(summary)) if isinstance(summary, PairSummary) else []


def _of_pairs(summary: PairSummary) -> Iterator[KeyNumber]:
    rate, seats, counts = summary.win_rate, summary.position, summary.counts
    yield _share("win rate of the candidate", rate, draws=True)
    yield _share("same verdict in both orders", seats.consistency)
    lean = seats.lean
    yield KeyNumber(
        name="lean to the first seat",
        value="-" if lean.value is None else points(lean.value),
        note=f"points{_interval(lean)}" if lean.value is not None else lean.method,
    )
    longer, rho = summary.lengths.candidate_longer, summary.lengths.correlation
    related = "" if rho.value is None else f"; correlation with the verdict {rho.value:+.2f}"
    yield KeyNumber(
        name="candidate longer",
        value="-" if longer.value is None else percent(longer.value),
        note=f"of pairs{related}",
    )
    yield KeyNumber(
        name="failed",
        value=f"{counts.n_failed:,}",
        note=f"of {counts.n_pairs:,} pairs" + (f", {counts.n_open:,} open" if counts.n_open else ""),
    )


def _share(name: str, estimate: Estimate, *, draws: bool = False) -> KeyNumber:
    if estimate.value is None:
        return KeyNumber(name=name, value="-", note=estimate.method)
    drawing = interval_axis(estimate.value, estimate.low, estimate.high) if draws else None
    note = f"n={estimate.n:,}"
    if estimate.low is not None and estimate.high is not None:
        note = f"{100 * estimate.low:.1f} to {100 * estimate.high:.1f}, {note}"
    return KeyNumber(name=name, value=percent(estimate.value), note=note, drawing=drawing)


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f", {points(estimate.low)} to {points(estimate.high)}"
