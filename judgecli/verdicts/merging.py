"""The verdict of a pair: from both orders' judgments, or from a rule that needs no judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from judgecli.types import DecidedBy, Judgment, Order, Pair, Verdict, Winner

_DECIDED_WINNERS: Mapping[DecidedBy, Winner] = {
    DecidedBy.EQUAL: Winner.TIE,
    DecidedBy.BOTH_EMPTY: Winner.TIE,
    DecidedBy.EMPTY_A: Winner.B,
    DecidedBy.EMPTY_B: Winner.A,
}


def decide_without_judge(pair: Pair) -> Verdict | None:
    """Return the verdict of a pair that needs no judge: equal texts, or an empty side; else None."""
    empty_a, empty_b = pair.response_a.is_empty, pair.response_b.is_empty
    if empty_a and empty_b:
        decided_by = DecidedBy.BOTH_EMPTY
    elif empty_a:
        decided_by = DecidedBy.EMPTY_A
    elif empty_b:
        decided_by = DecidedBy.EMPTY_B
    elif pair.response_a.output.strip() == pair.response_b.output.strip():
        decided_by = DecidedBy.EQUAL
    else:
        return None
    return verdict_by_rule(pair, decided_by)


def verdict_by_rule(pair: Pair, decided_by: DecidedBy) -> Verdict:
    """Return the verdict that a rule gives."""
    return Verdict(
        pair_id=pair.id, winner=_DECIDED_WINNERS[decided_by], decided_by=decided_by, flags=pair.flags
    )


def merge_orders(pair: Pair, judgments: Mapping[Order, Judgment], orders: Sequence[Order]) -> Verdict:
    """Return the verdict of a pair from its judgments, one for each of `orders` (at least one).

    A winner only if all orders agree; otherwise a tie flagged as order-dependent. One failed order makes the
    pair a failure; a missing one leaves it open (neither winner nor failure). Scores and probabilities are
    means over the orders.
    """
    found = [judgments[order] for order in orders if order in judgments]
    flags = tuple(dict.fromkeys((*pair.flags, *(flag for judgment in found for flag in judgment.flags))))
    failed = next((judgment for judgment in found if judgment.failure is not None), None)
    if failed is not None:
        return Verdict(pair_id=pair.id, failure=failed.failure, detail=failed.detail, flags=flags)
    if len(found) < len(orders):
        return Verdict(pair_id=pair.id, flags=flags)
    winners = {judgment.winner for judgment in found}
    winner = found[0].winner if len(winners) == 1 else Winner.TIE
    p_a = _mean(judgment.p_a for judgment in found)
    p_tie = _mean(judgment.p_tie for judgment in found)
    p_b = _mean(judgment.p_b for judgment in found)
    return Verdict(
        pair_id=pair.id,
        winner=winner,
        order_dependent=len(winners) > 1,
        p_a=p_a,
        p_tie=p_tie,
        p_b=p_b,
        confidence={Winner.A: p_a, Winner.TIE: p_tie, Winner.B: p_b}[winner] if winner else None,
        score_a=_mean(judgment.score_a for judgment in found),
        score_b=_mean(judgment.score_b for judgment in found),
        flags=flags,
    )


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean; None where any order has no value."""
    found = list(values)
    known = [value for value in found if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(found) else None
