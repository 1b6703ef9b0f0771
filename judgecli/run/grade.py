"""`judge grade`: the answers of one model, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judgecli.answers import AnswersOptions, AnswersReport, load_answers
from judgecli.prompts import PromptFamily
from judgecli.run.execution import PreparedRun
from judgecli.run.given import Comparison, Given, recorded_answers
from judgecli.run.options import RunOptions
from judgecli.run.preparing import prepare
from judgecli.types import Order

MODE = "grade"
_ALONE = Order("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeOptions(RunOptions):
    """Everything that `judge grade` can be told; `input` names one answer file."""

    input: AnswersOptions

    @property
    def answer_files(self) -> tuple[str, ...]:
        """The answer file."""
        return self.input.files


def prepare_grade(options: GradeOptions) -> PreparedRun:
    """Read the answers, and prepare their run.

    Raises:
        DataError: the input, the prompt family or the run file is wrong, or an answer has no reference where
            the judge needs one.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other, or not one answer file.
    """
    return prepare(options, read_answers_to_grade(options))


def read_answers_to_grade(options: GradeOptions) -> Given:
    """Read the answers; each is graded alone, an empty one by rule.

    Raises:
        DataError: a file is missing, damaged or empty, or a question is missing.
        UsageError: options that contradict each other or the kind of file.
    """
    loaded = load_answers(options.input)
    return Given(
        mode=MODE,
        items=loaded.items,
        comparisons=_alone,
        recorded=recorded_answers(options.input, loaded.report),
        asked={"turn": loaded.report.turn, "seed": options.input.seed},
        noun="answer",
        how="one answer at a time",
        lines=tuple(_lines(loaded.report)),
        notes=loaded.report.notes,
    )


def _alone(_family: PromptFamily) -> tuple[Comparison, ...]:
    return (Comparison(letters=_ALONE, orders=(_ALONE,)),)


def _lines(report: AnswersReport) -> Iterator[str]:
    read = zip(report.files, report.formats, strict=True)
    yield f"read {', '.join(f'{file} as {form}' for file, form in read)}"
    if report.n_multi_turn:
        yield f"{report.n_multi_turn} with turns before the one that is graded (--turn {report.turn})"
