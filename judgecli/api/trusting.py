"""Hold a judge against people from Python, and read runs back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgecli.analysis import summarise_agreement, summarise_calibration, summarise_validation
from judgecli.answers import LabelReading
from judgecli.api.arguments import number, optional_path, path_text
from judgecli.api.judging import Observe, pair_options
from judgecli.api.results import (
    AgreementResult,
    AnyPath,
    CalibrationResult,
    Result,
    ValidationResult,
)
from judgecli.errors import UsageError
from judgecli.run import execute, load_run
from judgecli.run.calibration_file import check_calibration_place, write_calibration
from judgecli.run.labelled import load_labelled, opened, prepare_labelled
from judgecli.run.trusting import load_adjusted


def report(
    path: AnyPath,
    labels: AnyPath | None = None,
    *,
    id_field: str | None = None,
    label_field: str | None = None,
) -> Result[Any]:
    """Return the result that a run file holds; its mode decides what its summary has.

    With labels of some pairs of a run of pairs, `summary.adjusted` is the win rate that people would give.

    Raises:
        DataError: it is not a run file, or is broken; the labels cannot be read, or are fewer than 20.
        UsageError: labels for a run of another kind.
    """
    file, people = Path(path_text("path", path)), optional_path("labels", labels)
    reading = LabelReading(id_field=id_field, label_field=label_field)
    record, summary = load_adjusted(file, people, reading)
    return Result(path=file, record=record, summary=summary)


def agree(
    run: AnyPath,
    labels: AnyPath | None = None,
    *,
    by: str | None = None,
    group: str | None = None,
    failures_as_ties: bool = False,
    id_field: str | None = None,
    label_field: str | None = None,
    out: AnyPath | None = None,
    observe: Observe = lambda _: None,
    **options: Any,
) -> AgreementResult:
    """Return how a judge agrees with people's labels.

    `run` is a run file, or verdicts made elsewhere; `labels` may be left out where its items carry them. A
    file of labelled pairs is judged first, as `pair` does it and with its options.

    Raises:
        JudgeError: with a sentence for the user, see `judgecli.errors`.
    """
    file, people = path_text("run", run), optional_path("labels", labels)
    reading = LabelReading(id_field=id_field, label_field=label_field, seed=options.get("seed", 0))
    with opened(file) as subject:
        if subject.is_judged:
            _refuse_judging(file, out, options)
            path = Path(file)
            record, known = load_labelled(subject, people, reading)
        else:
            chosen = pair_options("agree", file, None, out, options)
            needed = {"by": by, "group": group}
            prepared, known = prepare_labelled(subject, chosen, people, reading, needed)
            execute(prepared, observe)
            path = prepared.path
            record = load_run(path)
    summary = summarise_agreement(record, known, by=by, group=group, failures_as_ties=failures_as_ties)
    return Result(path=path, record=record, summary=summary)


def _refuse_judging(subject: str, out: AnyPath | None, options: Mapping[str, Any]) -> None:
    useless = [*(name for name in options if name != "seed"), *(["out"] if out is not None else [])]
    if useless:
        raise UsageError(f"{subject} is judged already, so {useless[0]} is of no use; leave it out")


def validate(
    run: AnyPath,
    labels: AnyPath,
    *,
    epsilon: float = 0.2,
    group: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    seed: int = 0,
) -> ValidationResult:
    """Return whether the judge may stand in for one of three or more annotators.

    Items with the same value in the field `group` count as one.

    Raises:
        DataError: the run or the labels cannot be read, are not of several annotators, or lack the field.
        UsageError: `epsilon` is out of its range.
    """
    file, people = path_text("run", run), path_text("labels", labels)
    number("epsilon", epsilon)
    reading = LabelReading(id_field=id_field, label_field=label_field, seed=seed)
    with opened(file) as subject:
        record, known = load_labelled(subject, people, reading)
    summary = summarise_validation(record, known, epsilon=epsilon, group=group)
    return Result(path=Path(file), record=record, summary=summary)


def calibrate(
    run: AnyPath,
    labels: AnyPath,
    out: AnyPath | None = None,
    *,
    agree: float = 0.8,
    confidence: float = 0.9,
    group: str | None = None,
    id_field: str | None = None,
    label_field: str | None = None,
    seed: int = 0,
) -> CalibrationResult:
    """Fit a calibration to labels, write it to `out` if that is given, and return what it showed.

    Raises:
        DataError: the run or the labels cannot be read, or give nothing to calibrate with.
        OutputError: `out` cannot be written, or is something else than a calibration.
        UsageError: a share is out of its range, or `out` is an input.
    """
    file, people = path_text("run", run), path_text("labels", labels)
    place = None if out is None else Path(path_text("out", out))
    for name, share in (("agree", agree), ("confidence", confidence)):
        number(name, share)
    if place is not None:
        check_calibration_place(place, (file, people))
    reading = LabelReading(id_field=id_field, label_field=label_field, seed=seed)
    with opened(file) as subject:
        record, known = load_labelled(subject, people, reading)
    summary = summarise_calibration(record, known, agree=agree, confidence=confidence, group=group, seed=seed)
    if place is not None:
        write_calibration(place, summary)
    return Result(path=Path(file), record=record, summary=summary)
