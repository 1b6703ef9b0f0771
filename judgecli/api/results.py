"""What the functions return: a run read back, its statistics, and the report on them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.run import load_run
from judgecli.types import (
    AgreementSummary,
    CalibrationSummary,
    GradeSummary,
    PairSummary,
    RankSummary,
    RunRecord,
    Summary,
    ValidationSummary,
)

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
AgreementResult = Result[AgreementSummary]
ValidationResult = Result[ValidationSummary]
CalibrationResult = Result[CalibrationSummary]


def result_of(path: Path) -> Result[Any]:
    """Return the result that a run file holds.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    record = load_run(path)
    return Result(path=path, record=record, summary=summarise(record))
