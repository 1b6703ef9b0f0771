"""Examples for the prompt, read from JSON Lines: a question, its answers, and the verdict about them.

{"question": ..., "answer_a": ..., "answer_b": ..., "winner": "A"}
{"question": ..., "answer_a": ..., "answer_b": ..., "scores": [8, 6], "reasons": ...}
{"question": ..., "answer": ..., "scores": 8, "reference": ...}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.asking import Shot, Shots
from judgecli.types import Seat, read_scores

_KEYS = ("question", "answer", "answer_a", "answer_b", "reference", "winner", "scores", "reasons")
_LARGEST = 1e300  # JSON has whole numbers that no float holds
_WINNERS: Mapping[str, Seat] = {"a": Seat.FIRST, "b": Seat.SECOND, "tie": Seat.TIE}


def read_shots(path: Path) -> Shots:
    """Read examples.

    Raises:
        DataError: the file cannot be read, holds none, or one lacks something or has too much.
    """
    try:
        data = path.read_bytes()
        lines = data.decode("utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot read the examples ({error})") from error
    shots = tuple(_shot(f"{path}:{number}", line) for number, line in enumerate(lines, 1) if line.strip())
    if not shots:
        raise DataError(
            f"{path}: no examples; write one JSON object a line with question, answers and verdict"
        )
    return Shots(shots=shots, file=path.name, sha256=hashlib.sha256(data).hexdigest())


def _shot(where: str, line: str) -> Shot:
    row = _row(where, line)
    answers = _answers(where, row)
    scores = _scores(where, row, len(answers))
    winner = _winner(where, row, len(answers), scores)
    if winner is None and not scores:
        wanted = 'winner ("A", "B" or "tie") or scores' if len(answers) == 2 else "scores"
        raise DataError(f"{where}: the example has no verdict; give {wanted}")
    return Shot(
        question=_text(where, row, "question"),
        answers=answers,
        where=where,
        reference=row.get("reference"),
        winner=winner,
        scores=scores,
        reasons=row.get("reasons"),
    )


def _row(where: str, line: str) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: an example must be a JSON object ({error})") from error
    if not isinstance(row, dict):
        raise DataError(f"{where}: an example must be a JSON object, not {line.strip():.40}")
    for key in row:
        if key not in _KEYS:
            raise DataError(f"{where}: unknown key {key!r} in an example; there are {', '.join(_KEYS)}")
    for key in ("reference", "reasons"):
        if key in row:
            _text(where, row, key)
    return row


def _text(where: str, row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{where}: {key} of the example must be a text that is not empty")
    return value


def _answers(where: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    is_pair = "answer_a" in row or "answer_b" in row
    if is_pair == ("answer" in row):
        raise DataError(f"{where}: give the example's answer, or answer_a and answer_b")
    names = ("answer_a", "answer_b") if is_pair else ("answer",)
    return tuple(_text(where, row, name) for name in names)


def _scores(where: str, row: Mapping[str, Any], n: int) -> tuple[float, ...]:
    if "scores" not in row:
        return ()
    values = row["scores"] if isinstance(row["scores"], list) else [row["scores"]]
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) != len(values) or len(values) != n or not all(abs(one) < _LARGEST for one in numbers):
        wanted = "two numbers, such as [8, 6]" if n == 2 else "one number"
        raise DataError(f"{where}: scores of the example must be {wanted}")
    return tuple(map(float, numbers))


def _winner(where: str, row: Mapping[str, Any], n: int, scores: tuple[float, ...]) -> Seat | None:
    by_scores = read_scores(*scores).seat if len(scores) == 2 else None
    if "winner" not in row:
        return by_scores
    winner = _WINNERS.get(str(row["winner"]).casefold())
    if n != 2 or winner is None:
        raise DataError(f'{where}: winner must be "A", "B" or "tie", of two answers')
    if by_scores is not None and winner is not by_scores:
        raise DataError(
            f"{where}: winner of the example is not the one with the higher score; drop one of them"
        )
    return winner
