"""The same from Python as from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.answers import InputOptions
from judgecli.run import PairOptions, Progress, execute, load_run, prepare_pair
from judgecli.types import RunRecord, Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """A run read back (`record`), its statistics (`summary`) and the run file it lies in (`path`)."""

    path: Path
    record: RunRecord
    summary: Summary

    def text(self, form: str = "terminal", *, width: int = 80, color: bool = False) -> str:
        """Return the report in one of the formats terminal, markdown, json."""
        return reports.render(form, self.record, self.summary, width=width, color=color)


def pair(
    baseline: str | os.PathLike[str],
    candidate: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    observe: Callable[[Progress], None] = lambda _: None,
    input_options: dict[str, Any] | None = None,
    **options: Any,
) -> PairResult:
    """Judge a candidate's answers against a baseline's and return the result.

    `options` are the fields of `judgecli.run.PairOptions` (model, prompt, orders, min_mass, reasons, ...),
    `input_options` those of `judgecli.answers.InputOptions` (reference, questions, pair_by, limit, ...). The
    run file at `out` is resumed if it exists, as on the command line.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    source = InputOptions(
        baseline=os.fspath(baseline),
        candidate=None if candidate is None else os.fspath(candidate),
        **(input_options or {}),
    )
    run = prepare_pair(PairOptions(input=source, out=None if out is None else Path(out), **options))
    execute(run, observe)
    return report(run.path)


def report(path: str | os.PathLike[str]) -> PairResult:
    """Return the result that a run file holds.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    record = load_run(Path(path))
    return PairResult(path=Path(path), record=record, summary=summarise(record))
