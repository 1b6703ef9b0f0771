"""The same from Python as from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.answers import AnswersOptions, InputOptions, PairBy
from judgecli.errors import UsageError
from judgecli.run import (
    GradeOptions,
    Orders,
    Overflow,
    PairOptions,
    PreparedRun,
    Progress,
    RankOptions,
    execute,
    load_run,
    prepare_grade,
    prepare_pair,
    prepare_rank,
)
from judgecli.types import (
    CacheType,
    EngineOptions,
    GradeSummary,
    PairSummary,
    Ranking,
    RankSummary,
    RunRecord,
    SplitMode,
    Summary,
)

E = TypeVar("E", bound=StrEnum)
S = TypeVar("S", bound=Summary)
AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Generic[S]):
    """A run read back (`record`), its statistics (`summary`) and the run file it lies in (`path`)."""

    path: Path
    record: RunRecord
    summary: S

    def text(self, form: str = "terminal", *, width: int = 80, color: bool = False) -> str:
        """Return the report in one of the formats terminal, markdown, json."""
        return reports.render(form, self.record, self.summary, width=width, color=color)


PairResult = Result[PairSummary]
GradeResult = Result[GradeSummary]
RankResult = Result[RankSummary]
Observe = Callable[[Progress], None]

_FILES = {"baseline", "candidate", "files"}
_ENGINE_NAMES = {field.name for field in fields(EngineOptions)}
_ENUMS: Mapping[str, type[StrEnum]] = {
    "pair_by": PairBy,
    "orders": Orders,
    "overflow": Overflow,
    "mode": Ranking,
    "type_k": CacheType,
    "type_v": CacheType,
    "split_mode": SplitMode,
}


def pair(
    baseline: AnyPath,
    candidate: AnyPath | None = None,
    *,
    out: AnyPath | None = None,
    observe: Observe = lambda _: None,
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
    given, run = _sorted_out("pair", InputOptions, PairOptions, options)
    source = InputOptions(
        baseline=os.fspath(baseline), candidate=None if candidate is None else os.fspath(candidate), **given
    )
    return cast(
        PairResult, _carry_out(prepare_pair(PairOptions(input=source, out=_path(out), **run)), observe)
    )


def grade(
    answers: AnyPath, *, out: AnyPath | None = None, observe: Observe = lambda _: None, **options: Any
) -> GradeResult:
    """Grade one model's answers, one at a time, and return the result.

    `options` are the fields of `judgecli.run.GradeOptions` (model, prompt, rubric, ...), of
    `judgecli.answers.AnswersOptions` (reference, questions, turn, limit, ...) and of
    `judgecli.types.EngineOptions`. The run file at `out` is resumed if it exists.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    given, run = _sorted_out("grade", AnswersOptions, GradeOptions, options)
    source = AnswersOptions(files=(os.fspath(answers),), **given)
    prepared = prepare_grade(GradeOptions(input=source, out=_path(out), **run))
    return cast(GradeResult, _carry_out(prepared, observe))


def rank(
    answers: Sequence[AnyPath],
    *,
    out: AnyPath | None = None,
    observe: Observe = lambda _: None,
    **options: Any,
) -> RankResult:
    """Rank three or more models by their answer files and return the result.

    `options` are the fields of `judgecli.run.RankOptions` (mode="joint", rotations, model, ...), of
    `judgecli.answers.AnswersOptions` and of `judgecli.types.EngineOptions`. The run file at `out` is resumed
    if it exists.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    given, run = _sorted_out("rank", AnswersOptions, RankOptions, options)
    if isinstance(answers, str | os.PathLike):
        raise UsageError(f"rank() takes a list of three answer files or more, not {os.fspath(answers)!r}")
    source = AnswersOptions(files=tuple(os.fspath(file) for file in answers), **given)
    prepared = prepare_rank(RankOptions(input=source, out=_path(out), **run))
    return cast(RankResult, _carry_out(prepared, observe))


def report(path: AnyPath) -> Result[Any]:
    """Return the result that a run file holds; its mode decides what its summary has.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    record = load_run(Path(path))
    return Result(path=Path(path), record=record, summary=summarise(record))


def _carry_out(run: PreparedRun, observe: Observe) -> Result[Any]:
    execute(run, observe)
    path = run.path
    del run  # the file is read back now: its items need not be in memory twice
    return report(path)


def _path(out: AnyPath | None) -> Path | None:
    return None if out is None else Path(out)


def _sorted_out(
    function: str, input_kind: type, run_kind: type, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the input's options and the run's by name, with words made members of their enums."""
    input_names = {field.name for field in fields(input_kind)} - _FILES
    run_names = {field.name for field in fields(run_kind)} - {"input", "out", "engine"}
    known = input_names | run_names | _ENGINE_NAMES
    for name in options.keys() - known:
        close = get_close_matches(name, known)
        hint = f"; did you mean {' or '.join(close)}" if close else ""
        raise UsageError(f"{function}() has no option {name!r}{hint}")
    values = {name: _value(name, value) for name, value in options.items()}
    engine = EngineOptions(**{name: values[name] for name in _ENGINE_NAMES & values.keys()})
    run = {name: values[name] for name in run_names & values.keys()}
    return {name: values[name] for name in input_names & values.keys()}, {**run, "engine": engine}


def _value(name: str, value: Any) -> Any:
    if name in _ENUMS:
        return _member(name, _ENUMS[name], value)
    return _numbers(name, value) if name == "tensor_split" else value


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
