"""Rows of a run file: dataclasses to JSON objects and back, every value checked against its field's type."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from judgecli.types import DecidedBy, Judgment, Order, Pair, Response, Source

T = TypeVar("T")
_HINTS: Mapping[Any, Mapping[str, Any]] = {
    kind: get_type_hints(kind) for kind in (Pair, Response, Source, Judgment)
}

# allow_nan=False: no other JSON reader takes NaN. ASCII escapes keep U+2028 from looking like a line's end.
dumps: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=str).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPair:
    """A pair as the run file holds it: with the hash of each prompt asked, or the rule that decided it.

    The answers are whole; where the judge is shown their beginnings only, `shown_characters` is how much.
    """

    pair: Pair
    prompt_hashes: Mapping[Order, str]
    decided_by: DecidedBy | None = None
    shown_characters: int | None = None


def same_plan(old: Iterable[PlannedPair], new: Iterable[PlannedPair]) -> bool:
    """Whether two plans are the same once written: a list and a tuple in the metadata are no difference."""
    return all(
        left is not None and right is not None and dumps(pair_row(left)) == dumps(pair_row(right))
        for left, right in zip_longest(old, new)
    )


def pair_row(planned: PlannedPair) -> dict[str, Any]:
    """Return the row of a pair."""
    row = dataclasses.asdict(planned.pair)
    hashes = {order.value: value for order, value in planned.prompt_hashes.items()}
    own: dict[str, Any] = {"prompt_hashes": hashes, "decided_by": planned.decided_by}
    if planned.shown_characters is not None:
        own["shown_characters"] = planned.shown_characters
    return {"row": "pair", **row, **own}


def judgment_row(judgment: Judgment) -> dict[str, Any]:
    """Return the row of a judgment."""
    return {"row": "judgment", **dataclasses.asdict(judgment)}


def read_pair(row: Mapping[str, Any]) -> PlannedPair:
    """Return the pair of a row.

    Raises:
        ValueError: it has neither prompts nor a rule that decided it, or a field is missing or wrong.
    """
    own = ("prompt_hashes", "decided_by", "shown_characters")
    hashes, decided_by, shown_characters = map(row.get, own)
    if not isinstance(hashes, Mapping) or not all(isinstance(value, str) for value in hashes.values()):
        raise ValueError("prompt_hashes is no table of hashes")
    if bool(hashes) == (decided_by is not None) or decided_by == DecidedBy.JUDGE:
        raise ValueError("a pair has either prompts or a rule that decided it")
    return PlannedPair(
        pair=_dataclass(Pair, {key: value for key, value in row.items() if key not in own}),
        prompt_hashes={Order(order): value for order, value in hashes.items()},
        decided_by=None if decided_by is None else DecidedBy(decided_by),
        shown_characters=_value("shown_characters", int | None, shown_characters),
    )


def read_judgment(row: Mapping[str, Any]) -> Judgment:
    """Return the judgment of a row.

    Raises:
        ValueError: it has not exactly one of a winner and a failure, or a field is missing or wrong.
    """
    judgment = _dataclass(Judgment, row)
    if (judgment.winner is None) == (judgment.failure is None):
        raise ValueError("a judgment has either a winner or a failure")
    return judgment


def _dataclass(kind: type[T], row: Mapping[str, Any]) -> T:
    hints = _HINTS[kind]
    for name in row:
        if name not in hints:
            raise ValueError(f"unknown field {name!r}")
    try:
        return kind(**{name: _value(name, hints[name], value) for name, value in row.items()})
    except TypeError as error:  # a field without a default is missing
        raise ValueError(str(error)) from error


def _value(name: str, hint: Any, value: Any) -> Any:
    """Return a value of JSON as a field of this type holds it."""
    origin = get_origin(hint)
    if origin is UnionType:  # `X | None` is the only union there is
        held = None if value is None else _value(name, get_args(hint)[0], value)
    elif isinstance(hint, type) and dataclasses.is_dataclass(hint) and isinstance(value, dict):
        held = _dataclass(hint, value)
    elif isinstance(hint, type) and issubclass(hint, StrEnum) and isinstance(value, str):
        held = hint(value)
    elif origin is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
        held = tuple(value)
    elif hint is float and type(value) in {int, float} and math.isfinite(float(value)):
        held = float(value)
    elif (hint is not float and type(value) is hint) or (origin is Mapping and isinstance(value, dict)):
        held = value
    else:
        raise ValueError(f"{name} cannot be {value!r:.40}")
    return held
