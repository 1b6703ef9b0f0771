"""What a report says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.pair.gate_rows import gate_section
from judgecli.reports.pair.headline import judged
from judgecli.reports.pair.trust import adjusted_rows, effort_row, trust_rows
from judgecli.reports.wording.answers import incomplete, mass_phrases
from judgecli.reports.wording.cautions import MAX_FAILURES_LISTED, failed, failures, ruled
from judgecli.reports.wording.rows import (
    Row,
    Section,
    bare,
    breakdown,
    listed,
    p_value,
    percent,
    plural,
    row,
    section,
    with_interval,
)
from judgecli.reports.wording.seats import seat_rows
from judgecli.reports.wording.setup import IMAGE_NOT_SEEN, images, input_rows, part, setup_rows, stronger_name
from judgecli.types import DecidedBy, PairSummary, RunRecord, Split

_MAX_REMARKS = 8
# What a rule makes of a pair, from the candidate's side.
_RULED = {
    DecidedBy.EQUAL: "tie",
    DecidedBy.BOTH_EMPTY: "tie",
    DecidedBy.EMPTY_A: "win",
    DecidedBy.EMPTY_B: "loss",
}


def sections(record: RunRecord, summary: PairSummary) -> list[Section]:
    """Return everything a report says: who and with what, the result, its trust, the judge, the answers."""
    everything = [
        section("Setup", setup_rows(record.header, summary)),
        section("Result", _result(record, summary)),
        *((gate_section(summary.gate),) if summary.gate else ()),
        section("Trust", trust_rows(summary.trust) if summary.trust else ()),
        section("Judge", _judge(record, summary)),
        section("Answers", (*_answers(summary), *input_rows(record))),
    ]
    return [one for one in everything if one.rows]


def _result(record: RunRecord, summary: PairSummary) -> Iterator[Row | None]:
    rate, test = summary.win_rate, summary.sign_test
    if rate.value is None:
        return
    is_stopped = summary.gate is not None and summary.gate.stop is not None
    interval = rate.method if is_stopped else "95% Tango interval"
    yield row("win rate", with_interval(rate), interval, "a tie counts half", f"n={rate.n:,}")
    if test.value is None:
        yield row("sign test", test.method)
    else:
        decided = f"{summary.counts.n_win:,} won of {test.n:,} decided"
        yield row("sign test", f"{p_value(test.p_value)} (mid-p)", decided)
    if summary.counts.n_failed and summary.worst_case.low is not None and summary.worst_case.high is not None:
        bounds = f"{percent(summary.worst_case.low)} to {percent(summary.worst_case.high)}"
        yield row("worst case", bounds, "had every failed pair been lost, or won")
    given_text = part(record.header, "prompt").get("place") == "last"
    yield row("soft", *_soft(summary), "given the reasons it wrote" if given_text else None)
    if summary.adjusted:
        yield from adjusted_rows(summary.adjusted)
        yield from listed("on labels", summary.adjusted.notes, _MAX_REMARKS)
    for split in summary.by_reference:
        yield row(split.name.removesuffix(" reference") + " ref.", *_split(split))


def _soft(summary: PairSummary) -> tuple[str, ...]:
    rate = summary.soft.win_rate
    if rate.value is None:
        return (rate.method,)
    n_judged = summary.counts.n_verdicts - sum(summary.counts.without_judge.values())
    n = f"n={rate.n:,}" if rate.n == n_judged else f"of {plural(rate.n, 'pair')} with probabilities"
    return with_interval(rate), "mean probability for the candidate", "a tie counts half", n


def _split(part: Split) -> tuple[str, ...]:
    said = (with_interval(part.win_rate), f"n={part.win_rate.n:,}")
    if part.consistency.value is None:
        return said
    return (*said, f"consistent {with_interval(part.consistency)}")


def _judge(record: RunRecord, summary: PairSummary) -> Iterator[Row | None]:
    yield from seat_rows(summary.position)
    soft, stronger = summary.soft, stronger_name(record.header)
    yield row("mass", *mass_phrases(soft.mass, soft.p_unopened))
    yield row("", *mass_phrases(soft.stronger_mass, soft.stronger_p_unopened, judge=stronger))
    yield from map(effort_row, summary.effort)
    if summary.counts.n_failed:
        yield row("failed", failures(judged(summary.counts)))
        yield from listed("for example", failed(record.verdicts), MAX_FAILURES_LISTED)


def _answers(summary: PairSummary) -> Iterator[Row | None]:
    counts = summary.counts
    if counts.without_judge:
        n_ruled = sum(counts.without_judge.values())
        by_rule = ruled(judged(counts), _RULED)
        yield row("no judge", f"{plural(n_ruled, 'pair')} decided by rule: {by_rule}")
    yield row("lengths", *_lengths(summary))
    incomplete_a, incomplete_b = incomplete(summary.side_a), incomplete(summary.side_b)
    yield row(
        "incomplete",
        f"A: {incomplete_a}" if incomplete_a else None,
        f"B: {incomplete_b}" if incomplete_b else None,
    )
    yield images(summary.flags)
    yield row("flagged", breakdown((flag, n) for flag, n in summary.flags.items() if flag != IMAGE_NOT_SEEN))


def _lengths(summary: PairSummary) -> tuple[str | None, ...]:
    median_a, median_b = summary.side_a.median_characters, summary.side_b.median_characters
    if median_a is None or median_b is None:
        return ()
    longer, rho = summary.lengths.candidate_longer, summary.lengths.correlation
    return (
        f"median {median_a:,.0f} characters (A)",
        f"{median_b:,.0f} (B)",
        f"B longer in {bare(longer)} of pairs",
        None if rho.value is None else f"rank correlation with the verdict {rho.value:+.2f} (n={rho.n:,})",
        p_value(rho.p_value),
    )
