"""A judge's results and people's labels, brought together.

The results are those of a run file, or made elsewhere, or of labelled pairs that are judged first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from judgecli.analysis.units import field_values
from judgecli.answers import InputOptions, holds_verdicts, labels_of, read_label_file, with_fields
from judgecli.errors import DataError, NoPairsError, UsageError
from judgecli.ledger import is_run_file
from judgecli.run.execution import PreparedRun
from judgecli.run.imported import imported
from judgecli.run.pair import PairOptions, prepare_pair
from judgecli.run.record import load_run
from judgecli.types import Item, LabelKind, Labels, RunRecord
from judgecli.types.pipes import STDIN, can_be_reread, reread

# of a file that is no run file and whose first row is no verdict
READ_AS_PAIRS = (
    "read as pairs to be judged (verdicts made elsewhere have an id, and a winner, A, B or tie, or a failure)"
)
_ONCE = "stdin (-) can be read once; give it for one of the inputs only"


def is_judged(subject: str) -> bool:
    """Whether a file needs no judge: a run file, or verdicts made elsewhere.

    A pipe, stdin among them, is asked for a judge unless the caller lets it be read twice with `reread`.
    """
    return is_run_file(Path(subject)) or holds_verdicts(subject)


def load_labelled(
    path: Path,
    labels: str | None = None,
    *,
    id_field: str | None = None,
    label_field: str | None = None,
    seed: int = 0,
) -> tuple[RunRecord, Labels]:
    """Return a run, or verdicts made elsewhere, with the labels of a file or those that a run's items carry.

    `seed` seats the pairs of a file of labels whose first answer is always the better one.

    Raises:
        DataError: a file cannot be read or is of another kind, there are no labels, or none is of the run.
        UsageError: a field of labels without their file.
    """
    subject = str(path)
    if labels == STDIN == subject:
        raise UsageError(_ONCE)
    with reread([path]):
        return _loaded(path, labels, id_field=id_field, label_field=label_field, seed=seed)


def _loaded(
    path: Path, labels: str | None, *, id_field: str | None, label_field: str | None, seed: int
) -> tuple[RunRecord, Labels]:
    subject = str(path)
    # what cannot be read is refused as a run file
    if is_run_file(path) or not can_be_reread(path):
        record = load_run(path)
        if record.header.get("mode") == "rank":
            message = f"{path}: a ranking, which has no one verdict an item"
            raise DataError(f"{message}; give a run of judge pair or judge grade")
        return record, labels_of_run(
            record, subject, labels, id_field=id_field, label_field=label_field, seed=seed
        )
    if not holds_verdicts(subject):
        raise DataError(f"{path}: neither a run file nor verdicts; judge its pairs with `judge pair` first")
    if labels is None:
        raise DataError(
            f"{path}: holds verdicts made elsewhere and no labels; name a file of labels after it"
        )
    return imported(subject, read_label_file(labels, seed=seed, id_field=id_field, label_field=label_field))


def labels_of_run(
    record: RunRecord,
    run_file: str,
    labels: str | None,
    *,
    id_field: str | None = None,
    label_field: str | None = None,
    seed: int = 0,
) -> Labels:
    """Return the labels of a run: those of a file, else those that its items carry.

    Raises:
        DataError: the labels cannot be read, there are none, or none is of the run.
        UsageError: a field of labels without their file.
    """
    if labels is not None:
        file = read_label_file(labels, seed=seed, id_field=id_field, label_field=label_field)
        return file.labels(record.items, models=_models(record.header))
    if label_field is not None:
        raise UsageError("--label-field names a field of a file of labels; name that file after the run file")
    found = labels_of(record.items, run_file)
    if found is None:
        raise DataError(f"{run_file}: its items carry no labels; name a file of labels after it")
    return found


def prepare_labelled(
    options: PairOptions,
    labels: str | None,
    *,
    id_field: str | None = None,
    label_field: str | None = None,
    fields: Mapping[str, str | None] = MappingProxyType({}),
) -> tuple[PreparedRun, Labels]:
    """Prepare the run of labelled pairs, and return the labels of a file, or those that the pairs carry.

    `fields` are those that the comparison will need, by the options that name them: nobody should wait for
    a judge to learn that one is misspelt.

    Raises:
        DataError: the input is no file of pairs, has no labels, or is wrong as for `prepare_pair`.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other.
    """
    options = _keeping(options, tuple(filter(None, fields.values())))
    given = options.input
    if labels == STDIN and STDIN in (given.baseline, given.reference, given.questions):
        raise UsageError(_ONCE)
    with reread([given.baseline]):
        return _prepared(options, labels, id_field=id_field, label_field=label_field, fields=fields)


def _prepared(
    options: PairOptions,
    labels: str | None,
    *,
    id_field: str | None,
    label_field: str | None,
    fields: Mapping[str, str | None],
) -> tuple[PreparedRun, Labels]:
    subject = options.input.baseline
    try:
        run = prepare_pair(options)
    except NoPairsError as error:
        message = f"{subject}: holds one answer a row; give a run file"
        raise DataError(f"{message}, verdicts (id, and winner or failure) or labelled pairs") from error
    except DataError as error:
        if _holds_pairs(subject):
            raise
        raise DataError(f"{error}; it was {READ_AS_PAIRS}") from error
    items = tuple(one.item for one in run.plan.planned)
    if labels is not None:
        file = read_label_file(labels, seed=options.input.seed, id_field=id_field, label_field=label_field)
        known = file.labels(items, models=_models(run.header))
    else:
        known = _own_labels(subject, items, options.input.seed, id_field, label_field)
    if any(fields.values()):
        known = _with_fields_of(options.input, known)
    _check_comparable(RunRecord(header=run.header, items=items, judgments={}, verdicts=()), known, fields)
    return run, known


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


def _own_labels(
    file: str, items: Sequence[Item], seed: int, id_field: str | None, label_field: str | None
) -> Labels:
    """Return the labels that pairs carry, or that a field of their file holds.

    Raises:
        DataError: there are none, saying what is in the file instead.
    """
    found = labels_of(items, "stdin" if file == STDIN else file) if label_field is None else None
    if found is not None:
        return found
    return read_label_file(file, seed=seed, id_field=id_field, label_field=label_field).labels(items)


def _with_fields_of(options: InputOptions, labels: Labels) -> Labels:
    """Return labels with the small fields of the rows of pairs that are judged; of no use to a run itself."""
    named = options.fields.id
    id_field = named if isinstance(named, str) or named is None else named[0]
    try:
        fields = read_label_file(options.baseline, seed=options.seed, id_field=id_field).fields
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
