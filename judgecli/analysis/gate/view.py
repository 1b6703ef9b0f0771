"""The pairs that a gate looks at, with what each one says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgecli.analysis.gate.evidence import (
    Outcome,
    PlannedPair,
    Presence,
    group_keys,
    outcome_of,
)
from judgecli.analysis.gate.testing import outcome_test
from judgecli.types import GateCounts, GateOptions, GateTest, RunRecord, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Planned pairs of a run without its control, the outcome of each, and its unit where they are grouped.

    `n_left_out` pairs came after an early stop; `n_missing` are not known of at all.
    """

    record: RunRecord
    options: GateOptions
    pairs: Sequence[PlannedPair]
    outcomes: Sequence[Outcome]
    groups: Sequence[str] | None
    verdicts: Mapping[str, Verdict]
    n_left_out: int = 0
    n_missing: int = 0

    @classmethod
    def of(
        cls, record: RunRecord, options: GateOptions, pairs: Sequence[PlannedPair], n_left_out: int = 0
    ) -> View:
        """Look at these pairs of a run.

        Raises:
            DataError: an item lacks the field that groups items.
        """
        verdicts = {one.item_id: one for one in record.verdicts}
        return cls(
            record=record,
            options=options,
            pairs=pairs,
            outcomes=[outcome_of(pair, verdicts.get(pair.id)) for pair in pairs],
            groups=None if options.group is None else group_keys(pairs, options.group),
            verdicts=verdicts,
            n_left_out=n_left_out,
            n_missing=record.n_missing,
        )

    def counts(self) -> GateCounts:
        """Count what became of the pairs."""
        values = [one.value for one in self.outcomes]
        n_only_in_candidate = self._n_present(Presence.ONLY_IN_CANDIDATE)
        n_open = sum(one.is_open for one in self.outcomes)
        return GateCounts(
            n_win=values.count(1.0),
            n_tie=values.count(0.5),
            n_loss=values.count(0.0),
            n_judged=sum(one.consistent is not None for one in self.outcomes),
            n_failed=values.count(None) - n_open - n_only_in_candidate,
            n_open=n_open + self.n_missing,
            n_only_in_baseline=self._n_present(Presence.ONLY_IN_BASELINE),
            n_only_in_candidate=n_only_in_candidate,
            n_left_out=self.n_left_out,
        )

    def _n_present(self, presence: Presence) -> int:
        return sum(pair.presence is presence for pair in self.pairs)

    def test(self, among: Sequence[int] | None = None) -> GateTest:
        """Test the win rate of all pairs, or of those at some places, against the gate's threshold."""
        places = range(len(self.pairs)) if among is None else among
        valid = [k for k in places if self.outcomes[k].value is not None]
        values = [value for k in valid if (value := self.outcomes[k].value) is not None]
        return self.test_of(values, valid)

    def test_of(self, values: Sequence[float], places: Sequence[int]) -> GateTest:
        """Test other values, of the pairs at these places; each is a win, a tie or a loss."""
        groups = None if self.groups is None else [self.groups[k] for k in places]
        return outcome_test(values, groups, self.options.group or "item", self.options.threshold)

    def test_without_judge(self) -> GateTest:
        """Test the win rate if every pair that no rule decided were a win."""
        decided_by_rule = [one.value is not None and one.consistent is None for one in self.outcomes]
        values = [
            one.value if by_rule and one.value is not None else 1.0
            for one, by_rule in zip(self.outcomes, decided_by_rule, strict=True)
        ]
        return self.test_of(values, range(len(values)))
