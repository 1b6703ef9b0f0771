"""Nouns of the difference between two runs over the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from judgecli.types.answers import Item
from judgecli.types.estimates import Estimate, Summary
from judgecli.types.judgments import RunRecord, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An item of both runs with both verdicts, and whether what was judged is the same.

    `same_question` compares what was asked, with the reference; `same_a` and `same_b` the answers.
    """

    first: Item
    second: Item
    before: Verdict
    after: Verdict
    same_question: bool
    same_a: bool
    same_b: bool

    @property
    def is_same_input(self) -> bool:
        """Whether the judge of either run was asked about the same texts."""
        return self.same_question and self.same_a and self.same_b

    @property
    def has_other_verdict(self) -> bool:
        """Whether it came to something else; a tie is a tie, whether or not the orders agree on it."""
        was, now = self.before, self.after
        return (was.winner, was.failure) != (now.winner, now.failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSummary(Summary):
    """What changed from a first run to a second one, over the items of both.

    `table` counts the items that have a verdict in both: rows the first run, columns the second, each A, tie,
    B. `n_only_first` items have a verdict in the first run and a failure in the second,
    `n_only_second` the reverse, `n_both_failed` a failure in both; `n_open` are not judged yet in one.
    Rates, agreement and their difference are over the items of the table; `difference` is the second run's
    win rate less the first's. `same_judge` and `same_answers` say what the runs have in common. `first` is
    the first run, as a report on the second one shows it beside.
    """

    about: ClassVar[str] = "diff"
    names: tuple[str, str]
    first: RunRecord
    changes: tuple[Change, ...]
    table: tuple[tuple[int, int, int], ...]
    n_only_first: int
    n_only_second: int
    n_both_failed: int
    n_open: int
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    rate_first: Estimate
    rate_second: Estimate
    difference: Estimate
    agreement: Estimate
    kappa: Estimate
    same_judge: bool
    same_answers: bool

    @property
    def n_compared(self) -> int:
        """Items with a verdict in both runs."""
        return sum(map(sum, self.table))

    @property
    def n_changed(self) -> int:
        """Items with another verdict in the second run."""
        return self.n_compared - sum(self.table[k][k] for k in range(3))
