"""A rubric read from a TOML file: `criterion`, and a line for each score or label."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.asking import Rubric

_KEYS = ("criterion", "scores", "labels")
_EXAMPLES = {
    "scores": 'such as [scores] and below it 1 = "It is wrong." and 2 = "It is right."',
    "labels": 'such as [labels] and below it Yes = "It is right." and No = "It is wrong."',
}
_WITH_DOTS = {"scores": "scores are whole numbers", "labels": "put a label with a dot into quotes"}


def read_rubric(path: Path) -> Rubric:
    """Read a rubric.

    Raises:
        DataError: the file cannot be read, lacks the criterion, or leaves a score without its line.
    """
    try:
        data = path.read_bytes()
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:  # of tomllib too: it converts numbers as they are
        raise DataError(
            f"{path}: not a readable rubric ({getattr(error, 'strerror', None) or error})"
        ) from error
    for key in table:
        if key not in _KEYS:
            raise DataError(f"{path}: unknown key {key!r}; a rubric has {', '.join(_KEYS)}")
    criterion = table.get("criterion")
    if not isinstance(criterion, str) or not criterion.strip():
        raise DataError(f'{path}: no criterion; say what is graded: criterion = "Is the answer correct?"')
    if ("scores" in table) == ("labels" in table):
        raise DataError(f"{path}: give either [scores] or [labels], a line each, {_EXAMPLES['scores']}")
    name = "scores" if "scores" in table else "labels"
    lines = _lines(path, name, table[name])
    is_scores = name == "scores"
    return Rubric(
        criterion=criterion.strip(),
        scores=_scores(path, lines) if is_scores else {},
        labels={} if is_scores else lines,
        file=path.name,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _lines(path: Path, name: str, table: Any) -> dict[str, str]:
    if not isinstance(table, Mapping) or len(table) < 2:
        raise DataError(f"{path}: [{name}] needs a line for each of two {name} or more, {_EXAMPLES[name]}")
    for key, text in table.items():
        if isinstance(text, Mapping):
            below = next(iter(text), "...")
            raise DataError(f"{path}: [{name}] {key}.{below} is two keys to TOML; {_WITH_DOTS[name]}")
        if not isinstance(text, str) or not text.strip():
            raise DataError(f"{path}: [{name}] {key} must say in a text what it stands for")
    return {key: text.strip() for key, text in table.items()}


def _scores(path: Path, lines: Mapping[str, str]) -> dict[int, str]:
    for key in lines:
        if not (key.isascii() and key.isdigit() and int(key) <= 100 and key == str(int(key))):
            raise DataError(
                f"{path}: [scores] {key!r} is no whole number from 0 to 100; use [labels] for words"
            )
    scores = {int(key): text for key, text in lines.items()}
    for score in range(min(scores), max(scores)):
        if score not in scores:
            bounds = f"from {min(scores)} to {max(scores)}"
            raise DataError(f"{path}: [scores] has no line for {score}; describe every score {bounds}")
    return dict(sorted(scores.items()))
