"""What is said of the seats: how often the judge agrees with itself, and which seat it prefers."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording.rows import Row, bare, p_value, points, points_with_interval, row, with_interval
from judgecli.types import Estimate, Position


def seat_rows(seats: Position) -> Iterator[Row | None]:
    """Say what exchanging the seats did to the verdicts, or why that is not known."""
    if seats.consistency.value is None:
        yield row("consistency", seats.consistency.method)
        yield row("lean", seats.lean.method)
        return
    agreed = f"{with_interval(seats.consistency)} same verdict in both orders"
    yield row("consistency", agreed, f"n={seats.consistency.n:,}")
    yield row("lean", *_lean(seats.lean))
    yield row(
        "seats",
        f"{bare(seats.prefers_first)} lean to the first",
        f"{bare(seats.prefers_second)} to the second",
        f"{bare(seats.hard_flips)} opposite",
    )
    off_by = points(seats.effect.value or 0.0).lstrip("+-")
    yield row("one order", f"would have been off by {off_by} points")


def _lean(lean: Estimate) -> tuple[str | None, ...]:
    return f"first seat {points_with_interval(lean)}", p_value(lean.p_value)
