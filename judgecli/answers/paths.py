"""Dotted field names: `choices[0].turns`, `choices.0.turns`, `messages[-1].content`, `messages[:-1]`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

_INDEX = re.compile(r"-?[0-9]{1,9}")
_ALL_BUT_LAST = ":-1"


class _Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""What `look_up` returns for a field that is not there; a null field is None."""


@lru_cache(maxsize=1024)
def _steps(path: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^.\[\]]+", path))


def look_up(row: Mapping[str, Any], path: str) -> Any:
    """Return the value at a dotted path, or MISSING. A key spelled exactly like the path wins."""
    if path in row:
        return row[path]
    value: Any = row
    for step in _steps(path) or (path,):
        value = _step(value, step)
        if value is MISSING:
            break
    return value


def _step(value: Any, step: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(step, MISSING)
    if not isinstance(value, list):
        return MISSING
    if step == _ALL_BUT_LAST:
        return value[:-1]
    if _INDEX.fullmatch(step) and -len(value) <= int(step) < len(value):
        return value[int(step)]
    return MISSING
