"""From a completion to a judgment, and from two judgments to a verdict.

The hard reading (the winner) is the greedy path within the verdict grammar where the backend gives a
distribution, guarded by the grammar's mass; elsewhere it is what the family's text reader finds. The soft
reading (probabilities) never changes a winner. A failure is a value with a reason, never a number or a tie.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgecli.types import (
    Completion,
    DecidedBy,
    Distribution,
    Failure,
    Grammar,
    Judgment,
    LabelsGrammar,
    Order,
    Pair,
    Reading,
    ScoresGrammar,
    Seat,
    Verdict,
    Winner,
    read_scores,
)

_NUMBER = r"-?\d+(?:\.\d+)?"
_TWO_NUMBERS = re.compile(rf"({_NUMBER})(?:[^\S\n]*,[^\S\n]*|[^\S\n]+)({_NUMBER})")
_LABELLED = re.compile(
    rf"\s*(?:scores?\s+for\s+)?assistant\s*([12])\s*:\s*({_NUMBER})(?![\d.]*\d)", re.IGNORECASE
)
_BETWEEN_LABELS = re.compile(r"[\s,;.]*")


@dataclass(frozen=True, slots=True)
class _Unread:
    """Why a completion says nothing."""

    failure: Failure
    detail: str


def read_completion(completion: Completion, pair: Pair, *, reader: str, min_mass: float) -> Judgment:
    """Read a completion into a judgment in the caller's A and B.

    `reader` names how a text is read where there is no distribution (see `read_text`); `min_mass` in [0, 1]
    is the least probability that must lie on the grammar.
    """
    request = completion.request
    distribution = completion.distribution
    if completion.error is not None:
        outcome: Reading | _Unread = _Unread(Failure.ENGINE, completion.error)
    elif distribution is not None:
        outcome = _read_distribution(distribution, request.grammar, min_mass)
    else:
        outcome = _read_text(completion, pair, reader)
    fields: dict[str, Any] = {}
    if isinstance(outcome, _Unread):
        fields.update(failure=outcome.failure, detail=outcome.detail)
    else:
        fields.update(_seated(outcome, request.order))
    if distribution is not None and completion.error is None:
        fields.update(_soft_reading(distribution, request.grammar, request.order))
    flags = request.prompt.flags
    if request.n_reason_tokens and completion.finish_reason == "length":
        flags = (*flags, "reasons cut")
    return Judgment(
        pair_id=request.pair_id,
        order=request.order,
        prompt_hash=request.prompt.hash,
        text=completion.text,
        finish_reason=completion.finish_reason,
        flags=flags,
        n_prompt_tokens=completion.n_prompt_tokens,
        n_completion_tokens=completion.n_completion_tokens,
        elapsed_s=completion.elapsed_s,
        **fields,
    )


def _seated(reading: Reading, order: Order) -> dict[str, Any]:
    """Return winner and scores with the seats put back to A and B."""
    seats = {Seat.FIRST: Winner.A, Seat.SECOND: Winner.B, Seat.TIE: Winner.TIE}
    winner = seats[reading.seat]
    if order is Order.AB:
        return {"winner": winner, "score_a": reading.score_1, "score_b": reading.score_2}
    return {"winner": winner.swapped(), "score_a": reading.score_2, "score_b": reading.score_1}


def _read_distribution(distribution: Distribution, grammar: Grammar, min_mass: float) -> Reading | _Unread:
    if distribution.mass < min_mass:
        text, p = distribution.preferred
        on_verdicts = f"{distribution.mass:.3g} of the probability is on a verdict"
        detail = f"{on_verdicts}; the judge would write {text!r} ({p:.2g})"
        return _Unread(Failure.LOW_MASS, detail)
    return grammar.readings[distribution.greedy]


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


# --- texts without a distribution -------------------------------------------------------------


def _read_text(completion: Completion, pair: Pair, reader: str) -> Reading | _Unread:
    """Read what the judge wrote: an echo of the prompt is cut off, a quoted verdict decides nothing."""
    text = completion.text.removeprefix(completion.request.prompt.text)
    outcome, quote = _READERS[reader](text, completion.request.grammar)
    if isinstance(outcome, Reading) and _is_quoted(quote, pair):
        return _Unread(Failure.UNREADABLE, f"the line {quote!r} also stands in an answer")
    if isinstance(outcome, _Unread) and completion.finish_reason == "length":
        return _Unread(Failure.TRUNCATED, f"cut off before a verdict: {_excerpt(text)}")
    return outcome


def _first_line_scores(text: str, grammar: Grammar) -> tuple[Reading | _Unread, str]:
    """Read two scores from the first non-empty line, or from the labelled form at the very beginning."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    match = _TWO_NUMBERS.fullmatch(line)
    scores = (float(match[1]), float(match[2])) if match else _labelled_scores(text)
    if scores is None:
        return _Unread(Failure.UNREADABLE, f"no two scores in {_excerpt(text)}"), line
    low, high = (grammar.low, grammar.high) if isinstance(grammar, ScoresGrammar) else (1, 10)
    if not all(low <= score <= high for score in scores):
        return _Unread(Failure.OUT_OF_RANGE, f"{line!r} is outside {low} to {high}"), line
    return read_scores(*scores), line


