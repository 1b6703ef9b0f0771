"""Nouns of the outcome: judgments, verdicts, and a run file read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judgecli.types.answers import Order, Pair


class Winner(StrEnum):
    """Who is better: the baseline (A), the candidate (B), or neither."""

    A = "A"
    B = "B"
    TIE = "tie"

    def swapped(self) -> Winner:
        """Return the same outcome with A and B exchanged."""
        return {Winner.A: Winner.B, Winner.B: Winner.A, Winner.TIE: Winner.TIE}[self]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """One reading of one order, in the caller's A and B. Either `winner` or `failure` is set."""

    pair_id: str
    order: Order
    prompt_hash: str
    winner: Winner | None = None
    failure: Failure | None = None
    detail: str | None = None
    score_a: float | None = None
    score_b: float | None = None
    p_a: float | None = None
    p_tie: float | None = None
    p_b: float | None = None
    expected_a: float | None = None
    expected_b: float | None = None
    mass: float | None = None
    p_unopened: float | None = None
    text: str = ""
    finish_reason: str | None = None
    flags: tuple[str, ...] = ()
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome for a pair, both orders merged. `winner` and `failure` None: not judged yet."""

    pair_id: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run file read back: the last judgment of each (pair, order), and the verdicts they make.

    `n_missing` pairs were to follow when the writing of the plan was stopped; nothing is known of them.
    """

    header: Mapping[str, Any]
    pairs: tuple[Pair, ...]
    judgments: Mapping[tuple[str, Order], Judgment]
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...] = ()
    n_missing: int = 0
