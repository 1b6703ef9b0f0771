"""Put a gate's decision together.

In this order: enough pairs and groups, few failures, consistency, the control; then the test of the win rate;
then what other numbers on the same pairs would say, which warns and never decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from judgecli.analysis.gate.betting import confidence_sequence
from judgecli.analysis.gate.control import control_of
from judgecli.analysis.gate.controls import split_control
from judgecli.analysis.gate.evidence import Presence, planned_of
from judgecli.analysis.gate.fitness import fitness_of
from judgecli.analysis.gate.parts import parts_of
from judgecli.analysis.gate.power import power_of
from judgecli.analysis.gate.sensitivity import sensitivity_of
from judgecli.analysis.gate.sequential import EarlyStop, Watch
from judgecli.analysis.gate.view import View
from judgecli.types import (
    FitnessCheck,
    Gate,
    GateCounts,
    GateDecision,
    GateKind,
    GateOptions,
    GatePart,
    GatePower,
    GateReason,
    GateTest,
    Labels,
    ReasonKind,
    RunRecord,
    SensitivityLine,
    StopReason,
    StopRecord,
)


@dataclass(frozen=True, slots=True)
class Decided:
    """A gate, and the ids of the pairs up to an early stop, its only evidence; None where it did not stop.

    `lacking` are the ids without the candidate's answer that are among the evidence, each of them lost.
    """

    gate: Gate
    reached: frozenset[str] | None
    lacking: tuple[str, ...]


def gate_of(record: RunRecord, options: GateOptions, *, labels: Labels | None = None) -> Gate:
    """Return the gate of `decide` alone."""
    return decide(record, options, labels=labels).gate


def decide(record: RunRecord, options: GateOptions, *, labels: Labels | None = None) -> Decided:
    """Decide about the candidate of a run of pairs, control items among them.

    An unfit judge makes the gate inconclusive, unless the candidate is worse whatever the judge says. With
    early stopping the evidence is taken again in its order, and what came after the stop is left out.

    Raises:
        DataError: an item lacks the field of `group` or `by`.
    """
    run, control_run = split_control(record)
    watched = _watched(run, options)
    view = _view(run, options, watched)
    stop = watched.stop.stopped if watched else None
    counts = view.counts()
    test = view.test() if watched is None or stop is None else _stopped_test(watched.stop, stop, counts.n)
    control = control_of(control_run, options.control_level) if options.control else None
    fitness = fitness_of(view, counts, control)
    parts = parts_of(view, options.by) if options.by is not None and counts.n else ()
    whole = stop.decision if stop else test.decide(options.final_alpha)
    decision, reason = _decide(view, test, whole, fitness, parts)
    gate = Gate(
        options=options,
        decision=decision,
        reason=reason,
        counts=counts,
        test=test,
        alpha=options.final_alpha
        if stop is None or stop.reason is StopReason.CURTAILMENT
        else options.sequential_alpha,
        fitness=fitness,
        power=_power(options, counts, test, decision),
        control=control,
        sensitivity=_sensitivity(view, whole, reason, labels) if counts.n else (),
        parts=parts,
        stop=stop,
    )
    ids = frozenset(pair.id for pair in view.pairs if pair.item)
    lacking = tuple(pair.id for pair in view.pairs if pair.presence is Presence.ONLY_IN_BASELINE)
    return Decided(gate, None if stop is None else ids, lacking)


def _sensitivity(
    view: View, decision: GateDecision, reason: GateReason, labels: Labels | None
) -> tuple[SensitivityLine, ...]:
    """Return what other numbers say of all pairs; if the judge is not fit they could flip no decision."""
    lines = sensitivity_of(view, decision, labels)
    if reason.kind is not ReasonKind.UNFIT:
        return lines
    return tuple(replace(line, flips=False) for line in lines)


def _watched(run: RunRecord, options: GateOptions) -> Watch | None:
    """Return the run as it was watched; None unless it may stop early and all its pairs are known."""
    if not options.early_stop or run.n_missing:
        return None
    watch = Watch(planned_of(run), options)
    watch.add_all(run.verdicts)
    return watch


def _view(run: RunRecord, options: GateOptions, watched: Watch | None) -> View:
    """Return the pairs up to an early stop, or all."""
    pairs = planned_of(run)
    if watched is None or watched.stop.stopped is None:
        return View.of(run, options, pairs)
    reached = [pair for unit in watched.units[: watched.stop.stopped.unit] for pair in unit]
    return View.of(run, options, reached, n_left_out=len(pairs) - len(reached))


def _stopped_test(evidence: EarlyStop, stop: StopRecord, n: int) -> GateTest:
    """Return what the bets say at a stop, with their confidence sequence, or the curtailed test's p-value."""
    alpha = evidence.options.sequential_alpha
    lower, upper = confidence_sequence(evidence.values, alpha, evidence.weights)
    p_above, p_below, method = evidence.p_above, evidence.p_below, "betting, valid at any time"
    ends = f"{1 - 2 * alpha:.0%} confidence sequence"
    if stop.reason is StopReason.CURTAILMENT:
        ends += ", wider than the test that decided"
        p_above, p_below, method = stop.p_value or 0.0, stop.p_value or 0.0, "curtailed test of all pairs"
    return GateTest(
        n=n,
        theta=fmean(evidence.values, evidence.weights),
        lower=lower,
        upper=upper,
        p_above=p_above,
        p_below=p_below,
        method=method,
        bounds=ends,
        n_groups=None if evidence.options.group is None else stop.n,
    )


