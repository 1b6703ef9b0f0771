"""From a command's parameters, by name, to the options of a run."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from judgecli.answers import Fields, InputOptions, PairBy
from judgecli.errors import UsageError
from judgecli.run import Orders, Overflow, PairOptions
from judgecli.types import CacheType, EngineOptions, SplitMode

E = TypeVar("E", bound=StrEnum)
_FIELDS = ("id", "instruction", "input", "response", "response_a", "response_b", "reference", "model")


def input_options(values: Mapping[str, Any]) -> InputOptions:
    """Return what is asked of the input.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    same = ("baseline", "candidate", "reference", "questions", "format_in", "no_reference")
    more = ("allow_missing", "allow_missing_reference", "limit", "sample", "seed")
    return InputOptions(
        **{name: values[name] for name in (*same, *more) if name in values},
        fields=Fields(**{name: values[f"{name}_field"] for name in _FIELDS}),
        pair_by=member("--pair-by", PairBy, values["pair_by"]),
    )


def pair_options(values: Mapping[str, Any]) -> PairOptions:
    """Return everything that is asked of `judge pair`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    same = ("model", "prompt", "template", "min_mass", "reasons", "n_ctx", "out")
    return PairOptions(
        input=input_options(values),
        orders=member("--orders", Orders, values["orders"]),
        overflow=member("--overflow", Overflow, values["overflow"]),
        engine=engine_options(values),
        **{name: values[name] for name in (*same, "fresh", "retry", "verbose")},
    )


def engine_options(values: Mapping[str, Any]) -> EngineOptions:
    """Return how the engine is to be set up.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    shares = values["tensor_split"]
    same = ("n_gpu_layers", "n_ubatch", "main_gpu", "parallel", "prompts_per_call")
    return EngineOptions(
        n_threads=values["threads"],
        type_k=member("--type-k", CacheType, values["type_k"]),
        type_v=member("--type-v", CacheType, values["type_v"]),
        flash_attn=not values["no_flash_attn"],
        split_mode=member("--split-mode", SplitMode, values["split_mode"]),
        tensor_split=() if shares is None else _numbers("--tensor-split", shares),
        **{name: values[name] for name in same},
    )


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in text.split(","))
    except ValueError as error:
        message = f"{name} must be numbers with commas between them, such as 3,1, not {text!r}"
        raise UsageError(message) from error


def member(name: str, kind: type[E], value: str) -> E:
    """Return the member of an enum that an option names.

    Raises:
        UsageError: there is no such member.
    """
    try:
        return kind(value)
    except ValueError as error:
        raise UsageError(f"{name} must be one of {', '.join(kind)}, not {value!r}") from error
