"""Nouns of the outcome: judgments, verdicts, and a run file read back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from judgecli.types.answers import Item, Order


class Winner(StrEnum):
    """Who is better: the baseline (A), the candidate (B), or neither."""

    A = "A"
    B = "B"
    TIE = "tie"

    def swapped(self) -> Winner:
        """Return the same outcome with A and B exchanged."""
        return {Winner.A: Winner.B, Winner.B: Winner.A, Winner.TIE: Winner.TIE}[self]


TIE = Winner.TIE.value


class Failure(StrEnum):
    """Why a judgment has no winner; never a score, a tie or a pass."""

    UNREADABLE = "unreadable"
    LOW_MASS = "low_mass"
    OUT_OF_RANGE = "out_of_range"
    TRUNCATED = "truncated"
    TOO_LONG = "too_long"
    ENGINE = "engine"


class DecidedBy(StrEnum):
    """What decided a verdict: the judge, or a rule that needs no judge."""

    JUDGE = "judge"
    EQUAL = "equal answers"
    BOTH_EMPTY = "both empty"
    EMPTY_A = "empty baseline answer"
    EMPTY_B = "empty candidate answer"
    EMPTY = "empty answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One reading of one order, by the letters of the models, whatever their seats.

    Where two answers were compared, `winner` is the better one's letter or "tie", and `p` the probability of
    each of these. `scores` and `expected` (means over the judge's distribution) are by letter too, and empty
    where the judge gives no scores. An answer that was graded alone has a score and no winner; `p_scores` is
    the probability of each score as far as it is 0.0001 or more. With `failure` set, there are neither.
    `parts` are passages of the text that its family names, such as a reference of the judge's own.
    `judge` is the key of the stronger judge that was asked, as the header has it; "" for the run's own.
    `n_calls` counts HTTP calls of an endpoint. `cached`: read from what the judge said in an earlier run.
    """

    item_id: str
    order: Order
    prompt_hash: str
    winner: str | None = None
    failure: Failure | None = None
    detail: str | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    expected: Mapping[str, float] = field(default_factory=dict)
    p: Mapping[str, float] = field(default_factory=dict)
    p_scores: Mapping[str, float] = field(default_factory=dict)
    mass: float | None = None
    p_unopened: float | None = None
    text: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    finish_reason: str | None = None
    flags: tuple[str, ...] = ()
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0
    elapsed_s: float = 0.0
    n_calls: int = 0
    judge: str = ""
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyReading:
    """How unsure a model is of the text that a judge wrote, token by token.

    `entropy` is the mean Shannon entropy in nats of its next-token distribution over the text's `n_tokens`
    tokens. `model` says whose it is: "judge", or "base:" and the beginning of the SHA-256 of the model that
    the judge was fine-tuned from.
    """

    item_id: str
    order: Order
    prompt_hash: str
    model: str
    entropy: float
    n_tokens: int
    judge: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome for a pair, both orders merged. `winner` and `failure` None: not judged yet.

    `confidence` is the merged probability of the reported winner, calibrated where a calibration is applied.
    `judge` is the name of the judge that gave the verdict, None where a rule did. `is_doubtful`: the first
    judge's verdict is not to be trusted by the rule of the run; with a stronger judge, its verdict stands.
    """

    item_id: str
    winner: Winner | None = None
    failure: Failure | None = None
    detail: str | None = None
    order_dependent: bool = False
    decided_by: DecidedBy = DecidedBy.JUDGE
    p_a: float | None = None
    p_tie: float | None = None
    p_b: float | None = None
    confidence: float | None = None
    score_a: float | None = None
    score_b: float | None = None
    flags: tuple[str, ...] = ()
    judge: str | None = None
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run file read back: the last judgment of each (item, order), and the verdicts they make.

    Verdicts are those of pairs; there are none where answers are graded alone or many are ranked. In a
    ranking by pairs `comparisons` holds a record for each two models, by their letters, as if they alone had
    been judged: the first is its A. `decided` are the rules that gave a verdict, by item and letters.
    `n_missing` items were to follow when the writing of the plan was stopped; nothing is known of them.

    `judgments` are the first judge's. If a stronger one was asked, `escalated` are its judgments, `verdicts`
    hold its verdicts on the pairs handed to it, and `first_verdicts` the first judge's on all pairs, by item.
    `control` are the control items of a gate, which are no part of what was compared.
    `entropies` and `base_entropies` are those of the judge and of its base model, where they were measured.
    """

    header: Mapping[str, Any]
    items: tuple[Item, ...]
    judgments: Mapping[tuple[str, Order], Judgment]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    n_missing: int = 0
    decided: Mapping[tuple[str, Order], DecidedBy] = field(default_factory=dict)
    comparisons: Mapping[Order, RunRecord] = field(default_factory=dict)
    escalated: Mapping[tuple[str, Order], Judgment] = field(default_factory=dict)
    first_verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    control: RunRecord | None = None
    entropies: Mapping[tuple[str, Order], float] = field(default_factory=dict)
    base_entropies: Mapping[tuple[str, Order], float] = field(default_factory=dict)

    def only(self, ids: Collection[str]) -> RunRecord:
        """Return the run as if it were about these items alone."""
        return replace(
            self,
            items=tuple(item for item in self.items if item.id in ids),
            verdicts=tuple(one for one in self.verdicts if one.item_id in ids),
            judgments={key: one for key, one in self.judgments.items() if key[0] in ids},
        )
