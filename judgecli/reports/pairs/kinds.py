"""What a pair came to, and by which names pairs are selected."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from judgecli.reports.wording.cautions import failure_name
from judgecli.types import Judgment, Verdict, Winner

# Outcomes by name, the candidate's; every failure has one of its own, see `failure_name`.
WIN, TIE, FLIPPED, LOSS, OPEN = "win", "tie", "order-dependent", "loss", "not judged"
POINTS = {LOSS: 0.0, TIE: 0.5, FLIPPED: 0.5, WIN: 1.0}
TONES = {WIN: "good", TIE: "even", FLIPPED: "doubtful", LOSS: "bad", OPEN: "open"}  # kinds of bars
_OUTCOMES = {Winner.A: LOSS, Winner.TIE: TIE, Winner.B: WIN}


class PairKind(StrEnum):
    """Pairs that a reader may ask for; the first six leave out none and share none.

    Wins are the candidate's. `FLIPS` are the ties that the two orders do not agree on, `TIES` the others.
    """

    WINS = "wins"
    LOSSES = "losses"
    TIES = "ties"
    FLIPS = "flips"
    FAILURES = "failures"
    OPEN = "open"
    DOUBTFUL = "doubtful"
    FLAGGED = "flagged"


KINDS = {
    WIN: PairKind.WINS,
    TIE: PairKind.TIES,
    FLIPPED: PairKind.FLIPS,
    LOSS: PairKind.LOSSES,
    OPEN: PairKind.OPEN,
}


def outcome(verdict: Verdict) -> str:
    """Return what a pair came to, in the words of a report's outcomes."""
    if verdict.failure is not None:
        return failure_name(verdict.failure)
    if verdict.winner is None:
        return OPEN
    if verdict.order_dependent and verdict.winner is Winner.TIE:
        return FLIPPED
    return _OUTCOMES[verdict.winner]


def kinds_of(
    verdict: Verdict, judgments: tuple[Judgment, ...], flags: tuple[str, ...]
) -> frozenset[PairKind]:
    """Return every kind that a pair is of; `flags` are the item's own."""
    return frozenset(_kinds(verdict, judgments, flags))


def _kinds(verdict: Verdict, judgments: tuple[Judgment, ...], flags: tuple[str, ...]) -> Iterator[PairKind]:
    yield PairKind.FAILURES if verdict.failure is not None else KINDS[outcome(verdict)]
    if verdict.is_doubtful:
        yield PairKind.DOUBTFUL
    if flags or verdict.flags or any(one.flags for one in judgments):
        yield PairKind.FLAGGED
