"""What a report says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording.headline import failures
from judgecli.reports.wording.rows import (
    Row,
    Section,
    breakdown,
    listed,
    p_value,
    percent,
    plural,
    points,
    row,
    section,
    shortened,
    with_interval,
)
from judgecli.reports.wording.setup import input_rows, setup_rows
from judgecli.types import DecidedBy, Estimate, RunRecord, Side, Soft, Split, Summary

# What a rule makes of a pair, from the candidate's side.
_RULED = {
    DecidedBy.EQUAL: "tie",
    DecidedBy.BOTH_EMPTY: "tie",
    DecidedBy.EMPTY_A: "win",
    DecidedBy.EMPTY_B: "loss",
}
_MAX_FAILURES_LISTED = 3
_MAX_DETAIL = 60


def sections(record: RunRecord, summary: Summary) -> list[Section]:
    """Return everything a report says: who and with what, the result, the judge, the answers."""
    everything = [
        section("Setup", setup_rows(record.header, summary)),
        section("Result", _result(summary)),
        section("Judge", _judge(record, summary)),
        section("Answers", (*_answers(summary), *input_rows(record))),
    ]
    return [part for part in everything if part.rows]


def _result(summary: Summary) -> Iterator[Row | None]:
    rate, test = summary.win_rate, summary.sign_test
    if rate.value is None:
        return
    yield row("win rate", with_interval(rate), "95% Tango interval", "a tie counts half", f"n={rate.n:,}")
    if test.value is None:
        yield row("sign test", test.method)
    else:
        decided = f"{summary.counts.n_win:,} won of {test.n:,} decided"
        yield row("sign test", f"{p_value(test.p_value)} (mid-p)", decided)
    if summary.counts.n_failed and summary.worst_case.low is not None and summary.worst_case.high is not None:
        bounds = f"{percent(summary.worst_case.low)} to {percent(summary.worst_case.high)}"
        yield row("worst case", bounds, "had every failed pair been lost, or won")
    yield row("soft", *_soft(summary.soft))
    for part in summary.by_reference:
        yield row(part.name.removesuffix(" reference") + " ref.", *_split(part))


def _soft(soft: Soft) -> tuple[str, ...]:
    if soft.win_rate.value is None:
        return (soft.win_rate.method,)
    rate = with_interval(soft.win_rate)
    return rate, "mean probability for the candidate", "a tie counts half", f"n={soft.win_rate.n:,}"


def _split(part: Split) -> tuple[str, ...]:
    said = (with_interval(part.win_rate), f"n={part.win_rate.n:,}")
    if part.consistency.value is None:
        return said
    return (*said, f"consistent {with_interval(part.consistency)}")


def _judge(record: RunRecord, summary: Summary) -> Iterator[Row | None]:
    seats = summary.position
    if seats.consistency.value is None:
        yield row("consistency", seats.consistency.method)
        yield row("lean", seats.lean.method)
    else:
        agreed = f"{with_interval(seats.consistency)} same verdict in both orders"
        yield row("consistency", agreed, f"n={seats.consistency.n:,}")
        yield row("lean", *_lean(seats.lean))
        first, second = _bare(seats.prefers_first), _bare(seats.prefers_second)
        yield row(
            "seats",
            f"{first} lean to the first",
            f"{second} to the second",
            f"{_bare(seats.hard_flips)} flip",
        )
        yield row(
            "one order", f"would have been off by {points(seats.effect.value or 0.0).lstrip('+-')} points"
        )
    yield row("mass", *_mass(summary.soft))
    if summary.counts.n_failed:
        yield row("failed", failures(summary.counts))
        yield from listed("for example", _failed_pairs(record), _MAX_FAILURES_LISTED)


def _lean(lean: Estimate) -> tuple[str | None, ...]:
    value, low, high = (points(number or 0.0) for number in (lean.value, lean.low, lean.high))
    return f"first seat {value} points [{low}, {high}]", p_value(lean.p_value)


def _bare(estimate: Estimate) -> str:
    return estimate.method if estimate.value is None else percent(estimate.value)


def _mass(soft: Soft) -> tuple[str | None, ...]:
    if soft.mass.value is None:
        return ()
    opened = soft.p_unopened.value
    return (
        f"{percent(soft.mass.value)} of the judge's probability is on verdicts (n={soft.mass.n:,})",
        None if opened is None else f"{percent(opened)} not followed to the end",
    )


def _failed_pairs(record: RunRecord) -> list[str]:
    said = []
    for verdict in record.verdicts:
        if verdict.failure is not None:
            detail = f" ({shortened(verdict.detail, _MAX_DETAIL)})" if verdict.detail else ""
            said.append(f"{verdict.pair_id}: {verdict.failure.replace('_', ' ')}{detail}")
    return said


def _answers(summary: Summary) -> Iterator[Row | None]:
    counts = summary.counts
    if counts.without_judge:
        ruled = breakdown((f"{reason} ({_RULED[reason]})", n) for reason, n in counts.without_judge.items())
        yield row(
            "no judge", f"{plural(sum(counts.without_judge.values()), 'pair')} decided by rule: {ruled}"
        )
    yield row("lengths", *_lengths(summary))
    yield row("incomplete", _incomplete("A", summary.side_a), _incomplete("B", summary.side_b))
    if summary.flags:
        yield row("flagged", breakdown(summary.flags.items()))


def _lengths(summary: Summary) -> tuple[str | None, ...]:
    median_a, median_b = summary.side_a.median_characters, summary.side_b.median_characters
    if median_a is None or median_b is None:
        return ()
    longer, rho = summary.lengths.candidate_longer, summary.lengths.correlation
    return (
        f"median {median_a:,.0f} characters (A)",
        f"{median_b:,.0f} (B)",
        f"B longer in {_bare(longer)} of pairs",
        None if rho.value is None else f"rank correlation with the verdict {rho.value:+.2f} (n={rho.n:,})",
        p_value(rho.p_value),
    )


def _incomplete(letter: str, side: Side) -> str | None:
    kinds = [
        ("empty", side.n_empty - side.n_thinking_only),
        ("only thinking", side.n_thinking_only),
        ("cut off", side.n_cut_off),
    ]
    found = breakdown((kind, n) for kind, n in kinds if n)
    return f"{letter}: {found}" if found else None
