"""Rows of a run file: dataclasses to JSON objects and back, every value checked against its field's type."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from judgecli.types import (
    JUDGE_MODEL,
    TIE,
    DecidedBy,
    EntropyReading,
    Item,
    Judgment,
    Order,
    Response,
    Source,
)

T = TypeVar("T")
_HINTS: Mapping[Any, Mapping[str, Any]] = {
    kind: get_type_hints(kind) for kind in (Item, Response, Source, Judgment, EntropyReading)
}

_ROUNDING = 1e-6  # by how much sums of probabilities may exceed 1
_SCORE = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,9})?(e[+-]?[0-9]{1,2})?")  # as `:g` writes it
_ENTROPY_OF = re.compile(f"{JUDGE_MODEL}|base:[0-9a-f]{{12}}")

# allow_nan=False: no other JSON reader takes NaN. ASCII escapes keep U+2028 from looking like a line's end.
dumps: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=str).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondAsking:
    """How a stronger judge would be asked about an item, should it be handed over; as in `PlannedItem`."""

    prompt_hashes: Mapping[Order, str]
    shown_characters: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedItem:
    """An item as the run file holds it: with the hash of each prompt asked, and what a rule decided.

    `decided` maps the letters of the models that a verdict is about to the rule that gave it.

    The answers are whole; where the judge is shown their beginnings only, `shown_characters` is how much.
    `second` is there where the run may hand items to a stronger judge.
    """

    item: Item
    prompt_hashes: Mapping[Order, str]
    decided: Mapping[Order, DecidedBy] = field(default_factory=dict)
    shown_characters: int | None = None
    second: SecondAsking | None = None

    def as_second(self) -> PlannedItem | None:
        """Return the item as a stronger judge would be asked about it; None where it cannot be."""
        if self.second is None or not self.second.prompt_hashes:
            return None
        asked = self.second
        return PlannedItem(
            item=self.item, prompt_hashes=asked.prompt_hashes, shown_characters=asked.shown_characters
        )


def same_plan(old: Iterable[PlannedItem], new: Iterable[PlannedItem]) -> bool:
    """Whether two plans are the same once written: a list and a tuple in the metadata are no difference."""
    return all(
        left is not None and right is not None and dumps(item_row(left)) == dumps(item_row(right))
        for left, right in zip_longest(old, new)
    )


def item_row(planned: PlannedItem) -> dict[str, Any]:
    """Return the row of an item."""
    row = dataclasses.asdict(planned.item)
    own: dict[str, Any] = {"prompt_hashes": dict(planned.prompt_hashes), "decided": dict(planned.decided)}
    if planned.shown_characters is not None:
        own["shown_characters"] = planned.shown_characters
    if planned.second is not None:
        own["second"] = dataclasses.asdict(planned.second)
    return {"row": "item", **row, **own}


def judgment_row(judgment: Judgment) -> dict[str, Any]:
    """Return the row of a judgment."""
    return {"row": "judgment", **dataclasses.asdict(judgment)}


def entropy_row(reading: EntropyReading) -> dict[str, Any]:
    """Return the row of an entropy."""
    return {"row": "entropy", **dataclasses.asdict(reading)}


def read_item(row: Mapping[str, Any]) -> PlannedItem:
    """Return the item of a row.

    Raises:
        ValueError: it has neither prompts nor a rule that decided it, or a field is missing or wrong.
    """
    own = ("prompt_hashes", "decided", "shown_characters", "second")
    hashes, decided, shown_characters, second = map(row.get, own)
    if not isinstance(decided, Mapping) or DecidedBy.JUDGE in decided.values():
        raise ValueError("decided is no table of rules")
    if not hashes and not decided:
        raise ValueError("an item has prompts, or a rule that decided it")
    item = _dataclass(Item, {key: value for key, value in row.items() if key not in own})
    planned = PlannedItem(
        item=item,
        prompt_hashes=_hashes(hashes),
        decided={Order(letters): DecidedBy(rule) for letters, rule in decided.items()},
        shown_characters=_value("shown_characters", int | None, shown_characters),
        second=_second(second),
    )
    asked = planned.second.prompt_hashes if planned.second else {}
    orders = (*planned.prompt_hashes, *planned.decided, *asked)
    if any(max(order.seats) >= len(item.responses) for order in orders):
        raise ValueError(f"an order speaks of more than its {len(item.responses)} answers")
    return planned


def _second(row: Any) -> SecondAsking | None:
    if row is None:
        return None
    if not isinstance(row, Mapping) or not set(row) <= {"prompt_hashes", "shown_characters"}:
        raise ValueError("second is no plan of a second asking")
    return SecondAsking(
        prompt_hashes=_hashes(row.get("prompt_hashes")),
        shown_characters=_value("shown_characters", int | None, row.get("shown_characters")),
    )


def _hashes(table: Any) -> dict[Order, str]:
    if not isinstance(table, Mapping) or not all(isinstance(value, str) for value in table.values()):
        raise ValueError("prompt_hashes is no table of hashes")
    return {Order(order): value for order, value in table.items()}


def read_judgment(row: Mapping[str, Any]) -> Judgment:
    """Return the judgment of a row.

    Raises:
        ValueError: it has not exactly one of a verdict and a failure, or a field is missing, wrong, or holds
            what it cannot.
    """
    judgment = _dataclass(Judgment, row)
    says_something = judgment.winner is not None or bool(judgment.scores)
    if says_something == (judgment.failure is not None):
        raise ValueError("a judgment has either a winner or scores, or a failure")
    winner = TIE if judgment.winner is None else judgment.winner
    spoken_of = {*judgment.scores, *judgment.expected, *judgment.p, winner}
    strangers = spoken_of - {TIE, *judgment.order}
    if strangers:
        raise ValueError(f"a judgment of {judgment.order} speaks of {min(strangers)}")
    _check_numbers(judgment)
    return judgment


def _check_numbers(judgment: Judgment) -> None:
    """Refuse probabilities, scores and counts that none can be: somebody has changed the row."""
    for name, of in (("p", judgment.p), ("p_scores", judgment.p_scores)):
        if any(p < 0 for p in of.values()) or math.fsum(of.values()) > 1 + _ROUNDING:
            raise ValueError(f"{name} holds what are no probabilities")
    for name, p in (("mass", judgment.mass), ("p_unopened", judgment.p_unopened)):
        if p is not None and not 0 <= p <= 1 + _ROUNDING:
            raise ValueError(f"{name} is no probability")
    if not all(_SCORE.fullmatch(score) for score in judgment.p_scores):
        raise ValueError("p_scores is about what are no scores")
    counts = (judgment.n_prompt_tokens, judgment.n_completion_tokens, judgment.n_calls, judgment.elapsed_s)
    if min(counts) < 0:
        raise ValueError("a count or a time is below 0")


def read_entropy(row: Mapping[str, Any]) -> EntropyReading:
    """Return the entropy of a row.

    Raises:
        ValueError: it is nobody's or of nothing, or a field is missing or wrong.
    """
    reading = _dataclass(EntropyReading, row)
    if not _ENTROPY_OF.fullmatch(reading.model):
        raise ValueError(f"an entropy is the judge's or a base model's, not that of {reading.model!r:.40}")
    if reading.entropy < 0 or reading.n_tokens < 1:
        raise ValueError("an entropy is a mean over tokens, and not below 0")
    return reading


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
    elif isinstance(hint, type) and issubclass(hint, StrEnum | Order) and isinstance(value, str):
        held = hint(value)
    elif origin is tuple and isinstance(value, list):
        held = tuple(_value(name, get_args(hint)[0], one) for one in value)
    elif origin is Mapping and isinstance(value, dict):
        held = value if get_args(hint)[1] is Any else _table(name, get_args(hint)[1], value)
    elif hint is float and type(value) in {int, float} and math.isfinite(float(value)):
        held = float(value)
    elif hint is not float and type(value) is hint:
        held = value
    else:
        raise ValueError(f"{name} cannot be {value!r:.40}")
    return held


def _table(name: str, hint: Any, table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _value(f"{name}.{key}", hint, value) for key, value in table.items()}
