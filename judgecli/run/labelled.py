"""A judge's results and people's labels, brought together.

The results are those of a run file, or made elsewhere, or of labelled pairs that are judged first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from judgecli.analysis.units import field_values
from judgecli.answers import (
    USUAL_READING,
    InputOptions,
    LabelReading,
    holds_verdicts,
    labels_of,
    read_label_file,
    with_fields,
)
from judgecli.errors import DataError, NoPairsError, UsageError
from judgecli.ledger import is_run_file
from judgecli.run.execution import PreparedRun
from judgecli.run.imported import imported
from judgecli.run.pair import PairOptions, prepare_pair
from judgecli.run.record import load_run
from judgecli.types import Item, LabelKind, Labels, RunRecord
from judgecli.types.pipes import STDIN, can_be_reread, check_stdin, reread

# of a file that is no run file and whose first row is no verdict
READ_AS_PAIRS = (
    "read as pairs to be judged (verdicts made elsewhere have an id, and a winner, A, B or tie, or a failure)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A file to be held against labels, while `opened`: a run file, verdicts made elsewhere, or neither."""

    path: str
    is_run: bool
    holds_verdicts: bool

    @property
    def is_judged(self) -> bool:
        """Whether it needs no judge."""
        return self.is_run or self.holds_verdicts


@contextmanager
def opened(path: str) -> Iterator[Subject]:
    """Look at what is to be held against labels; a pipe, stdin too, can be read again while this lasts."""
    with reread([path]):
        is_run = is_run_file(Path(path))
        yield Subject(path=path, is_run=is_run, holds_verdicts=not is_run and holds_verdicts(path))


def load_labelled(
    subject: Subject, labels: str | None = None, reading: LabelReading = USUAL_READING
) -> tuple[RunRecord, Labels]:
    """Return a run, or verdicts made elsewhere, with the labels of a file or those that a run's items carry.

    Raises:
        DataError: a file cannot be read or is of another kind, there are no labels, or none is of the run.
        UsageError: a field of labels without their file.
    """
    path = subject.path
    check_stdin([path, labels])
    # what cannot be read is refused as a run file
    if subject.is_run or not can_be_reread(path):
        record = load_run(Path(path))
        if record.header.get("mode") == "rank":
            message = f"{path}: a ranking, which has no one verdict an item"
            raise DataError(f"{message}; give a run of judge pair or judge grade")
        return record, labels_of_run(record, path, labels, reading)
    if not subject.holds_verdicts:
        raise DataError(f"{path}: neither a run file nor verdicts; judge its pairs with `judge pair` first")
    if labels is None:
        raise DataError(
            f"{path}: holds verdicts made elsewhere and no labels; name a file of labels after it"
        )
    return imported(path, read_label_file(labels, reading))


def labels_of_run(
    record: RunRecord, run_file: str, labels: str | None, reading: LabelReading = USUAL_READING
) -> Labels:
    """Return the labels of a run: those of a file, else those that its items carry.

    Raises:
        DataError: the labels cannot be read, there are none, or none is of the run.
        UsageError: a field of labels without their file.
    """
    if labels is not None:
        return read_label_file(labels, reading).labels(record.items, models=_models(record.header))
    if reading.label_field is not None:
        raise UsageError("--label-field names a field of a file of labels; name that file after the run file")
    found = labels_of(record.items, run_file)
    if found is None:
        raise DataError(f"{run_file}: its items carry no labels; name a file of labels after it")
    return found


def prepare_labelled(
    subject: Subject,
    options: PairOptions,
    labels: str | None,
    reading: LabelReading = USUAL_READING,
    fields: Mapping[str, str | None] = MappingProxyType({}),
) -> tuple[PreparedRun, Labels]:
    """Prepare the run of labelled pairs, and return the labels of a file, or those that the pairs carry.

    `options` are those of a run whose one input is the subject. `fields` are those that the comparison will
    need, by the options that name them: nobody should wait for a judge to learn that one is misspelt.

    Raises:
        DataError: the input is no file of pairs, has no labels, or is wrong as for `prepare_pair`.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    options = _keeping(options, tuple(filter(None, fields.values())))
    given = options.input
    check_stdin([subject.path, given.reference, given.questions, labels])
    run = _prepared(subject, options)
    items = tuple(one.item for one in run.plan.planned)
    if labels is not None:
        known = read_label_file(labels, reading).labels(items, models=_models(run.header))
    else:
        known = _own_labels(subject.path, items, reading)
    if any(fields.values()):
        known = _with_fields_of(given, known)
    _check_comparable(RunRecord(header=run.header, items=items, judgments={}, verdicts=()), known, fields)
    return run, known


def _prepared(subject: Subject, options: PairOptions) -> PreparedRun:
    """Prepare the run of a file that should hold pairs, and say of one that does not what was expected."""
    path = subject.path
    try:
        return prepare_pair(options)
    except NoPairsError as error:
        message = f"{path}: holds one answer a row; give a run file"
        raise DataError(f"{message}, verdicts (id, and winner or failure) or labelled pairs") from error
    except DataError as error:
        if _holds_pairs(path):
            raise
        raise DataError(f"{error}; it was {READ_AS_PAIRS}") from error


def _keeping(options: PairOptions, fields: tuple[str, ...]) -> PairOptions:
    """Return the options with fields that the run's items keep where their rows have them."""
    kept = replace(options.input.fields, kept=(*options.input.fields.kept, *fields))
    return replace(options, input=replace(options.input, fields=kept))


def _holds_pairs(subject: str) -> bool:
    """Whether a file holds pairs of answers, or cannot be told to hold none."""
    try:
        return read_label_file(subject).pairs is not None
    except DataError:
        return True


def _check_comparable(record: RunRecord, labels: Labels, fields: Mapping[str, str | None]) -> None:
    if labels.kind is LabelKind.SCORES:
        message = f"{labels.file}: its labels are scores of single answers, and pairs are compared"
        raise DataError(f"{message}; give labels with winners")
    for option, field in fields.items():
        if field is not None:
            field_values(record, labels, field, option=option)


def _own_labels(file: str, items: Sequence[Item], reading: LabelReading) -> Labels:
    """Return the labels that pairs carry, or that a field of their file holds.

    Raises:
        DataError: there are none, saying what is in the file instead.
    """
    named = reading.label_field
    found = labels_of(items, "stdin" if file == STDIN else file) if named is None else None
    return read_label_file(file, reading).labels(items) if found is None else found


def _with_fields_of(options: InputOptions, labels: Labels) -> Labels:
    """Return labels with the small fields of the rows of pairs that are judged; of no use to a run itself."""
    named = options.fields.id
    id_field = named if isinstance(named, str) or named is None else named[0]
    try:
        fields = read_label_file(options.baseline, LabelReading(id_field=id_field, seed=options.seed)).fields
    except DataError:  # what is missing is said where it is looked for
        return labels
    return with_fields(labels, fields)


def _models(header: Mapping[str, Any]) -> tuple[str | None, ...]:
    """Return the names of a run's models, in the order of their letters; none where the header has none."""
    given = header.get("input")
    table = given if isinstance(given, Mapping) else {}
    if header.get("mode") == "grade":
        models = table.get("models")
        return tuple(map(str, models)) if isinstance(models, list | tuple) else ()
    names = (table.get("model_a"), table.get("model_b"))
    return names if all(isinstance(name, str) for name in names) else ()
