"""Verdicts made elsewhere: rows of an id, and who won or why nobody did.

    {"id": "q1", "winner": "B"}
    {"id": "q2", "failure": "unreadable"}
    {"id": "q3", "order": "BA", "winner": "tie", "p_a": 0.2, "p_tie": 0.5, "p_b": 0.3}

A and B are the first and the second answer of the labelled pair, whatever the order they were shown in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.detection import holds_pair
from judgecli.answers.files import file_name
from judgecli.answers.finding import present
from judgecli.answers.label_values import (
    TOO_LARGE,
    UNDERSTOOD,
    counts_from_0,
    is_number,
    score_of,
    winners_by_word,
)
from judgecli.answers.layout import ID_NAMES, RESPONSE_NAMES
from judgecli.answers.opening import open_rows
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.texts import UnreadableValueError, id_text, scalar_text
from judgecli.answers.wording import fields_there, shown
from judgecli.errors import DataError
from judgecli.types import BOTH_ORDERS, Failure, Order, Source, Winner
from judgecli.types.pipes import can_be_reread

_WINNER, _FAILURE, _SCORE, _ORDER, _DETAIL = "winner", "failure", "score", "order", "detail"
_OUTCOMES = (_WINNER, _FAILURE, _SCORE)
_PROBABILITIES = {"A": "p_a", "tie": "p_tie", "B": "p_b"}
_SUM_SLACK = 0.02  # three probabilities rounded to two decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRow:
    """One verdict, or one order's, of a judge that ran elsewhere.

    Exactly one of `winner`, `failure` and `score` (of an answer graded alone) is set. `p` has the
    probabilities of A, tie and B, or is empty.
    """

    item_id: str
    source: Source
    order: Order | None = None
    winner: Winner | None = None
    failure: Failure | None = None
    detail: str | None = None
    p: Mapping[str, float] = field(default_factory=dict)
    score: float | None = None


def holds_verdicts(path: str) -> bool:
    """Whether the first row of a file is a verdict made elsewhere: no answer, no labelled pair, no run file.

    False for stdin and pipes that could not be read again, and for what cannot be read at all.
    """
    if not can_be_reread(path):
        return False
    try:
        with open_rows(path) as (_, rows):
            first = next(rows, None)
            return first is not None and _is_verdict(first)
    except DataError:
        return False


def _is_verdict(row: Row) -> bool:
    outcomes = present(_OUTCOMES, row.value)
    is_graded = outcomes == [_SCORE]
    if not outcomes or not present(ID_NAMES, row.value) or holds_pair(row):
        return False
    return not (is_graded and present(RESPONSE_NAMES, row.value))


def read_verdicts(path: str) -> tuple[VerdictRow, ...]:
    """Read the verdicts of a judge that ran elsewhere: JSON Lines, a JSON array or CSV; `-` is stdin.

    A failure that is called otherwise than here is `unreadable`, with its own name as the detail.

    Raises:
        DataError: the file cannot be read, or a row says nothing, two things, or what cannot be read.
    """
    file = file_name(path)
    with open_rows(path) as (_, stored):
        rows = list(stored)
    if not rows:
        raise DataError(f"{file}: a header and no rows; a file of verdicts needs at least one row")
    id_path = next(
        iter(present(ID_NAMES, dict.fromkeys(chain.from_iterable(row.value for row in rows)))), None
    )
    if id_path is None:
        raise DataError(f"{file}: no row has an id; {fields_there(rows[0].value)}; call the field id")
    meanings = _meanings(rows, file)
    verdicts = tuple(_verdict(row, id_path, meanings) for row in rows)
    _check_orders(verdicts, rows)
    return verdicts


def _meanings(rows: Sequence[Row], file: str) -> Mapping[str, Winner]:
    """Return what each word for a winner means in this file."""
    words = [_text(row, _WINNER) for row in rows]
    known, unknown = winners_by_word((word for word in words if word), zero_may_be_tie=True)
    if counts_from_0(unknown):
        raise DataError(
            f"{file}: some winners are 0, which may be the first answer or a tie; write a, b and tie"
        )
    for row, word in zip(rows, words, strict=True):
        if word in unknown:
            raise DataError(
                f"{row.where}: the winner is {shown(word)!r}, none of {UNDERSTOOD}; what could not be read "
                f'is a failure: "failure": "{shown(word)}" in place of the winner'
            )
    return known


def _text(row: Row, name: str) -> str | None:
    """Return a field as text; None where it is absent, null or blank."""
    value = look_up(row.value, name)
    try:
        text = None if value is MISSING else scalar_text(value)
    except UnreadableValueError as error:
        raise DataError(f"{row.where}: {name} {error}") from error
    return text if text and text.strip() else None


def _verdict(row: Row, id_path: str, meanings: Mapping[str, Winner]) -> VerdictRow:
    item_id = id_text(look_up(row.value, id_path))
    if item_id is None:
        raise DataError(f"{row.where}: no id ({id_path}); a verdict is of an item")
    word, why, score = (_text(row, name) for name in _OUTCOMES)
    said = [name for name, text in zip(_OUTCOMES, (word, why, score), strict=True) if text is not None]
    if len(said) != 1:
        found = f"{' and '.join(said)} in one row" if said else "neither a winner nor a failure"
        raise DataError(f"{row.where}: {found}; a verdict has one of them, or the score of a single answer")
    failure, detail = _failure(why, _text(row, _DETAIL))
    return VerdictRow(
        item_id=item_id,
        source=row.source,
        order=_order(row),
        winner=meanings[word] if word else None,
        failure=failure,
        detail=detail,
        p=_probabilities(row, failed=failure is not None),
        score=None if score is None else _number(row, _SCORE, score),
    )


def _failure(word: str | None, detail: str | None) -> tuple[Failure | None, str | None]:
    if word is None:
        return None, detail
    name = word.strip().lower()
    return (Failure(name), detail) if name in list(Failure) else (Failure.UNREADABLE, word.strip())


def _order(row: Row) -> Order | None:
    text = _text(row, _ORDER)
    if text is None:
        return None
    letters = text.strip().upper()
    if letters not in BOTH_ORDERS:
        raise DataError(
            f"{row.where}: the order is {shown(text)!r}; AB says that the first answer was shown first, BA "
            "that the second was"
        )
    return Order(letters)


def _probabilities(row: Row, *, failed: bool) -> dict[str, float]:
    """Return the probabilities of A, tie and B; none where the row has none."""
    texts = {name: _text(row, path) for name, path in _PROBABILITIES.items()}
    given = {name: text for name, text in texts.items() if text is not None}
    if not given:
        return {}
    names = ", ".join(_PROBABILITIES.values())
    if failed:
        raise DataError(f"{row.where}: probabilities beside a failure; a failure has none")
    if len(given) < len(texts):
        raise DataError(f"{row.where}: some of {names} without the others; give all three")
    p = {name: _number(row, _PROBABILITIES[name], text) for name, text in given.items()}
    if min(p.values()) < 0 or abs(sum(p.values()) - 1) > _SUM_SLACK:
        values = ", ".join(f"{value:g}" for value in p.values())
        raise DataError(f"{row.where}: {names} are {values}; probabilities are at least 0 and add up to 1")
    return p


def _number(row: Row, name: str, text: str) -> float:
    number = score_of(text)
    if number is None:
        what = TOO_LARGE if is_number(text) else "which is no number"
        raise DataError(f"{row.where}: {name} is {shown(text)!r}, {what}")
    return number


def _check_orders(verdicts: Sequence[VerdictRow], rows: Sequence[Row]) -> None:
    """Raise DataError for an item's verdict that is there twice, and for orders on some rows only."""
    if len({verdict.order is None for verdict in verdicts}) > 1:
        row = next(row for row, one in zip(rows, verdicts, strict=True) if one.order is None)
        raise DataError(f"{row.where}: no order, while other rows have one; give it in all rows or in none")
    seen: dict[tuple[str, Any], Row] = {}
    for row, one in zip(rows, verdicts, strict=True):
        first = seen.setdefault((one.item_id, one.order), row)
        if first is not row:
            what = f"a verdict on {shown(one.item_id)!r}" + (f" in order {one.order}" if one.order else "")
            raise DataError(f"{row.where}: {what} is there already at {first.where}; keep one")
