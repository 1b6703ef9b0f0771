"""From a completion to a judgment in the caller's A and B: the hard reading and the soft one."""

from __future__ import annotations

import math
from typing import Any

from judgecli.types import (
    Completion,
    Distribution,
    Failure,
    Grammar,
    Judgment,
    Order,
    Pair,
    Reading,
    ScoresGrammar,
    Seat,
    Winner,
)
from judgecli.verdicts.texts import Unread, read_text


def read_completion(completion: Completion, pair: Pair, *, reader: str, min_mass: float) -> Judgment:
    """Read a completion into a judgment.

    `reader` names how a text is read where there is no distribution (see `reader_names`); `min_mass` in
    [0, 1] is the least probability that must lie on the grammar.
    """
    request = completion.request
    outcome = _outcome(completion, pair, reader, min_mass)
    fields: dict[str, Any] = {}
    if completion.distribution is not None and not _is_broken(outcome):
        fields |= _soft_reading(completion.distribution, request.grammar, request.order)
    if isinstance(outcome, Unread):
        fields |= {"failure": outcome.failure, "detail": outcome.detail}
    else:
        fields |= _seated(outcome, request.order)
    return Judgment(
        pair_id=request.pair_id,
        order=request.order,
        prompt_hash=request.prompt_hash,
        text=completion.text,
        finish_reason=completion.finish_reason,
        flags=_flags(completion, outcome),
        n_prompt_tokens=completion.n_prompt_tokens,
        n_completion_tokens=completion.n_completion_tokens,
        elapsed_s=completion.elapsed_s,
        **fields,
    )


def _outcome(completion: Completion, pair: Pair, reader: str, min_mass: float) -> Reading | Unread:
    distribution = completion.distribution
    if completion.error is not None:
        return Unread(failure=Failure.ENGINE, detail=completion.error)
    if distribution is None:
        return read_text(completion, pair, reader)
    if not math.isfinite(distribution.mass):
        return Unread(failure=Failure.ENGINE, detail="the judge's probabilities are not numbers")
    if distribution.mass < min_mass:
        text, p = distribution.preferred
        on_verdicts = f"{distribution.mass:.3g} of the probability is on a verdict"
        detail = f"would write {text!r} ({p:.2g}); {on_verdicts}"
        return Unread(failure=Failure.LOW_MASS, detail=detail)
    return completion.request.grammar.readings[distribution.greedy]


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
    """Return winner and scores with the seats put back to A and B."""
    seats = {Seat.FIRST: Winner.A, Seat.SECOND: Winner.B, Seat.TIE: Winner.TIE}
    winner = seats[reading.seat]
    if order is Order.AB:
        return {"winner": winner, "score_a": reading.score_1, "score_b": reading.score_2}
    return {"winner": winner.swapped(), "score_a": reading.score_2, "score_b": reading.score_1}


def _soft_reading(distribution: Distribution, grammar: Grammar, order: Order) -> dict[str, float | None]:
    """Return mass, outcome probabilities and expected scores; the latter null where most was not followed."""
    soft: dict[str, float | None] = {"mass": distribution.mass, "p_unopened": distribution.p_unopened}
    total = math.fsum(distribution.p.values())
    if total <= distribution.p_unopened or total <= 0:
        return soft
    readings = [(grammar.readings[text], p / total) for text, p in distribution.p.items()]
    seats = {seat: math.fsum(p for reading, p in readings if reading.seat is seat) for seat in Seat}
    first, second = ("a", "b") if order is Order.AB else ("b", "a")
    soft |= {f"p_{first}": seats[Seat.FIRST], f"p_{second}": seats[Seat.SECOND], "p_tie": seats[Seat.TIE]}
    if isinstance(grammar, ScoresGrammar):
        soft[f"expected_{first}"] = math.fsum((reading.score_1 or 0.0) * p for reading, p in readings)
        soft[f"expected_{second}"] = math.fsum((reading.score_2 or 0.0) * p for reading, p in readings)
    return soft
