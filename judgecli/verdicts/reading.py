"""From a completion to a judgment in the caller's A and B: the hard reading and the soft one."""

from __future__ import annotations

import math
from typing import Any

from judgecli.types import (
    TIE,
    Completion,
    Distribution,
    Failure,
    Grammar,
    Item,
    Judgment,
    Order,
    Reading,
    ReadingRule,
    Seat,
    VerdictPlace,
)
from judgecli.verdicts.parts import find_parts
from judgecli.verdicts.texts import Unread, read_text

NEGLIGIBLE_P = 1e-4


def read_completion(completion: Completion, item: Item, *, rule: ReadingRule, min_mass: float) -> Judgment:
    """Read a completion into a judgment.

    `rule` says how a text is read where there is no distribution; `min_mass` in [0, 1] is the least
    probability that must lie on the grammar.
    """
    request = completion.request
    outcome = _outcome(completion, item, rule, min_mass)
    fields: dict[str, Any] = {}
    if completion.distribution is not None and not _is_broken(outcome):
        fields |= _soft_reading(completion.distribution, request.grammar, request.order)
    if isinstance(outcome, Unread):
        fields |= {"failure": outcome.failure, "detail": outcome.detail}
    else:
        fields |= _seated(outcome, request.order)
    return Judgment(
        item_id=request.item_id,
        order=request.order,
        prompt_hash=request.prompt_hash,
        text=completion.text,
        parts=find_parts(completion.text, rule.parts),
        finish_reason=completion.finish_reason,
        flags=_flags(completion, outcome),
        n_prompt_tokens=completion.n_prompt_tokens,
        n_completion_tokens=completion.n_completion_tokens,
        elapsed_s=completion.elapsed_s,
        n_calls=completion.n_calls,
        cached=completion.cached,
        **fields,
    )


def _outcome(completion: Completion, item: Item, rule: ReadingRule, min_mass: float) -> Reading | Unread:
    distribution = completion.distribution
    if completion.error is not None:
        return Unread(failure=Failure.ENGINE, detail=completion.error)
    if distribution is None:
        return read_text(completion, item, rule)
    if not math.isfinite(distribution.mass):
        return Unread(failure=Failure.ENGINE, detail="the judge's probabilities are not numbers")
    if completion.request.place is VerdictPlace.LAST and not completion.request.conclusion:
        return read_text(completion, item, rule)  # the verdict was written; its place may be a quotation
    if distribution.mass < min_mass:
        text, p = distribution.preferred
        on_verdicts = f"mass {distribution.mass:.3g}"
        detail = f"{on_verdicts}; would write {text!r} ({p:.2g})"
        return Unread(failure=Failure.LOW_MASS, detail=detail)
    return completion.request.grammar.reading(distribution.greedy)


def _is_broken(outcome: Reading | Unread) -> bool:
    return isinstance(outcome, Unread) and outcome.failure is Failure.ENGINE


def _flags(completion: Completion, outcome: Reading | Unread) -> tuple[str, ...]:
    """Return what was altered in the prompt, and whether the explanation after a verdict was cut off."""
    flags = completion.request.flags
    wants_reasons = completion.request.n_reason_tokens > 0
    if wants_reasons and completion.finish_reason == "length" and isinstance(outcome, Reading):
        return (*flags, "reasons cut")
    return flags


def _seated(reading: Reading, order: Order) -> dict[str, Any]:
    """Return winner and scores by the letters of the models."""
    said: dict[str, Any] = {"scores": dict(zip(order, reading.scores, strict=False))}
    if reading.seat is not None and len(order) == 2:
        said["winner"] = _letters(order)[reading.seat]
    return said


def _letters(order: Order) -> dict[Seat, str]:
    return {Seat.FIRST: order[0], Seat.SECOND: order[1], Seat.TIE: TIE}


def _soft_reading(distribution: Distribution, grammar: Grammar, order: Order) -> dict[str, Any]:
    """Return mass, probabilities and expected scores; the latter absent where most was not followed."""
    soft: dict[str, Any] = {"mass": distribution.mass, "p_unopened": distribution.p_unopened}
    total = math.fsum(distribution.p.values())
    if total <= distribution.p_unopened or total <= 0 or not grammar.is_listed:
        return soft
    readings = [(grammar.readings[text], p / total) for text, p in distribution.p.items()]
    if len(order) == 2:
        soft["p"] = {
            letter: math.fsum(p for reading, p in readings if reading.seat is seat)
            for seat, letter in _letters(order).items()
        }
    if all(len(reading.scores) == len(order) for reading, _ in readings):
        soft["expected"] = {
            letter: math.fsum(reading.scores[seat] * p for reading, p in readings)
            for seat, letter in enumerate(order)
        }
        if len(order) == 1:
            soft["p_scores"] = _by_score(readings)
    return soft


def _by_score(readings: list[tuple[Reading, float]]) -> dict[str, float]:
    """Return the probability of each score of one answer: `8` and `8.0` are the same."""
    summed: dict[float, float] = {}
    for reading, p in readings:
        summed[reading.scores[0]] = summed.get(reading.scores[0], 0.0) + p
    return {f"{score:g}": p for score, p in sorted(summed.items()) if p >= NEGLIGIBLE_P}
