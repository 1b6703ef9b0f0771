"""The same from Python as from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.answers import InputOptions, PairBy
from judgecli.errors import UsageError
from judgecli.run import Orders, Overflow, PairOptions, Progress, execute, load_run, prepare_pair
from judgecli.types import CacheType, EngineOptions, RunRecord, SplitMode, Summary

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """A run read back (`record`), its statistics (`summary`) and the run file it lies in (`path`)."""

    path: Path
    record: RunRecord
    summary: Summary

    def text(self, form: str = "terminal", *, width: int = 80, color: bool = False) -> str:
        """Return the report in one of the formats terminal, markdown, json."""
        return reports.render(form, self.record, self.summary, width=width, color=color)


_INPUT_NAMES = {field.name for field in fields(InputOptions)} - {"baseline", "candidate"}
_ENGINE_NAMES = {field.name for field in fields(EngineOptions)}
_RUN_NAMES = {field.name for field in fields(PairOptions)} - {"input", "out", "engine"}
_ALL_NAMES = _INPUT_NAMES | _ENGINE_NAMES | _RUN_NAMES


def pair(
    baseline: str | os.PathLike[str],
    candidate: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    observe: Callable[[Progress], None] = lambda _: None,
    **options: Any,
) -> PairResult:
    """Judge a candidate's answers against a baseline's and return the result.

    `options` are the fields of `judgecli.run.PairOptions` (model, prompt, orders, min_mass, reasons, ...), of
    `judgecli.answers.InputOptions` (reference, questions, pair_by, limit, ...) and of
    `judgecli.types.EngineOptions` (n_threads, n_ubatch, type_k, ...), with the words of the command line
    (`orders="ab"`). The run file at `out` is resumed if it exists.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    _check_names(options)
    given = {name: options.pop(name) for name in _INPUT_NAMES & options.keys()}
    source = InputOptions(
        baseline=os.fspath(baseline),
        candidate=None if candidate is None else os.fspath(candidate),
        pair_by=_member("pair_by", PairBy, given.pop("pair_by", PairBy.AUTO)),
        **given,
    )
    run = prepare_pair(
        PairOptions(
            input=source,
            out=None if out is None else Path(out),
            orders=_member("orders", Orders, options.pop("orders", Orders.BOTH)),
            overflow=_member("overflow", Overflow, options.pop("overflow", Overflow.FAIL)),
            engine=_engine({name: options.pop(name) for name in _ENGINE_NAMES & options.keys()}),
            **options,
        )
    )
    execute(run, observe)
    path = run.path
    del run  # the file is read back now: its pairs need not be in memory twice
    return report(path)


def _check_names(options: Mapping[str, Any]) -> None:
    for name in options.keys() - _ALL_NAMES:
        close = get_close_matches(name, _ALL_NAMES)
        hint = f"; did you mean {' or '.join(close)}" if close else ""
        raise UsageError(f"pair() has no option {name!r}{hint}")


def _engine(given: dict[str, Any]) -> EngineOptions:
    for name, kind in (("type_k", CacheType), ("type_v", CacheType), ("split_mode", SplitMode)):
        if name in given:
            given[name] = _member(name, kind, given[name])
    if "tensor_split" in given:
        given["tensor_split"] = _numbers("tensor_split", given["tensor_split"])
    return EngineOptions(**given)


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


def report(path: str | os.PathLike[str]) -> PairResult:
    """Return the result that a run file holds.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    record = load_run(Path(path))
    return PairResult(path=Path(path), record=record, summary=summarise(record))
