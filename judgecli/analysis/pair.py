"""Put all the statistics of a run together."""

from __future__ import annotations

from judgecli.analysis.cautions import cautions
from judgecli.analysis.counts import count, count_flags, side
from judgecli.analysis.lengths import lengths
from judgecli.analysis.position import position
from judgecli.analysis.soft import soft
from judgecli.analysis.trusted import about_certification, effort_of, settled, trust_of
from judgecli.analysis.winrate import sign_test, sign_test_exact, win_rate, worst_case
from judgecli.types import Conclusion, Estimate, Order, PairSummary, RunRecord, Split, Verdict

NO_REFERENCE = "no-reference"


def summary_of(record: RunRecord) -> PairSummary:
    """Return every number a report shows about a run."""
    counts = count(record, record.verdicts, n_missing=record.n_missing)
    rate = win_rate(counts)
    seats = position(record, tuple(record.first_verdicts.values()) or record.verdicts)
    probabilities = soft(record)
    trust = trust_of(record)
    # order-dependent verdicts that a stronger judge settled pull the win rate nowhere
    consistency = settled(record) if record.first_verdicts else seats.consistency
    return PairSummary(
        conclusion=conclude(rate),
        cautions=(
            *cautions(record.header, counts, consistency, probabilities.mass),
            *about_certification(trust),
        ),
        counts=counts,
        side_a=side(record, Order.AB),
        side_b=side(record, Order.BA),
        win_rate=rate,
        worst_case=worst_case(counts),
        sign_test=sign_test(counts),
        sign_exact=sign_test_exact(counts),
        position=seats,
        soft=probabilities,
        lengths=lengths(record),
        by_reference=split_by_reference(record),
        flags=count_flags(record),
        trust=trust,
        effort=effort_of(record),
    )


def conclude(rate: Estimate) -> Conclusion:
    """Name the better model if the win rate's interval leaves out 50%."""
    if rate.low is None or rate.high is None:
        return Conclusion.NO_VERDICTS
    if rate.low > 0.5:
        return Conclusion.CANDIDATE_BETTER
    if rate.high < 0.5:
        return Conclusion.BASELINE_BETTER
    return Conclusion.NO_DIFFERENCE


def split_by_reference(record: RunRecord) -> tuple[Split, ...]:
    """Return the result with and without a reference; empty unless the run has both kinds of pairs."""
    without = {pair.id for pair in record.items if NO_REFERENCE in pair.flags}
    parts = {
        "with reference": tuple(v for v in record.verdicts if v.item_id not in without),
        "without reference": tuple(v for v in record.verdicts if v.item_id in without),
    }
    if not all(parts.values()):
        return ()
    return tuple(_split(name, record, verdicts) for name, verdicts in parts.items())


def _split(name: str, record: RunRecord, verdicts: tuple[Verdict, ...]) -> Split:
    counts = count(record, verdicts)
    consistency = position(record, verdicts).consistency
    return Split(name=name, counts=counts, win_rate=win_rate(counts), consistency=consistency)
