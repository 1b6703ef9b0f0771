"""From a command's parameters, by name, to the options of a run."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from judgecli.answers import AnswersOptions, Fields, InputOptions, PairBy
from judgecli.errors import UsageError
from judgecli.run import GradeOptions, Orders, Overflow, PairOptions, RankOptions, Trusting
from judgecli.types import CacheType, EngineOptions, GateKind, GateOptions, Ranking, SplitMode, check_margin

E = TypeVar("E", bound=StrEnum)
_OF_A_GATE = ("margin", "control", "early_stop", "group", "by")
_FIELDS = ("id", "instruction", "input", "response", "response_a", "response_b", "reference", "model")


def input_options(values: Mapping[str, Any]) -> InputOptions:
    """Return what is asked of the input of a run over pairs.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    return InputOptions(baseline=values["baseline"], candidate=values["candidate"], **loading_options(values))


def loading_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked of the input of any run, by the names of `LoadingOptions`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    beside = ("reference", "questions", "no_reference", "allow_missing", "allow_missing_reference")
    which = ("format_in", "turn", "limit", "sample", "seed")
    named: dict[str, Any] = {name: _names(values.get(f"{name}_field")) for name in _FIELDS}
    return {
        "fields": Fields(**named),
        "pair_by": member("--pair-by", PairBy, values.get("pair_by", PairBy.AUTO)),
        **{name: values[name] for name in (*beside, *which) if name in values},
    }


def _names(given: str | list[str] | None) -> str | tuple[str, ...] | None:
    return tuple(given) if isinstance(given, list) else given


def grade_options(values: Mapping[str, Any]) -> GradeOptions:
    """Return everything that is asked of `judge grade`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    source = AnswersOptions(files=(values["answers"],), **loading_options(values))
    return GradeOptions(input=source, **run_options(values))


def rank_options(values: Mapping[str, Any]) -> RankOptions:
    """Return everything that is asked of `judge rank`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    return RankOptions(
        input=AnswersOptions(files=tuple(values["answers"]), **loading_options(values)),
        mode=member("--mode", Ranking, values["mode"]),
        rotations=values["rotations"],
        **run_options(values),
    )


def pair_options(values: Mapping[str, Any]) -> PairOptions:
    """Return everything that is asked of `judge pair`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    return PairOptions(
        input=input_options(values),
        orders=member("--orders", Orders, values["orders"]),
        trusting=trusting(values),
        gate=gate(values),
        **run_options(values),
    )


def gate(values: Mapping[str, Any]) -> GateOptions | None:
    """Return the gate that is asked for; None without one, or in a command that has none.

    Raises:
        UsageError: an option has a value it cannot take, or no use without --gate.
    """
    if "gate" not in values:
        return None
    given = _on_command_line(values, _OF_A_GATE)
    if values["gate"] is None:
        for name in given:
            raise UsageError(f"--{name.replace('_', '-')} has no use without --gate; give that too")
        return None
    kind = member("--gate", GateKind, values["gate"])
    check_margin(kind, given, margin="--margin", gate=f"--gate {kind}")
    most = values.get("max_failures")
    limits = {} if most is None else {"max_invalid": most}
    return GateOptions(kind=kind, **{name: values[name] for name in (*_OF_A_GATE, "seed")}, **limits)


def _on_command_line(values: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return the options that were typed; a default of `judge.toml` may stand where it has no use."""
    sources = {name: values["context"].get_parameter_source(name) for name in names}
    return [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]


def trusting(values: Mapping[str, Any]) -> Trusting:
    """Return from what on verdicts are doubted, and who is asked then.

    Raises:
        UsageError: conditions that contradict each other or have no use.
    """
    conditions = ("escalate", "escalate_prompt", "below", "order_dependent", "failed", "calibration")
    return Trusting(**{name: values[name] for name in conditions if name in values})


def run_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked of a run of any mode, by the names of `RunOptions`.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    how = ("model", "prompt", "template", "rubric", "aspect", "cot", "shots", "reference_block")
    read = ("min_mass", "reasons", "entropy", "base")
    where = ("n_ctx", "out", "fresh", "retry", "verbose")
    return {
        "overflow": member("--overflow", Overflow, values["overflow"]),
        "engine": engine_options(values),
        "cache": _cache(values),
        **{name: values[name] for name in (*how, *read, *where) if name in values},
    }


def _cache(values: Mapping[str, Any]) -> bool | str:
    """Return where completions are kept: a folder named asks for it, and --no-cache wins over all."""
    wanted, folder = values.get("cache"), values.get("cache_dir")
    if wanted is False:
        return False
    return bool(wanted) if folder is None else str(folder)


def engine_options(values: Mapping[str, Any]) -> EngineOptions:
    """Return how the engine is to be set up.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    shares = values["tensor_split"]
    same = ("n_gpu_layers", "n_ubatch", "main_gpu", "parallel", "prompts_per_call")
    price = values.get("price")
    return EngineOptions(
        n_threads=values["threads"],
        type_k=member("--type-k", CacheType, values["type_k"]),
        type_v=member("--type-v", CacheType, values["type_v"]),
        flash_attn=not values["no_flash_attn"],
        split_mode=member("--split-mode", SplitMode, values["split_mode"]),
        tensor_split=() if shares is None else _numbers("--tensor-split", shares),
        max_calls=values.get("max_calls"),
        timeout_s=values.get("timeout", EngineOptions().timeout_s),
        price=() if price is None else _numbers("--price", price),
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
