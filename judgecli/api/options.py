"""Options by keyword: the fields of the options of a run, with the words of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from judgecli.answers import PairBy
from judgecli.api.arguments import path_text
from judgecli.errors import UsageError
from judgecli.run import Orders, Overflow, Trusting
from judgecli.types import CacheType, EngineOptions, GateKind, GateOptions, Ranking, SplitMode, check_margin

E = TypeVar("E", bound=StrEnum)

_FILES = {"baseline", "candidate", "files"}
_PARTS = {"engine": EngineOptions, "trusting": Trusting}  # of a run's options, whose fields are options too
_NUMBERS = ("tensor_split", "price")
_ENUMS: Mapping[str, type[StrEnum]] = {
    "pair_by": PairBy,
    "orders": Orders,
    "gate": GateKind,
    "overflow": Overflow,
    "mode": Ranking,
    "type_k": CacheType,
    "type_v": CacheType,
    "split_mode": SplitMode,
}


def sorted_out(
    function: str, input_kind: type, run_kind: type, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the input's options and the run's by name, with words made members of their enums.

    Raises:
        UsageError: the function has no such option, or an option no such value.
    """
    own = _names(run_kind)
    parts = {name: _names(kind) for name, kind in _PARTS.items() if name in own}
    input_names = _names(input_kind) - _FILES
    run_names = own - parts.keys() - {"input", "out", "gate"}
    gate_names = {"gate", *_names(GateOptions)} - {"kind", "seed"} if "gate" in own else set()
    known = input_names.union(run_names, gate_names, *parts.values())
    for name in options.keys() - known:
        close = get_close_matches(name, known)
        hint = f"; did you mean {' or '.join(close)}" if close else ""
        raise UsageError(f"{function}() has no option {name!r}{hint}")
    values = {name: _value(name, value) for name, value in options.items()}
    run = _chosen(values, run_names)
    for name, names in parts.items():
        run[name] = _PARTS[name](**_chosen(values, names))
    if gate_names & values.keys():
        run["gate"] = _gate(values, gate_names)
    return _chosen(values, input_names), run


def _gate(values: Mapping[str, Any], names: set[str]) -> GateOptions | None:
    """Return the gate that is asked for, with the seed that the input has too."""
    more = _chosen(values, names - {"gate"})
    kind = values.get("gate")
    if kind is None and more:
        raise UsageError(f"{min(more)} has no use without gate; give gate='no-worse' or gate='better' too")
    if kind is None:
        return None
    check_margin(kind, more, margin="margin", gate=f"gate={kind.value!r}")
    return GateOptions(kind=kind, **more, **_chosen(values, {"seed"}))


def _names(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}


def _chosen(values: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: values[name] for name in names & values.keys()}


def _value(name: str, value: Any) -> Any:
    if name in _ENUMS and value is not None:
        return _member(name, _ENUMS[name], value)
    if name == "calibration" and value is not None:
        return Path(path_text(name, value))
    return _numbers(name, value) if name in _NUMBERS else value


def _numbers(name: str, values: Any) -> tuple[float, ...]:
    try:
        return tuple(float(value) for value in (values if not isinstance(values, str) else [values]))
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be numbers, such as (3, 1), not {values!r}") from error


def _member(name: str, kind: type[E], value: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        raise UsageError(f"{name} must be one of {', '.join(kind)}, not {value!r}") from error
