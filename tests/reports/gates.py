"""Gates made up by hand, for reports on them."""

from dataclasses import replace
from typing import Any

from judgecli.analysis import summarise_pairs
from judgecli.types import (
    FitnessCheck,
    FitnessName,
    Gate,
    GateCounts,
    GateDecision,
    GateKind,
    GateOptions,
    GatePower,
    GateReason,
    GateTest,
    PairSummary,
    ReasonKind,
    RunRecord,
)

REASONS = {
    GateDecision.PASS: ReasonKind.ABOVE,
    GateDecision.FAIL: ReasonKind.BELOW,
    GateDecision.INCONCLUSIVE: ReasonKind.UNDECIDED,
}
BOUNDS = {
    GateDecision.PASS: (0.55, 0.49, 0.61),
    GateDecision.FAIL: (0.30, 0.25, 0.36),
    GateDecision.INCONCLUSIVE: (0.48, 0.42, 0.54),
}


def gate(decision: GateDecision, **changes: Any) -> Gate:
    """Return the gate of 200 pairs that were to be no worse by 5 points."""
    theta, lower, upper = BOUNDS[decision]
    is_pass, is_fail = decision is GateDecision.PASS, decision is GateDecision.FAIL
    made = Gate(
        options=GateOptions(),
        decision=decision,
        reason=GateReason(kind=REASONS[decision], value=lower, limit=0.45),
        counts=GateCounts(n_win=90, n_tie=40, n_loss=70, n_judged=198, n_failed=1, n_open=0),
        test=GateTest(
            n=200,
            theta=theta,
            lower=lower,
            upper=upper,
            p_above=0.0008 if is_pass else 0.2,
            p_below=0.0004 if is_fail else 0.9,
            method="exact unconditional",
        ),
        alpha=0.05,
        fitness=(
            FitnessCheck(name=FitnessName.ITEMS, passed=True, value=200, limit=30, n=200),
            FitnessCheck(name=FitnessName.CONSISTENCY, passed=True, value=0.71, limit=0.6, n=198),
            FitnessCheck(name=FitnessName.GROUPS, passed=None, value=None, limit=8, n=0),
        ),
        power=GatePower(
            kind=GateKind.NO_WORSE,
            margin=0.05,
            alpha=0.05,
            power=0.8,
            truth=0.5,
            tie_rate=0.2,
            deff=1.0,
            n=200,
            n_needed=491,
            smallest_margin=0.078,
        ),
    )
    return replace(made, **changes)


def gated(run: RunRecord, decision: GateDecision, **changes: Any) -> PairSummary:
    """Return a run's summary with such a gate."""
    return replace(summarise_pairs(run), gate=gate(decision, **changes))
