"""Nouns of a run that grades one answer at a time: the scale, and the summary a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from judgecli.types.estimates import Estimate, Side, Summary
from judgecli.types.judgments import DecidedBy, Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """What a judge may give: scores from `low` to `high`, or one of `labels`, each for a score.

    Without `has_decimals` scores are whole. Labels are ranked by their scores, which are never averaged.
    """

    low: float
    high: float
    has_decimals: bool = False
    labels: Mapping[str, float] = field(default_factory=dict)

    @property
    def best_label(self) -> str | None:
        """The label that stands for the highest score; None where there are scores."""
        return next((label for label, score in self.labels.items() if score == self.high), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeCounts:
    """How many answers came to what. `n_graded` are the judge's, without those decided by a rule."""

    n_items: int
    n_judgments: int
    n_graded: int
    n_open: int
    failures: Mapping[Failure, int] = field(default_factory=dict)
    without_judge: Mapping[DecidedBy, int] = field(default_factory=dict)

    @property
    def n_by_rule(self) -> int:
        """Answers that a rule decided."""
        return sum(self.without_judge.values())

    @property
    def n_scores(self) -> int:
        """Answers with a score, whoever gave it: the n of the mean."""
        return self.n_graded + self.n_by_rule

    @property
    def n_failed(self) -> int:
        """Answers with a failure, whatever the reason."""
        return sum(self.failures.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBin:
    """Scores from `low` to `high`, or a label's.

    `n` counts the judge's scores. `p` is the mean of the judge's probability for them over the answers that
    have one, None without any.
    """

    name: str
    low: float
    high: float
    n: int
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeSplit:
    """The result for a part of the answers: those whose metadata has `value` under `name`."""

    name: str
    value: str
    n_failed: int
    result: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeSummary(Summary):
    """Everything a report says about a run that grades, apart from the header and the rows.

    On a scale of scores `mean`, `median` and `expected` have values, on one of labels `label_share` and
    `label_probability`, those of the best label; the others are None. `scale` None: the header has none.
    """

    about: ClassVar[str] = "grade"
    scale: Scale | None
    counts: GradeCounts
    side: Side
    mean: Estimate
    median: Estimate
    expected: Estimate
    label_share: Estimate
    label_probability: Estimate
    at_lowest: Estimate
    at_highest: Estimate
    most_common: Estimate
    histogram: tuple[ScoreBin, ...]
    mass: Estimate
    p_unopened: Estimate
    length_correlation: Estimate
    by_metadata: tuple[GradeSplit, ...] = ()
    by_reference: tuple[GradeSplit, ...] = ()

    @property
    def result(self) -> Estimate:
        """The mean score, or the best label's share."""
        return self.label_share if self.scale and self.scale.labels else self.mean
