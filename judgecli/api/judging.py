"""Judge from Python: pairs, single answers, rankings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from judgecli.answers import AnswersOptions, InputOptions
from judgecli.api.arguments import optional_path, path_text
from judgecli.api.options import sorted_out
from judgecli.api.results import AnyPath, GradeResult, PairResult, RankResult, Result, result_of
from judgecli.errors import UsageError
from judgecli.run import (
    GradeOptions,
    PairOptions,
    PreparedRun,
    Progress,
    RankOptions,
    execute,
    prepare_grade,
    prepare_pair,
    prepare_rank,
)

Observe = Callable[[Progress], None]


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
    `judgecli.run.Trusting` (escalate, below, calibration, ...), of `judgecli.answers.InputOptions`
    (reference, questions, pair_by, limit, ...) and of `judgecli.types.EngineOptions` (n_threads, n_ubatch,
    type_k, ...), with the words of the command line (`orders="ab"`). The run file at `out` is resumed if it
    exists.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    prepared = prepare_pair(pair_options("pair", baseline, candidate, out, options))
    return cast(PairResult, _carry_out(prepared, observe))


def pair_options(
    function: str,
    baseline: AnyPath,
    candidate: AnyPath | None,
    out: AnyPath | None,
    options: Mapping[str, Any],
) -> PairOptions:
    """Return the options of a run of pairs.

    Raises:
        UsageError: the function has no such option, or an option no such value.
    """
    given, run = sorted_out(function, InputOptions, PairOptions, options)
    source = InputOptions(
        baseline=path_text("baseline", baseline), candidate=optional_path("candidate", candidate), **given
    )
    return PairOptions(input=source, out=_path(out), **run)


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
    given, run = sorted_out("grade", AnswersOptions, GradeOptions, options)
    source = AnswersOptions(files=(path_text("answers", answers),), **given)
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
    given, run = sorted_out("rank", AnswersOptions, RankOptions, options)
    if isinstance(answers, str | os.PathLike) or not isinstance(answers, Iterable):
        shown = os.fspath(answers) if isinstance(answers, os.PathLike) else answers
        raise UsageError(f"rank() takes a list of three answer files or more, not {shown!r}")
    source = AnswersOptions(files=tuple(path_text("each of answers", file) for file in answers), **given)
    prepared = prepare_rank(RankOptions(input=source, out=_path(out), **run))
    return cast(RankResult, _carry_out(prepared, observe))


def _carry_out(run: PreparedRun, observe: Observe) -> Result[Any]:
    execute(run, observe)
    path = run.path
    del run  # the file is read back now: its items need not be in memory twice
    return result_of(path)


def _path(out: AnyPath | None) -> Path | None:
    return None if out is None else Path(path_text("out", out))
