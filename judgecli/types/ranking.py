"""Nouns of a ranking: three or more models, compared pair by pair or all in one prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from judgecli.types.answers import LETTERS, Order
from judgecli.types.estimates import Estimate, Position, Side, Split, Summary
from judgecli.types.judgments import DecidedBy, Failure


class Ranking(StrEnum):
    """How many models are ranked: from verdicts on pairs of them, or from scores given in one prompt."""

    PAIRS = "pairs"
    JOINT = "joint"


def rotations(n_models: int, n: int, first: int = 0) -> tuple[Order, ...]:
    """Return n orders of all models in one prompt, from number `first` of ABC, BCA, CAB on, around.

    Each answer moves on by one seat, so that all n_models of them put each answer in every seat once, and
    any two or more tell every seat from every other.
    """
    letters = LETTERS[:n_models]
    shifts = (number % n_models for number in range(first, first + n))
    return tuple(Order(letters[shift:] + letters[:shift]) for shift in shifts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A model's place, with the 95% interval of its rank; 1 is the best, equal models share a rank.

    `merit` is what it is ranked by: the strength on the Elo scale, or the mean score. `p_first` is the share
    of resamples in which no other model is ahead. Ranks are None where nothing was judged, their interval
    where there is one item only, or where models are level and no item says otherwise.
    """

    letter: str
    side: Side
    merit: Estimate
    rank: int | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    p_first: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsStanding(Standing):
    """A model's place by its verdicts; `win_rate` is over all its comparisons, a tie half a win."""

    win_rate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JointStanding(Standing):
    """A model's place by its scores.

    `best` is the share of items on which none is higher, ties shared; `n_best` counts those without a tie.
    """

    mean_rank: Estimate
    best: Estimate
    n_best: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankCounts:
    """How much was compared and came to something; the rest failed or is open.

    In a ranking by pairs `n_compared` counts an item once for each pair of models, otherwise once.
    """

    n_items: int
    n_compared: int
    n_judgments: int
    n_open: int
    n_failed_judgments: int
    failures: Mapping[Failure, int] = field(default_factory=dict)
    without_judge: Mapping[DecidedBy, int] = field(default_factory=dict)

    @property
    def n_failed(self) -> int:
        """Comparisons with a failure, whatever the reason."""
        return sum(self.failures.values())

    @property
    def n_by_rule(self) -> int:
        """Comparisons that needed no judge."""
        return sum(self.without_judge.values())

    @property
    def n_verdicts(self) -> int:
        """Comparisons that came to something."""
        return self.n_compared - self.n_failed - self.n_open


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How strengths were fitted, and how their intervals were made.

    `is_separated`: some models never lost a point to the others, so that their strengths have no bound;
    `unbeaten` and `winless` name those that never lost one to anybody, or never won one. Then, as in
    the `n_separated` resamples that are so too, each two models are given a virtual tie. `groups` are the
    letters of models that comparisons with a verdict link; ranks across two or more of them mean nothing.
    """

    n_items: int
    n_resamples: int
    is_separated: bool
    n_separated: int
    unbeaten: tuple[str, ...] = ()
    winless: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsResult:
    """What verdicts on pairs say: `meetings` are by the letters of two models, rates those of the second.

    `position` is over all comparisons that the judge made, its intervals by item.
    """

    standings: tuple[PairsStanding, ...]
    meetings: tuple[Split, ...]
    position: Position
    fit: Fit


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatEffect:
    """What a seat does to a score: the mean score in it, and how far it is above that of all seats.

    `effect` compares answers with themselves in other seats.
    """

    seat: int
    mean: Estimate
    effect: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class JointResult:
    """What scores given in one prompt say.

    `seat_test` asks whether seats matter at all; its value is the range of their effects.
    """

    standings: tuple[JointStanding, ...]
    n_rotations: int
    seats: tuple[SeatEffect, ...]
    seat_test: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSummary(Summary):
    """Everything a report says about a ranking; either `pairs` or `joint` is there."""

    about: ClassVar[str] = "rank"
    ranking: Ranking
    counts: RankCounts
    mass: Estimate
    p_unopened: Estimate
    pairs: PairsResult | None = None
    joint: JointResult | None = None

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The models, the best one first."""
        if self.pairs is not None:
            return self.pairs.standings
        return self.joint.standings if self.joint is not None else ()
