"""Nouns of the agreement of a judge with people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from judgecli.types.answers import Order
from judgecli.types.estimates import Estimate, Position, ReliabilityBin, Summary
from judgecli.types.judgments import Failure, Winner
from judgecli.types.labels import LabelKind, LabelSource

Table = tuple[tuple[int, int, int], ...]


class BaselineKind(StrEnum):
    """A way to judge that reads nothing; a judge that is no better than one is not a judge."""

    LONGER = "longer wins"
    FIRST_SEAT = "first seat"
    MAJORITY = "majority class"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """How well one class is told: precision None where never said, recall None where never labelled."""

    winner: Winner
    n_labelled: int
    n_judged: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How verdicts agree with labels over some items.

    `table` counts items: rows the label, columns the verdict, each A, tie, B. Macro figures are means over
    the classes that occur in the labels; a class that was never said has precision and F1 of 0 there.
    `decided` is the accuracy over items where neither label nor verdict is a tie.
    """

    n: int
    table: Table
    accuracy: Estimate
    precision: Estimate
    recall: Estimate
    f1: Estimate
    kappa: Estimate
    weighted_kappa: Estimate
    decided: Estimate
    classes: tuple[ClassScores, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A baseline's accuracy and how much better the judge is (`advantage`, a difference of accuracies)."""

    kind: BaselineKind
    accuracy: Estimate
    advantage: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ByOrder:
    """Agreement order by order, over items read in both: their mean, and how often both orders were right."""

    orders: Mapping[Order, Agreement]
    mean: Estimate
    both_right: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthEffect:
    """What length does, over items whose two answers differ in characters and where neither is a tie.

    How often the judge, and how often the labels, are for the longer answer; and the judge's accuracy where
    the longer answer is right and where the shorter one is.
    """

    judge_longer: Estimate
    labels_longer: Estimate
    when_longer_right: Estimate
    when_shorter_right: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAgreement:
    """How scores go with labelled scores."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotators:
    """How far annotators agree among themselves, and with the judge as one more of them.

    `kappa` is the mean of Cohen's kappa over every two annotators; alphas are Krippendorff's, nominal for
    winners and interval for scores. All None with fewer than two annotators.
    """

    n: int
    kappa: Estimate
    alpha: Estimate
    alpha_with_judge: Estimate


class ConfidenceKind(StrEnum):
    """A number that says how sure a judge is of a verdict."""

    PROBABILITY = "verdict probability"
    ENTROPY = "token entropy"
    ENTROPY_LESS_BASE = "token entropy less base"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRanking:
    """How well a confidence puts errors last: the area under its risk-coverage curve, less is better.

    `random` is the area that no order at all has: the share of errors.
    """

    kind: ConfidenceKind
    aurc: Estimate
    random: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAgreement:
    """The agreement over a part of the items; `before` is the first judge's if a stronger one was asked.

    `name` is a judge's, or a value of the field that was split by, whole.
    """

    name: str
    agreement: Agreement
    before: Agreement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Which items were compared. `n` have a label and a verdict; `unit` is what intervals are drawn over.

    `no_interval` says why there is none over so few units, None where there can be one.
    `n_unlabelled` have a verdict, or a failure, and no label in the file; `n_undecided` no majority;
    `n_without_verdict` are labelled and not judged yet, `n_not_in_run` labelled and not in the run.
    """

    n: int
    unit: str
    n_units: int
    n_unlabelled: int
    n_undecided: int
    n_without_verdict: int
    n_not_in_run: int
    failures: Mapping[Failure, int] = field(default_factory=dict)
    no_interval: str | None = None

    @property
    def n_failed(self) -> int:
        """Labelled items on which the judge failed."""
        return sum(self.failures.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSummary(Summary):
    """Everything a report says about a judge and labels.

    `agreement` is over items with a verdict. With failures, `failures_as_ties` counts each as a tie, as
    published figures often do, and `failures_wrong` is the accuracy with each counted as wrong;
    `leads_with_ties`: the reader asked for the former. Where scores were given, `scores` and `annotators` say
    everything and `agreement` is None.
    """

    about: ClassVar[str] = "agree"
    kind: LabelKind
    labels_file: str
    source: LabelSource
    compared: Compared
    annotators: Annotators
    agreement: Agreement | None = None
    failures_as_ties: Agreement | None = None
    leads_with_ties: bool = False
    failures_wrong: Estimate | None = None
    by_order: ByOrder | None = None
    position: Position | None = None
    lengths: LengthEffect | None = None
    baselines: tuple[Baseline, ...] = ()
    scores: ScoreAgreement | None = None
    splits_by: str | None = None
    splits: tuple[NamedAgreement, ...] = ()
    stages: tuple[NamedAgreement, ...] = ()
    rankings: tuple[ErrorRanking, ...] = ()
    reliability: tuple[ReliabilityBin, ...] = ()
    notes: tuple[str, ...] = ()