def _labelled_scores(text: str) -> tuple[float, float] | None:
    first = _LABELLED.match(text)
    if first is None:
        return None
    gap = _BETWEEN_LABELS.match(text, first.end())
    second = _LABELLED.match(text, gap.end() if gap else first.end())
    if second is None or first[1] == second[1]:
        return None
    scores = {first[1]: float(first[2]), second[1]: float(second[2])}
    return scores["1"], scores["2"]


def _first_label(text: str, grammar: Grammar) -> tuple[Reading | _Unread, str]:
    """Read the label that a completion begins with, whatever its case; it must end where the label ends.

    The family has begun the reply for the judge, so this place cannot be a quotation.
    """
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    labels = grammar.labels if isinstance(grammar, LabelsGrammar) else {}
    for label, seat in labels.items():
        if re.match(rf"{re.escape(label.strip())}(?!\w)", line, re.IGNORECASE):
            return Reading(seat=seat), ""
    known = ", ".join(labels)
    return _Unread(Failure.UNREADABLE, f"no verdict ({known}) at the beginning of {_excerpt(text)}"), ""


_READERS = {"first_line_scores": _first_line_scores, "first_label": _first_label}


def _is_quoted(line: str, pair: Pair) -> bool:
    """Whether a verdict's line stands, as a line, in an answer: then the judge may only be quoting it."""
    answers = (pair.response_a.output, pair.response_b.output)
    return any(line == other.strip() for answer in answers for other in answer.split("\n"))


def _excerpt(text: str) -> str:
    words = " ".join(text.split())
    return repr(words if len(words) <= 60 else f"{words[:57]}...") if words else "an empty completion"


# --- without the judge, and both orders -------------------------------------------------------

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


def merge_orders(pair: Pair, judgments: Mapping[Order, Judgment], orders: tuple[Order, ...]) -> Verdict:
    """Return the verdict of a pair from its judgments, one an order.

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
    p_a, p_tie, p_b = (
        _mean([getattr(judgment, name) for judgment in found]) for name in ("p_a", "p_tie", "p_b")
    )
    return Verdict(
        pair_id=pair.id,
        winner=winner,
        order_dependent=len(winners) > 1,
        p_a=p_a,
        p_tie=p_tie,
        p_b=p_b,
        confidence={Winner.A: p_a, Winner.TIE: p_tie, Winner.B: p_b}[winner] if winner else None,
        score_a=_mean([judgment.score_a for judgment in found]),
        score_b=_mean([judgment.score_b for judgment in found]),
        flags=flags,
    )


def _mean(values: list[float | None]) -> float | None:
    """Return the mean; None where any order has no value."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None
