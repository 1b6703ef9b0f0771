"""Put all the statistics of a run together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from judgecli.analysis.cautions import about_mass, cautions, is_drawn
from judgecli.analysis.counts import count, count_flags, side
from judgecli.analysis.gate.gate import Decided, decide
from judgecli.analysis.judged import first_judge_verdicts
from judgecli.analysis.lengths import lengths
from judgecli.analysis.parts import part_of, split_by_category
from judgecli.analysis.position import position
from judgecli.analysis.soft import soft
from judgecli.analysis.trust.adjusted import about_labels, adjusted_of
from judgecli.analysis.trusted import (
    about_certification,
    effort_of,
    name_of_stronger_judge,
    settled,
    trust_of,
)
from judgecli.analysis.winrate import conclude, sign_test, sign_test_exact, win_rate, worst_case
from judgecli.types import (
    Caution,
    CautionKind,
    Conclusion,
    Estimate,
    Gate,
    GateOptions,
    Labels,
    Order,
    PairSummary,
    RunRecord,
    Split,
)

NO_REFERENCE = "no-reference"


def summary_of(record: RunRecord) -> PairSummary:
    """Return every number a report shows about a run.

    After an early stop they are about the pairs up to there.

    Raises:
        DataError: the gate in the run's header is none, or lacks a field of the items.
    """
    return _summarised(*_evidence(record, None))


def adjusted_summary_of(record: RunRecord, labels: Labels) -> PairSummary:
    """Return every number a report shows about a run of pairs, with what people's labels make of them.

    Raises:
        DataError: as for `summary_of` and `adjusted_of`.
    """
    record, decided = _evidence(record, labels)
    summary, adjusted = _summarised(record, decided), adjusted_of(record, labels)
    of_labels = about_labels(summary.conclusion, adjusted)
    return replace(summary, adjusted=adjusted, cautions=(*of_labels, *summary.cautions))


def _evidence(record: RunRecord, labels: Labels | None) -> tuple[RunRecord, Decided | None]:
    """Return what counts of a run, and its gate; `labels` are for the gate's sensitivity alone.

    How many pairs after an early stop are judged is chance, so they do not count.
    """
    options = GateOptions.recorded(record.header.get("gate"))
    if options is None:
        return record, None
    decided = decide(record, options, labels=labels)
    return record if decided.reached is None else record.only(decided.reached), decided


def _summarised(record: RunRecord, decided: Decided | None) -> PairSummary:
    gate, reached = (decided.gate, decided.reached) if decided else (None, None)
    is_stopped = reached is not None
    counts = count(record, record.verdicts, n_missing=record.n_missing)
    rate = win_rate(counts) if gate is None or gate.stop is None else _rate_at_the_stop(gate)
    seats = position(record, first_judge_verdicts(record))
    probabilities = soft(record)
    trust, stronger = trust_of(record), name_of_stronger_judge(record.header) or "the stronger judge"
    category_field, by_category = split_by_category(record, gate.options.by if gate else None)
    # order-dependent verdicts that a stronger judge settled pull the win rate nowhere
    consistency = settled(record) if record.first_verdicts else seats.consistency
    return PairSummary(
        conclusion=_conclusion(record, rate),
        cautions=(
            *cautions(record.header, counts, consistency, probabilities.mass),
            *about_mass(probabilities.stronger_mass, n=counts.n_verdicts, judge=stronger),
            *about_certification(trust),
            *(_about_missing(gate) if gate else ()),
        ),
        counts=counts,
        side_a=side(record, Order.AB),
        side_b=side(record, Order.BA),
        win_rate=rate,
        worst_case=worst_case(counts) if not is_stopped else _without("worst_case"),
        sign_test=sign_test(counts) if not is_stopped else _without("sign_test"),
        sign_exact=sign_test_exact(counts) if not is_stopped else _without("sign_test_exact"),
        position=seats,
        soft=probabilities,
        lengths=lengths(record),
        by_reference=split_by_reference(record),
        category_field=category_field,
        by_category=by_category,
        flags=count_flags(record),
        trust=trust,
        effort=effort_of(record),
        gate=gate,
        reached=reached,
        lacking=decided.lacking if decided else (),
    )


def _about_missing(gate: Gate) -> Iterator[Caution]:
    """Yield a caution for the pairs that only the gate counts, by the side that lacks them."""
    counts = gate.counts
    for name, n in (("candidate", counts.n_only_in_baseline), ("baseline", counts.n_only_in_candidate)):
        if n:
            yield Caution(kind=CautionKind.MISSING_ANSWERS, value=n, name=name)


def _conclusion(record: RunRecord, rate: Estimate) -> Conclusion:
    found = conclude(rate)
    is_compared = found is Conclusion.NO_VERDICTS or not is_drawn(record.header)
    return found if is_compared else Conclusion.NOT_COMPARED


def _rate_at_the_stop(gate: Gate) -> Estimate:
    """Return the win rate with the interval that holds however often one has looked."""
    ends = {"low": gate.lower, "high": gate.upper}
    return Estimate(name="win_rate", value=gate.theta, n=gate.counts.n, method=gate.test.bounds, **ends)


def _without(name: str) -> Estimate:
    return Estimate(name=name, value=None, n=0, method="none after an early stop")


def split_by_reference(record: RunRecord) -> tuple[Split, ...]:
    """Return the result with and without a reference; empty unless the run has both kinds of pairs."""
    without = {pair.id for pair in record.items if NO_REFERENCE in pair.flags}
    parts = {
        "with reference": tuple(v for v in record.verdicts if v.item_id not in without),
        "without reference": tuple(v for v in record.verdicts if v.item_id in without),
    }
    if not all(parts.values()):
        return ()
    return tuple(part_of(name, record, verdicts) for name, verdicts in parts.items())
