"""Stopping a run early, on evidence that is taken in the seeded order, whatever order it comes in.

A fifth of alpha goes into two bets, one that the win rate is over the threshold and one that it is under it;
the rest is left for the test of all pairs. That test is curtailed: once no outcome of the pairs that are left
can change what the gate says, they need not be judged. By group the units are whole groups with their mean,
each bet on by its share of the largest group, since it is the win rate of the pairs that is asked about;
nothing is curtailed, since what a group may still say has no such simple extremes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, log

from judgecli.analysis.gate.betting import Bets, Capital
from judgecli.analysis.gate.evidence import Outcome, PlannedPair, in_units, outcome_of
from judgecli.analysis.gate.exact import p_above, rejection
from judgecli.types import GateDecision, GateOptions, StopReason, StopRecord, Verdict


@dataclass(slots=True)
class EarlyStop:
    """Evidence unit by unit, and whether it is enough. `sizes` are the pairs of each unit, in their order.

    A unit is given by its index. What arrives before its turn waits, so the answer depends on the order of
    the units alone. Once it has stopped, nothing more is taken in. A stop waits until there are as many pairs
    and groups as the gate needs, and consistency and failures are within its limits; waiting adds no error,
    because a bet that was won once stays won.
    """

    options: GateOptions
    sizes: Sequence[int]
    stopped: StopRecord | None = None
    values: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    n_taken: int = 0
    _waiting: dict[int, tuple[Outcome, ...]] = field(default_factory=dict)
    _largest: int = field(init=False)
    _bets: Bets = field(init=False)
    _above: Capital = field(init=False)
    _below: Capital = field(init=False)
    _n_items: int = 0
    _n_planned: int = 0
    _n_judged: int = 0
    _n_consistent: int = 0
    _n_wins: int = 0
    _n_losses: int = 0

    def __post_init__(self) -> None:
        self._largest = max(self.sizes, default=1)
        self._bets = Bets(self.options.sequential_alpha)
        self._above = Capital(self.options.threshold)
        self._below = Capital(1 - self.options.threshold)

    def add(self, unit: int, outcomes: Sequence[Outcome]) -> StopRecord | None:
        """Take what the pairs of a unit say, all at once; return where the run stops, None to go on.

        A unit whose pairs all failed has no value, and counts as taken.
        """
        self._waiting.setdefault(unit, tuple(outcomes))
        while self.stopped is None and self.n_taken in self._waiting:
            self._take(self._waiting.pop(self.n_taken))
            self.stopped = self._stop()
        return self.stopped

    def _take(self, outcomes: Sequence[Outcome]) -> None:
        valid = [one.value for one in outcomes if one.value is not None]
        judged = [one.consistent for one in outcomes if one.consistent is not None]
        self.n_taken += 1
        self._n_items += len(valid)
        self._n_planned += len(outcomes)
        self._n_judged += len(judged)
        self._n_consistent += sum(judged)
        if not valid:
            return
        value, weight = sum(valid) / len(valid), len(valid) / self._largest
        bet = self._bets.next()
        self._above.settle(bet, value, weight)
        self._below.settle(bet, 1 - value, weight)
        self._bets.see(value, weight)
        self.values.append(value)
        self.weights.append(weight)
        self._n_wins += value == 1
        self._n_losses += value == 0

    def _stop(self) -> StopRecord | None:
        options = self.options
        few_groups = options.group is not None and len(self.values) < options.min_groups
        if self._n_items < options.min_items or few_groups or self.n_taken == len(self.sizes):
            return None
        if self._is_fit():
            if self._below.log_most >= self._log_limit:
                return self._record(GateDecision.FAIL, StopReason.BETTING)
            if self._above.log_most >= self._log_limit:
                return self._record(GateDecision.PASS, StopReason.BETTING)
        return None if options.group is not None else self._curtailed()

    @property
    def p_above(self) -> float:
        """The p-value, at any time, of the win rate's being at or under the threshold."""
        return exp(-self._above.log_most)

    @property
    def p_below(self) -> float:
        """The p-value, at any time, of the win rate's being at or over the threshold."""
        return exp(-self._below.log_most)

    @property
    def _log_limit(self) -> float:
        return log(1 / self.options.sequential_alpha)

    def _is_fit(self) -> bool:
        n_invalid = self._n_planned - self._n_items
        return (
            self._n_consistent >= self.options.min_consistency * self._n_judged
            and n_invalid <= self.options.max_invalid * self._n_planned
            and self._n_judged > 0
        )

    def _curtailed(self) -> StopRecord | None:
        """Stop if the test of all pairs says the same whatever becomes of the pairs that are left."""
        left = len(self.sizes) - self.n_taken
        wins, losses = self._n_wins, self._n_losses
        n, threshold = len(self.values) + left, self.options.threshold
        alpha = self.options.final_alpha
        above, below = rejection(n, threshold, alpha), rejection(n, 1 - threshold, alpha)
        if self._is_fit() and above.holds(wins, losses + left):
            p = p_above(wins, losses + left, n, threshold)
            return self._record(GateDecision.PASS, StopReason.CURTAILMENT, p)
        if self._is_fit() and below.holds(losses, wins + left):
            p = p_above(losses, wins + left, n, 1 - threshold)
            return self._record(GateDecision.FAIL, StopReason.CURTAILMENT, p)
        if self._can_win(self._above, left) or self._can_win(self._below, left):
            return None
        if above.holds(wins + left, losses) or below.holds(losses + left, wins):
            return None
        p = min(p_above(wins + left, losses, n, threshold), p_above(losses + left, wins, n, 1 - threshold))
        return self._record(GateDecision.INCONCLUSIVE, StopReason.CURTAILMENT, p)

    def _can_win(self, capital: Capital, left: int) -> bool:
        """Whether a bet may still come up to its limit, if it wins the most that it can every time."""
        most = max(capital.log_most, capital.log_now + left * capital.log_growth)
        return most >= self._log_limit

    def _record(self, decision: GateDecision, reason: StopReason, p: float | None = None) -> StopRecord:
        capital = self._below if decision is GateDecision.FAIL else self._above
        return StopRecord(
            unit=self.n_taken,
            n_planned=len(self.sizes),
            n=len(self.values),
            decision=decision,
            reason=reason,
            e_value=exp(capital.log_most),
            limit=1 / self.options.sequential_alpha,
            p_value=p,
        )


