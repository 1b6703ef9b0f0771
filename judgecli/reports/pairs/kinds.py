"""What a pair came to, and by which names pairs are selected."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from judgecli.types import Judgment, Verdict, Winner

FLIPPED = "order-dependent"
OPEN = "not judged"
POINTS = {"loss": 0.0, "tie": 0.5, FLIPPED: 0.5, "win": 1.0}  # of the candidate, by outcome
_OUTCOMES = {Winner.A: "loss", Winner.TIE: "tie", Winner.B: "win"}


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


def outcome(verdict: Verdict) -> str:
    """Return what a pair came to, in the words of a report's outcomes."""
    if verdict.failure is not None:
        return verdict.failure.replace("_", " ")
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
    named = {"win": PairKind.WINS, "loss": PairKind.LOSSES, "tie": PairKind.TIES, FLIPPED: PairKind.FLIPS}
    if verdict.failure is not None:
        yield PairKind.FAILURES
    else:
        yield named.get(outcome(verdict), PairKind.OPEN)
    if verdict.is_doubtful:
        yield PairKind.DOUBTFUL
    if flags or verdict.flags or any(one.flags for one in judgments):
        yield PairKind.FLAGGED