def _decide(
    view: View,
    test: GateTest,
    whole: GateDecision,
    fitness: Sequence[FitnessCheck],
    parts: Sequence[GatePart],
) -> tuple[GateDecision, GateReason]:
    unfit = next((check for check in fitness if check.passed is False), None)
    if unfit is not None:
        return _unfit(view, unfit)
    threshold = view.options.threshold
    if whole is GateDecision.FAIL:
        return whole, GateReason(kind=ReasonKind.BELOW, value=test.upper, limit=threshold)
    blocking = _blocking(parts)
    if blocking is not None and blocking.decision is GateDecision.FAIL:
        kind = ReasonKind.PART_BELOW
        reason = GateReason(kind=kind, value=blocking.upper, limit=threshold, name=blocking.name)
        return GateDecision.FAIL, reason
    if whole is GateDecision.INCONCLUSIVE:
        return whole, GateReason(kind=ReasonKind.UNDECIDED, value=test.lower, limit=threshold)
    if blocking is not None:
        kind = ReasonKind.PART_UNDECIDED
        reason = GateReason(kind=kind, value=blocking.lower, limit=threshold, name=blocking.name)
        return GateDecision.INCONCLUSIVE, reason
    return whole, GateReason(kind=ReasonKind.ABOVE, value=test.lower, limit=threshold)


def _unfit(view: View, unfit: FitnessCheck) -> tuple[GateDecision, GateReason]:
    """Fail a candidate that would be worse even if the judge were for it in every pair; else say nothing."""
    best = view.test_without_judge()
    is_whole = not view.n_missing and not view.n_left_out and best.n >= view.options.min_items
    has_groups = best.has_groups(view.options.min_groups)
    if is_whole and has_groups and best.decide(view.options.final_alpha) is GateDecision.FAIL:
        kind, limit = ReasonKind.BELOW_WITHOUT_JUDGE, view.options.threshold
        return GateDecision.FAIL, GateReason(kind=kind, value=best.upper, limit=limit)
    reason = GateReason(kind=ReasonKind.UNFIT, value=unfit.value, limit=unfit.limit, name=unfit.name)
    return GateDecision.INCONCLUSIVE, reason


def _blocking(parts: Sequence[GatePart]) -> GatePart | None:
    """Return the part that keeps the gate from passing: one that regressed, else one that is undecided."""
    in_the_way = [part for part in parts if part.decision is not GateDecision.PASS]
    return min(in_the_way, key=lambda part: (not part.regressed, part.theta or 0.0), default=None)


def _power(options: GateOptions, counts: GateCounts, test: GateTest, decision: GateDecision) -> GatePower:
    """Return what it would take if the models are equal; to be better, if the win rate is what was seen.

    So it is too where the pairs did not decide, and the candidate looks better than equal, or equal models
    would not have needed more.
    """

    def planned(truth: float) -> GatePower:
        return power_of(
            options.kind,
            options.margin,
            tie_rate=counts.n_tie / counts.n if counts.n else 0.0,
            n=counts.n,
            truth=truth,
            alpha=options.final_alpha,
            min_items=options.min_items,
            deff=max(test.deff, 1.0),
        )

    observed = 0.5 if test.theta is None else test.theta
    if options.kind is GateKind.BETTER:
        return planned(observed)
    power = planned(0.5)
    is_undecided = decision is GateDecision.INCONCLUSIVE
    return planned(observed) if is_undecided and (observed > 0.5 or power.n_more == 0) else power
