"""The verdict of a pair: from both orders' judgments, or from a rule that needs no judge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from judgecli.types import TIE, DecidedBy, Item, Judgment, Order, Verdict, Winner

_DECIDED_WINNERS: Mapping[DecidedBy, Winner] = {
    DecidedBy.EQUAL: Winner.TIE,
    DecidedBy.BOTH_EMPTY: Winner.TIE,
    DecidedBy.EMPTY_A: Winner.B,
    DecidedBy.EMPTY_B: Winner.A,
}


def decide_without_judge(item: Item, letters: Order) -> DecidedBy | None:
    """Return the rule that decides about these models' answers without a judge; None where there is none.

    Equal texts tie and an empty side loses; an empty answer that is graded alone is not shown to the judge.
    Conversations are equal if all their turns are. Of three or more answers, only what is the same for all.
    """
    responses = item.seated(letters)
    is_empty = [response.is_empty for response in responses]
    if len(responses) == 1:
        return DecidedBy.EMPTY if is_empty[0] else None
    if all(is_empty):
        return DecidedBy.BOTH_EMPTY
    if len(responses) == 2 and any(is_empty):
        return DecidedBy.EMPTY_A if is_empty[0] else DecidedBy.EMPTY_B
    texts = {(response.output.strip(), response.earlier_outputs) for response in responses}
    return DecidedBy.EQUAL if len(texts) == 1 else None


def verdict_by_rule(pair: Item, decided_by: DecidedBy) -> Verdict:
    """Return the verdict that a rule gives."""
    return Verdict(
        item_id=pair.id, winner=_DECIDED_WINNERS[decided_by], decided_by=decided_by, flags=pair.flags
    )


def merge_orders(pair: Item, judgments: Mapping[Order, Judgment], orders: Sequence[Order]) -> Verdict:
    """Return the verdict of a pair from its judgments, one for each of `orders` (at least one).

    A winner only if all orders agree; otherwise a tie flagged as order-dependent. One failed order makes the
    pair a failure; a missing one leaves it open (neither winner nor failure). Scores and probabilities are
    means over the orders.
    """
    found = [judgments[order] for order in orders if order in judgments]
    flags = tuple(dict.fromkeys((*pair.flags, *(flag for judgment in found for flag in judgment.flags))))
    failed = next((judgment for judgment in found if judgment.failure is not None), None)
    if failed is not None:
        return Verdict(item_id=pair.id, failure=failed.failure, detail=failed.detail, flags=flags)
    if len(found) < len(orders):
        return Verdict(item_id=pair.id, flags=flags)
    winners = {judgment.winner for judgment in found}
    winner = Winner(found[0].winner) if len(winners) == 1 and found[0].winner else Winner.TIE
    p_a, p_tie, p_b = (_mean(judgment.p.get(outcome) for judgment in found) for outcome in ("A", TIE, "B"))
    return Verdict(
        item_id=pair.id,
        winner=winner,
        order_dependent=len(winners) > 1,
        p_a=p_a,
        p_tie=p_tie,
        p_b=p_b,
        confidence={Winner.A: p_a, Winner.TIE: p_tie, Winner.B: p_b}[winner],
        score_a=_mean(judgment.scores.get("A") for judgment in found),
        score_b=_mean(judgment.scores.get("B") for judgment in found),
        flags=flags,
    )


def merge_grades(pair: Item, judgments: Mapping[Order, Judgment]) -> Verdict:
    """Return the verdict of a pair whose answers were graded each alone: the higher score wins.

    One failed grade makes the pair a failure, a missing one leaves it open. Probabilities are those of two
    independent scores drawn from the judge's distributions, None where it gives none.
    """
    a, b = judgments.get(Order("A")), judgments.get(Order("B"))
    found = [judgment for judgment in (a, b) if judgment is not None]
    flags = tuple(dict.fromkeys((*pair.flags, *(flag for judgment in found for flag in judgment.flags))))
    failed = next((judgment for judgment in found if judgment.failure is not None), None)
    if failed is not None:
        return Verdict(item_id=pair.id, failure=failed.failure, detail=failed.detail, flags=flags)
    if a is None or b is None:
        return Verdict(item_id=pair.id, flags=flags)
    score_a, score_b = a.scores["A"], b.scores["B"]
    winner = Winner.A if score_a > score_b else Winner.B if score_b > score_a else Winner.TIE
    p = _compared(a.p_scores, b.p_scores)
    return Verdict(
        item_id=pair.id,
        winner=winner,
        p_a=p.get(Winner.A),
        p_tie=p.get(Winner.TIE),
        p_b=p.get(Winner.B),
        confidence=p.get(winner),
        score_a=score_a,
        score_b=score_b,
        flags=flags,
    )


def _compared(p_a: Mapping[str, float], p_b: Mapping[str, float]) -> dict[Winner, float]:
    """Return how probable each outcome is when a score of A and one of B are drawn; empty without either."""
    total = math.fsum(p_a.values()) * math.fsum(p_b.values())
    if total <= 0:
        return {}
    pairs = [
        (float(score_a) - float(score_b), p * q / total)
        for score_a, p in p_a.items()
        for score_b, q in p_b.items()
    ]
    return {
        Winner.A: math.fsum(p for difference, p in pairs if difference > 0),
        Winner.TIE: math.fsum(p for difference, p in pairs if difference == 0),
        Winner.B: math.fsum(p for difference, p in pairs if difference < 0),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean; None where any order has no value."""
    found = list(values)
    known = [value for value in found if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(found) else None
