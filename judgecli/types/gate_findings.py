"""Nouns of the merge gate: what it finds beside its test, each on its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from judgecli.types.answers import Item
from judgecli.types.gate_options import GateDecision
from judgecli.types.judgments import Winner


class FitnessName(StrEnum):
    """What a judge, and the run, must come up to before a gate can pass or fail."""

    JUDGED = "judged"  # at least one pair is the judge's
    COMPLETE = "complete"  # no pair is left open
    ITEMS = "items"
    GROUPS = "groups"
    FAILURES = "failures"
    CONSISTENCY = "consistency"
    CONTROL = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class FitnessCheck:
    """One thing that was checked: the number over `n`, and its limit.

    `passed` None: it does not apply (no seats, no groups) or was left out (`--control 0`). A number of None
    was not measured, and does not pass.
    """

    name: FitnessName
    passed: bool | None
    value: float | None
    limit: float
    n: int


class ControlKind(StrEnum):
    """How an answer was degraded for the control."""

    QUARTER = "quarter"  # cut to a quarter of its characters
    OTHER_ANSWER = "other answer"  # another item's answer, of the nearest length


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlItem:
    """An answer against its own degraded copy. `degraded` is the side of the copy, `of` the item's own id."""

    item: Item
    of: str
    kind: ControlKind
    degraded: Winner
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlCounts:
    """What became of control items: a win is the whole answer's. Of a kind, or of all where it is None."""

    n_win: int
    n_tie: int
    n_loss: int
    kind: ControlKind | None = None
    lower: float | None = None

    @property
    def n(self) -> int:
        """Control items with a verdict."""
        return self.n_win + self.n_tie + self.n_loss

    @property
    def theta(self) -> float | None:
        """How often the whole answer wins, a tie half; None for n = 0."""
        return (self.n_win + self.n_tie / 2) / self.n if self.n else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlResult:
    """Whether the judge tells an answer from its own degraded copy.

    `bound` is the one-sided 95% bound with each failure a loss, and must come up to `level`; that of each of
    `kinds` must be over one half if it has five or more, so that a mere taste for length does not pass.
    `counts` leave failures out.
    """

    counts: ControlCounts
    bound: float | None
    kinds: tuple[ControlCounts, ...]
    n_failed: int
    n_open: int
    level: float
    passed: bool


class SensitivityName(StrEnum):
    """Another way to look at the same pairs."""

    AVERAGED = "averaged orders"
    SOFT = "soft"
    DECIDED = "decided only"
    LENGTH_MATCHED = "length-matched"
    HUMAN_ADJUSTED = "human-adjusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitivityLine:
    """What the gate would say of other numbers. It never decides.

    `flips` where it decides something else than the gate, or where the gate decided and this win rate is on
    the other side of the threshold.
    """

    name: SensitivityName
    decision: GateDecision
    theta: float
    lower: float
    upper: float
    n: int
    method: str
    flips: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePart:
    """A part of the pairs, by the value of a field.

    `p_value` is uncorrected: each part must pass at alpha. `holm_p` is that of being worse than allowed,
    corrected for all parts after Holm; it makes the part `regressed`, and fails it. `n_failed` pairs have no
    outcome: where they are more than the gate allows, `p_value` takes each to be lost. `pooled` are the
    values that went into "other", and `filled_with` those that fill it up and are parts themselves too.
    `n_groups` is None where pairs are not grouped.
    """

    name: str
    n: int
    decision: GateDecision
    theta: float | None
    lower: float | None
    upper: float | None
    p_value: float | None
    holm_p: float | None
    regressed: bool
    n_failed: int = 0
    n_groups: int | None = None
    pooled: tuple[str, ...] = ()
    filled_with: tuple[str, ...] = ()


class StopReason(StrEnum):
    """Why a run stopped before its last pair."""

    BETTING = "betting"  # the e-value came up to its limit
    CURTAILMENT = "curtailment"  # no outcome of the pairs that were left could change the test's


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRecord:
    """Where and why a run stopped: after `unit` of `n_planned` units (items, or whole groups), 1-based.

    `n` of these units have a value. `e_value` is the greatest so far on the side of the decision, and `limit`
    what it had to come up to. A curtailed run has `p_value`, that of the completion which speaks most against
    the decision.
    """

    unit: int
    n_planned: int
    n: int
    decision: GateDecision
    reason: StopReason
    e_value: float
    limit: float
    p_value: float | None = None
