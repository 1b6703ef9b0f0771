"""Nouns of the merge gate: its test, its decision, and everything that a report says of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judgecli.types.gate_findings import (
    ControlResult,
    FitnessCheck,
    GatePart,
    SensitivityLine,
    StopRecord,
)
from judgecli.types.gate_options import GateDecision, GateKind, GateOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTest:
    """A win rate tested against a threshold from both sides.

    `p_above` is the p-value of the hypothesis that the win rate is at or under the threshold, `p_below` that
    it is at or over it. `lower` and `upper` are bounds for display, and `bounds` says of which level. `n`
    counts items; all are None for n = 0, and `method` says why. `deff` is the design effect of groups.
    """

    n: int
    theta: float | None
    lower: float | None
    upper: float | None
    p_above: float | None
    p_below: float | None
    method: str
    bounds: str = "each bound one-sided, 95%"
    deff: float = 1.0
    n_groups: int | None = None

    def has_groups(self, least: int) -> bool:
        """Return whether there are at least so many groups; so it is where items are not grouped."""
        return self.n_groups is None or self.n_groups >= least

    def decide(self, alpha: float) -> GateDecision:
        """Return what the test says at a level; nothing for n = 0."""
        if self.p_above is not None and self.p_above <= alpha:
            return GateDecision.PASS
        if self.p_below is not None and self.p_below <= alpha:
            return GateDecision.FAIL
        return GateDecision.INCONCLUSIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCounts:
    """What became of the planned pairs that the gate looks at; a win is the candidate's.

    A pair whose answer is missing only in the candidate's file is a loss, one that is missing only in the
    baseline's a failure: `n_loss` and `n_invalid` count them. `n_judged` pairs have the judge's verdict,
    others a rule's. After an early stop it is the pairs up to there, and `n_left_out` those after it.
    """

    n_win: int
    n_tie: int
    n_loss: int
    n_judged: int
    n_failed: int
    n_open: int
    n_only_in_baseline: int = 0
    n_only_in_candidate: int = 0
    n_left_out: int = 0

    @property
    def n(self) -> int:
        """Pairs with a winner or a tie."""
        return self.n_win + self.n_tie + self.n_loss

    @property
    def n_planned(self) -> int:
        """All pairs that were to be compared, up to an early stop."""
        return self.n + self.n_invalid + self.n_open

    @property
    def n_invalid(self) -> int:
        """All failures: the judge's, and answers that only the candidate has."""
        return self.n_failed + self.n_only_in_candidate

    @property
    def invalid_share(self) -> float | None:
        """All failures over all planned pairs; None without any."""
        return self.n_invalid / self.n_planned if self.n_planned else None


class ReasonKind(StrEnum):
    """The one thing that a gate's decision rests on."""

    ABOVE = "above the threshold"  # PASS
    BELOW = "below the threshold"  # FAIL
    BELOW_WITHOUT_JUDGE = "below the threshold whatever the judge says"  # FAIL
    PART_BELOW = "a part below the threshold"  # FAIL
    UNDECIDED = "the evidence does not decide"  # INCONCLUSIVE, as are those that follow
    PART_UNDECIDED = "a part that the evidence does not decide"
    UNFIT = "a check that did not pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReason:
    """Why a gate decided so: the number, the limit it was held against, and of which check or part."""

    kind: ReasonKind
    value: float | None = None
    limit: float | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePower:
    """What could be proved, if the models are equal or as `truth` says, with ties as often as `tie_rate`.

    `n_needed` pairs prove what is asked with probability `power`; None where no number does. With the `n` at
    hand, `smallest_margin` is the least margin that could be proved so, and for a gate that asks for better
    `smallest_win_rate` the least true win rate; None where n is less than a gate takes, and where none can.
    """

    kind: GateKind
    margin: float
    alpha: float
    power: float
    truth: float
    tie_rate: float
    deff: float
    n: int | None
    n_needed: int | None
    smallest_margin: float | None
    smallest_win_rate: float | None = None

    @property
    def n_more(self) -> int | None:
        """How many pairs more than `n` are needed; None where no number is."""
        if self.n_needed is None or self.n is None:
            return None
        return max(0, self.n_needed - self.n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A gate's decision and all that it rests on.

    `test` is that of the pairs: its p-value at or under `alpha` passes or fails. After a stop by betting its
    bounds are a confidence sequence, and `stop` decides. `power` says what more it would take. `sensitivity`
    and `parts` are empty where they were not asked for or there is no test.
    """

    options: GateOptions
    decision: GateDecision
    reason: GateReason
    counts: GateCounts
    test: GateTest
    alpha: float
    fitness: tuple[FitnessCheck, ...]
    power: GatePower
    control: ControlResult | None = None
    sensitivity: tuple[SensitivityLine, ...] = ()
    parts: tuple[GatePart, ...] = ()
    stop: StopRecord | None = None

    @property
    def threshold(self) -> float:
        """The win rate that has to be surpassed."""
        return self.options.threshold

    @property
    def theta(self) -> float | None:
        """The candidate's win rate, a tie half; None without verdicts."""
        return self.test.theta

    @property
    def lower(self) -> float | None:
        """The one-sided lower bound of the win rate, for display."""
        return self.test.lower

    @property
    def upper(self) -> float | None:
        """The one-sided upper bound of the win rate, for display."""
        return self.test.upper

    @property
    def p_value(self) -> float | None:
        """The p-value that decides: of being above the threshold, and for a FAIL of being below it."""
        return self.test.p_below if self.decision is GateDecision.FAIL else self.test.p_above

    @property
    def is_fit(self) -> bool:
        """Whether no check failed."""
        return all(check.passed is not False for check in self.fitness)

    @property
    def is_worse_within_margin(self) -> bool:
        """Whether a candidate that passes is shown to be worse all the same."""
        return self.decision is GateDecision.PASS and self.upper is not None and self.upper < 0.5

    @property
    def is_better(self) -> bool:
        """Whether a candidate that passes is shown to be better."""
        return self.decision is GateDecision.PASS and self.lower is not None and self.lower > 0.5

    @property
    def regressed(self) -> tuple[str, ...]:
        """The names of the parts that regressed."""
        return tuple(part.name for part in self.parts if part.regressed)
