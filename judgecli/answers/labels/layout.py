"""Where a file of labels keeps what: ids, labels, annotators, and the models that a label is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.finding import present
from judgecli.answers.label_values import is_number, winners_by_word
from judgecli.answers.layout import ID_NAMES
from judgecli.answers.options import LabelReading
from judgecli.answers.texts import UnreadableValueError, scalar_text
from judgecli.answers.wording import fields_there, listed, shown
from judgecli.errors import DataError

_WINNER_NAMES = ("winner", "label", "gold", "preference", "verdict")
_SCORE_NAMES = ("score", "rating", "grade")
_LIST_NAMES = ("annotators", "labels", "votes")
_NUMBERED = re.compile(r"(annotator|rater|label|labell?er)_?[0-9]+")
_PERSONS = ("annotator", "judge", "rater", "labeler", "labeller", "user", "worker")
_ANNOTATOR_NAMES = (*_PERSONS, *(f"{name}_id" for name in _PERSONS))
_MODEL_PAIRS = (("model_a", "model_b"), ("model_1", "model_2"))
_MODELS = ("model", "model_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelLayout:
    """The fields of one file of labels, settled once for all its rows.

    `own` is the one label of a row; `several` are the fields of its annotators, one each, or one that lists
    them. `annotator` says whose a row is. `models` are the fields that name one model, or two: the first
    is A. `is_named`: the user chose the label's field.
    """

    id: str
    own: str | None
    several: tuple[str, ...] = ()
    annotator: str | None = None
    models: tuple[str, ...] = ()
    is_named: bool = False

    @property
    def label_paths(self) -> tuple[str, ...]:
        """The fields that labels are read from."""
        return (*([self.own] if self.own else []), *self.several)

    @property
    def label_names(self) -> str:
        """The fields that labels are read from, for a message."""
        return listed(self.label_paths)

    @property
    def holds_scores(self) -> bool:
        """Whether the label's field is called what scores are called."""
        return self.own is not None and self.own.split(".")[-1] in _SCORE_NAMES


def find_layout(rows: Sequence[Row], file: str, reading: LabelReading, *, is_graded: bool) -> LabelLayout:
    """Return where the rows of a file keep what; `is_graded`: its labels are of single answers.

    Raises:
        DataError: no id or label, several that could be the label, or none by the name that the user gave.
    """
    id_field, label_field = reading.id_field, reading.label_field
    id_path = _first(rows, ID_NAMES if id_field is None else (id_field,))
    if id_path is None:
        raise _missing(rows, file, "id", id_field, "--id-field")
    own, several = _label_paths(rows, file) if label_field is None else (label_field, ())
    if label_field is not None and _first(rows, (label_field,)) is None:
        raise _missing(rows, file, "label", label_field, "--label-field")
    return LabelLayout(
        id=id_path,
        own=own,
        several=several,
        annotator=_first(rows, [name for name in _ANNOTATOR_NAMES if name != own]),
        models=_model_paths(rows, is_graded=is_graded),
        is_named=label_field is not None,
    )


def _label_paths(rows: Sequence[Row], file: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the field of the rows' own label, and those of their annotators."""
    own = _present(rows, (*_WINNER_NAMES, *_SCORE_NAMES))
    columns = _numbered(rows)
    several = [(name,) for name in _LIST_NAMES if _lists_labels(rows, name)] + list(columns.values())
    if len(own) > 1 or len(several) > 1:
        found = [*own, *(paths[0] for paths in several)]
        raise DataError(
            f"{file}: {listed(found)} could each be the label; choose one of them with --label-field"
        )
    if not own and not several:
        raise _missing(rows, file, "label", None, "--label-field")
    return (own[0] if own else None), (several[0] if several else ())


def _numbered(rows: Sequence[Row]) -> dict[str, tuple[str, ...]]:
    """Return the fields that only a number tells apart, by what they are called without it."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for row in rows for name in row.value):
        match = _NUMBERED.fullmatch(name)
        if match:
            found.setdefault(match[1], []).append(name)
    return {stem: tuple(names) for stem, names in found.items()}


def _lists_labels(rows: Sequence[Row], name: str) -> bool:
    """Whether a field lists labels: a list of the annotators' names holds none."""
    try:
        words = {word for row in rows for _, word in labels_in(row.value.get(name))}
    except UnreadableValueError:
        return False
    return bool(winners_by_word(words)[0]) or any(map(is_number, words))


def labels_in(value: Any) -> Iterator[tuple[str, str]]:
    """Yield who says what in a list of labels, or an object of annotators and labels; null says nothing.

    Raises:
        UnreadableValueError: a label is a list or an object itself.
    """
    if isinstance(value, Mapping):
        named = list(value.items())
    else:
        named = [(f"annotator{n}", one) for n, one in enumerate(value if isinstance(value, list) else (), 1)]
    for annotator, one in named:
        word = scalar_text(one)
        if word is not None and word.strip():
            yield str(annotator), word


def _model_paths(rows: Sequence[Row], *, is_graded: bool) -> tuple[str, ...]:
    if is_graded:
        path = _first(rows, _MODELS)
        return () if path is None else (path,)
    return next((pair for pair in _MODEL_PAIRS if len(_present(rows, pair)) == 2), ())


def _present(rows: Sequence[Row], names: Sequence[str]) -> list[str]:
    there = {name for row in rows for name in present(names, row.value)}
    return [name for name in names if name in there]


def _first(rows: Sequence[Row], names: Sequence[str]) -> str | None:
    return next(iter(_present(rows, names)), None)


def _missing(rows: Sequence[Row], file: str, what: str, named: str | None, option: str) -> DataError:
    there = fields_there(rows[0].value)
    if named:
        return DataError(f"{file}: no row has the {what} field {shown(named)!r}; {there}")
    return DataError(f"{file}: no row has a field for the {what}; {there}; name it with {option}")
