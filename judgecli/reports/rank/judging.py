"""What a ranking's report says about the judge: is it consistent, what do the seats do, what failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from judgecli.reports.rank.names import judged, number
from judgecli.reports.wording.answers import mass_phrases
from judgecli.reports.wording.cautions import MAX_FAILURES_LISTED, failed, failures
from judgecli.reports.wording.rows import (
    Row,
    bare,
    listed,
    p_value,
    plural,
    points_with_interval,
    row,
    with_interval,
)
from judgecli.types import JointResult, Position, RankSummary, RunRecord, SeatEffect


def judge_facts(record: RunRecord, summary: RankSummary) -> Iterator[Row | None]:
    """Yield the rows about the judge."""
    if summary.pairs is not None:
        yield from _position(summary.pairs.position)
    if summary.joint is not None:
        yield from _seats(summary.joint)
    yield row("mass", *mass_phrases(summary.mass, summary.p_unopened))
    if summary.counts.n_failed:
        judgments = f"in {plural(summary.counts.n_failed_judgments, 'judgment')}"
        yield row("failed", failures(judged(summary)), judgments)
        outcomes = (
            replace(one, item_id=f"{one.item_id} in order {one.order}") for one in record.judgments.values()
        )
        yield from listed("for example", failed(outcomes), MAX_FAILURES_LISTED)


def _position(seats: Position) -> Iterator[Row | None]:
    if seats.consistency.value is None:
        yield row("consistency", seats.consistency.method)
        return
    compared = sum(map(sum, seats.table or ()))
    agreed = f"{with_interval(seats.consistency)} same verdict in both orders"
    yield row("consistency", agreed, f"n={seats.consistency.n:,} items", plural(compared, "comparison"))
    yield row("lean", f"first seat {points_with_interval(seats.lean)}")
    yield row(
        "seats",
        f"{bare(seats.prefers_first)} lean to the first",
        f"{bare(seats.prefers_second)} to the second",
        f"{bare(seats.hard_flips)} opposite",
    )


def _seats(result: JointResult) -> Iterator[Row | None]:
    test = result.seat_test
    if test.value is None:
        yield row("seats", test.method)
        return
    effect = f"they move a score by up to {test.value:.2f}"
    yield row("seats", effect, f"{p_value(test.p_value)} (permutation test)", f"n={test.n:,}")
    for one in result.seats:
        yield row(f"seat {one.seat}", f"mean {number(one.mean, 2)}", _effect(one))


def _effect(one: SeatEffect) -> str:
    value, low, high = one.effect.value or 0.0, one.effect.low, one.effect.high
    interval = "" if low is None or high is None else f" [{low:+.2f}, {high:+.2f}]"
    return f"effect {value + 0.0:+.2f}{interval}"