class Watch:
    """A run watched for an early stop by the verdicts on its pairs, in whatever order they come.

    What needs no verdict, an answer that is missing, is known from the beginning.
    """

    def __init__(self, pairs: Sequence[PlannedPair], options: GateOptions) -> None:
        """Fix the order of the evidence.

        Raises:
            DataError: an item lacks the field that groups items.
        """
        self.units = in_units(pairs, options.group, options.seed)
        self.stop = EarlyStop(options=options, sizes=[len(unit) for unit in self.units])
        self._unit_of = {pair.id: k for k, unit in enumerate(self.units) for pair in unit if pair.item}
        self._verdicts: dict[str, Verdict] = {}
        for unit in range(len(self.units)):
            self._offer(unit)

    def add(self, verdict: Verdict) -> StopRecord | None:
        """Take a verdict; return where the run stops, None to go on. Open ones and strangers' say nothing."""
        unit = self._unit_of.get(verdict.item_id)
        is_open = verdict.winner is None and verdict.failure is None
        if unit is not None and not is_open and verdict.item_id not in self._verdicts:
            self._verdicts[verdict.item_id] = verdict
            self._offer(unit)
        return self.stop.stopped

    def add_all(self, verdicts: Iterable[Verdict]) -> StopRecord | None:
        """Take many verdicts, as of a run that is resumed."""
        for verdict in verdicts:
            self.add(verdict)
        return self.stop.stopped

    @property
    def item_ids(self) -> Iterator[str]:
        """The ids of the items in the order of the evidence: judged so, a run stops soonest."""
        return (pair.id for unit in self.units for pair in unit if pair.item)

    def _offer(self, unit: int) -> None:
        outcomes = [outcome_of(pair, self._verdicts.get(pair.id)) for pair in self.units[unit]]
        if not any(one.is_open for one in outcomes):
            self.stop.add(unit, outcomes)
