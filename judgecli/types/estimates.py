"""Nouns of the analysis: numbers with their intervals, and the summary a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from judgecli.types.gate import Gate
from judgecli.types.judgments import DecidedBy, Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval and the method that gave it; `value` None where n gives none."""

    name: str
    value: float | None
    n: int
    method: str
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


class Conclusion(StrEnum):
    """What the win rate's interval says about the two models."""

    CANDIDATE_BETTER = "candidate_better"
    BASELINE_BETTER = "baseline_better"
    NO_DIFFERENCE = "no_difference_shown"
    NO_VERDICTS = "no_verdicts"
    NOT_COMPARED = "not_compared"  # A and B are no models: a draw seated the answers


class CautionKind(StrEnum):
    """A reason to read the numbers with care."""

    SCRIPTED_JUDGE = "scripted_judge"
    DEMO_JUDGE = "demo_judge"
    PARTIAL = "partial"
    ONE_ORDER = "one_order"
    LOW_CONSISTENCY = "low_consistency"
    MISSING_ANSWERS = "missing_answers"
    MANY_FAILURES = "many_failures"
    FEW_PAIRS = "few_pairs"
    FEW_ITEMS = "few_items"
    LOW_MASS = "low_mass"
    WITHOUT_JUDGE = "without_judge"
    OFF_PROTOCOL = "off_protocol"
    ONE_SCORE = "one_score"
    SEPARATION = "separation"
    UNEVEN_SEATS = "uneven_seats"
    NOT_BETTER = "not_better_than_baseline"
    FEW_LABELS = "few_labels"
    NOTHING_CERTIFIED = "nothing_certified"
    SHARED_INSTRUCTIONS = "shared_instructions"
    OTHER_JUDGE_AND_ANSWERS = "other_judge_and_answers"
    NOT_SHARED = "not_shared"
    LABELS_DIFFER = "labels_differ"
    DRAWN_SEATS = "drawn_seats"
    NOT_CORRELATED = "not_correlated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """A caution with the number that raised it and the limit it crossed, where there are such.

    `name` says which of several things it is about, such as the baseline that a judge is not better than.
    """

    kind: CautionKind
    value: float | None = None
    limit: float | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Outcomes of pairs. A win is the candidate's; order-dependent pairs are among the ties.

    Of the run's own judge's `n_judgments`, `n_cached` were served from the cache.
    """

    n_pairs: int
    n_judgments: int
    n_win: int
    n_tie: int
    n_loss: int
    n_order_dependent: int
    n_open: int
    n_cached: int = 0
    failures: Mapping[Failure, int] = field(default_factory=dict)
    without_judge: Mapping[DecidedBy, int] = field(default_factory=dict)

    @property
    def n_verdicts(self) -> int:
        """Pairs with a winner or a tie: the n of the win rate."""
        return self.n_win + self.n_tie + self.n_loss

    @property
    def n_failed(self) -> int:
        """Pairs with a failure, whatever the reason."""
        return sum(self.failures.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One model's answers: who wrote them, and how many hold nothing or stop early.

    `n_empty` includes answers that are only thinking; `median_characters` is None without pairs.
    """

    model: str | None
    file: str | None
    n_empty: int
    n_thinking_only: int
    n_cut_off: int
    median_characters: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What the seat does to the verdict, over pairs judged in both orders.

    `table` counts verdicts: rows the order AB, columns the order BA, each A, tie, B; None where one
    order was judged only.
    """

    table: tuple[tuple[int, int, int], ...] | None
    consistency: Estimate
    prefers_first: Estimate
    prefers_second: Estimate
    lean: Estimate
    hard_flips: Estimate
    effect: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Soft:
    """What the judge's probabilities say; `mass` and `p_unopened` are means over judgments.

    `win_rate` is over the pairs whose verdict has probabilities. `stronger_mass` and `stronger_p_unopened`
    are those of a stronger judge, the others the run's own; without one they are None.
    """

    win_rate: Estimate
    mass: Estimate
    p_unopened: Estimate
    stronger_mass: Estimate
    stronger_p_unopened: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How often the candidate is longer, and how verdicts go with the difference in characters."""

    candidate_longer: Estimate
    correlation: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The result for a part of the pairs."""

    name: str
    counts: Counts
    win_rate: Estimate
    consistency: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What judging took at an endpoint: HTTP calls, tokens, and their cost where the prices were given.

    `judge` is its name; the last judgments count, not those that were asked again. `cost` is in the currency
    of the prices.
    """

    judge: str
    n_calls: int
    n_prompt_tokens: int
    n_completion_tokens: int
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Which verdicts are trusted, and which judge gave them.

    Of the pairs that the first judge was asked about and answered, or failed on, `trusted` are those whose
    verdict was not doubtful, `doubtful` the others that its rule doubts, and `escalated` those of them that
    the stronger judge, by its name in `judge`, has answered or failed on. `win_rate` is over the trusted ones
    alone: neither a stronger judge's verdicts nor a rule's are in it. `agree` and `confidence` are the
    guarantee of a calibration, `threshold` None where nothing certified. `changed` is how often the stronger
    judge's verdict is another than the first one's.
    """

    rule: str
    first_judge: str
    judge: str | None
    trusted: Estimate
    doubtful: Estimate
    escalated: Estimate
    changed: Estimate
    win_rate: Estimate
    n_escalated_open: int = 0
    n_escalated_failed: int = 0
    temperature: float | None = None
    threshold: float | None = None
    agree: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Verdicts of about one confidence, its mean, and the share of them that agrees with people."""

    confidence: float
    right: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """The win rate as people would have it, from the judge's verdicts on all and their labels on some items.

    `win_rate` is PPI++'s, `by_people` from the labelled items alone; `corrected` is the share of the decided
    pairs without a label that the candidate wins, corrected by the judge's `sensitivity` and `specificity`
    on the labelled ones.
    `tuning` is PPI++'s lambda in [0, 1]: how much the judge's verdicts were used. `reliability` are the
    labelled verdicts by their confidence, empty where few have one.
    """

    labels_file: str
    n_labelled: int
    win_rate: Estimate
    by_people: Estimate
    tuning: float | None
    corrected: Estimate
    sensitivity: Estimate
    specificity: Estimate
    reliability: tuple[ReliabilityBin, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a report says, whatever it is about: reasons for care, and how many items carry each flag.

    `about` names the package of `judgecli.reports` that puts it into words. `reached` are the ids of the
    items that everything in it is about; None for all.
    """

    about: ClassVar[str]
    cautions: tuple[Caution, ...]
    flags: Mapping[str, int] = field(default_factory=dict)
    reached: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSummary(Summary):
    """Everything a report says about a run of pairs, apart from the header and the rows.

    After an early stop everything is about the pairs up to there, which are then `reached`.
    `lacking` are the ids without the candidate's answer that a gate counts as lost.
    `by_category` are the parts by the values of `category_field`, a field of the items' metadata. `trust` is
    there if a calibration was applied or a stronger judge asked, `effort` if an endpoint was, `adjusted` if
    people labelled some of the pairs, and `gate` if one was asked for.
    """

    about: ClassVar[str] = "pair"
    conclusion: Conclusion
    counts: Counts
    side_a: Side
    side_b: Side
    win_rate: Estimate
    worst_case: Estimate
    sign_test: Estimate
    sign_exact: Estimate
    position: Position
    soft: Soft
    lengths: Lengths
    by_reference: tuple[Split, ...] = ()
    category_field: str | None = None
    by_category: tuple[Split, ...] = ()
    trust: Trust | None = None
    effort: tuple[Effort, ...] = ()
    adjusted: Adjusted | None = None
    lacking: tuple[str, ...] = ()
    gate: Gate | None = None
