"""Files of labels: what people say about the items of a run, or about pairs that the file holds itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgecli.answers.containers import Container, Row
from judgecli.answers.detection import holds_pair
from judgecli.answers.files import file_name
from judgecli.answers.joining import Joined
from judgecli.answers.label_values import UNDERSTOOD, winners_by_word, zeros_are_ties
from judgecli.answers.labels.counting import count_labels
from judgecli.answers.labels.drawn import in_the_runs_seats
from judgecli.answers.labels.layout import find_layout
from judgecli.answers.labels.marks import marks_of
from judgecli.answers.labels.named import by_model_names
from judgecli.answers.labels.pairs import GOLD, brought_to, labels_of, with_fields
from judgecli.answers.labels.votes import (
    Models,
    read_votes,
    turned_in_other_fields,
    votes_on_models,
    votes_on_turn,
)
from judgecli.answers.opening import open_rows
from judgecli.answers.options import USUAL_READING, Fields, LabelReading
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.reading import file_of_rows
from judgecli.answers.seating import seat
from judgecli.answers.spreading import lone_object
from judgecli.answers.texts import UnreadableValueError, nested_scalars, scalar_text
from judgecli.answers.wording import fields_there, listed, none_of, shown
from judgecli.errors import DataError
from judgecli.types import DRAWN_MODELS, Item, Labels

_HEADER = "header"  # what the first row of a run file says it is


def read_labels(
    path: str,
    items: Sequence[Item],
    *,
    models: Models = (),
    reading: LabelReading = USUAL_READING,
) -> Labels:
    """Read what people say about items, in the items' A and B; `-` is stdin.

    The file holds labels by id, one or several an item, or pairs with their labels in any format that
    is read. `models` are the names of the items' A and B, for a file that has labels of several. Labels of
    ids that are not among the items are kept. Without items the labels are in the file's own A and B.

    Raises:
        DataError: the file cannot be read, has no label or an unclear one, or none is of an item.
    """
    return read_label_file(path, reading).labels(items, models=models)


def labelled_items(path: str, seed: int = 0) -> tuple[Item, ...] | None:
    """Return the pairs of a file that holds answers with their labels; None for a file of labels alone.

    Raises:
        DataError: the file cannot be read, or holds bad pairs.
    """
    return read_label_file(path, LabelReading(seed=seed)).pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """A file of labels, read once. `pairs` are those that it holds, None where it holds labels alone."""

    file: str
    rows: tuple[Row, ...]
    pairs: tuple[Item, ...] | None
    notes: tuple[str, ...] = ()
    answer_fields: frozenset[str] = frozenset()
    is_one_sided: bool = False
    reading: LabelReading = USUAL_READING

    def labels(self, items: Sequence[Item] = (), *, models: Models = ()) -> Labels:
        """Return the labels of items, or without any in the file's own A and B; see `read_labels`.

        Raises:
            DataError: there is no label or an unclear one, or none is of an item.
        """
        return self._of_rows(items, models) if self.pairs is None else self._of_pairs(self.pairs, items)

    @property
    def fields(self) -> dict[str, dict[str, Any]]:
        """The small fields of the pairs' rows, without the answers, by id; none where there are no pairs."""
        if self.pairs is None:
            return {}
        rows = (row.value for row in self.rows)
        small = ({k: v for k, v in row.items() if k not in self.answer_fields} for row in rows)
        return {pair.id: nested_scalars(one) for pair, one in zip(self.pairs, small, strict=True)}

    def _of_rows(self, items: Sequence[Item], models: Models) -> Labels:
        known = {item.id: item for item in items}
        is_graded = bool(items) and all(len(item.responses) == 1 for item in items)
        layout = find_layout(self.rows, self.file, self.reading, is_graded=is_graded)
        votes = read_votes(self.rows, layout)
        if items and known.keys().isdisjoint(vote.item_id for vote in votes):
            raise DataError(self._unshared([vote.item_id for vote in votes], items))
        votes, on_models = votes_on_models(votes, layout.models, known, models)
        on_models += turned_in_other_fields(votes, layout, models)
        votes, on_turn = votes_on_turn(votes, known)
        marks = marks_of(votes, layout)
        by_name: list[str] = []
        if not layout.models and not is_graded:
            marks, by_name = by_model_names(self.file, marks, known, models)
        # names of models would say whose the label is, and scores are no labels of pairs
        if tuple(models) == DRAWN_MODELS and len(layout.models) != 2 and not layout.holds_scores:
            marks = list(in_the_runs_seats(marks, known))
        labels = count_labels(self.file, marks, votes, layout, is_graded=is_graded)
        if items and known.keys().isdisjoint(labels.by_item):
            raise DataError(self._unshared(labels.by_item, items))
        return replace(labels, notes=(*on_models, *on_turn, *by_name, *labels.notes))

    def _unshared(self, ids: Iterable[str], items: Sequence[Item]) -> str:
        ids = list(dict.fromkeys(ids))
        return (
            f"{self.file}: {none_of(len(ids), 'label')} of an item that was judged: labelled are "
            f"{listed(ids, 3)}, judged {listed((item.id for item in items), 3)}; are these labels of the "
            "same items? --id-field names another field of their ids"
        )

    def _of_pairs(self, pairs: Sequence[Item], items: Sequence[Item]) -> Labels:
        labelled, notes = pairs, self.notes
        named = self.reading.label_field
        if named is not None:
            labelled, notes = self._relabelled(pairs, named)
        labels = labels_of(labelled, self.file)
        if labels is None:
            why = next((note for note in notes if "are not used" in note), None)
            there = why or f"{self.file}: its pairs have no label; {fields_there(self.rows[0].value)}"
            raise DataError(f"{there}; name the field with --label-field")
        labels = with_fields(labels, self.fields)
        notes = notes if named is not None or not items else ()  # the run says how it was seated
        labels = replace(labels, notes=notes)
        return brought_to(labels, pairs, items) if items else labels

    def _relabelled(self, pairs: Sequence[Item], field: str) -> tuple[list[Item], tuple[str, ...]]:
        """Return the pairs with the labels of a field that the user named, and what is to be said of them."""
        if self.is_one_sided:
            raise DataError(
                f"{self.file}: its first answer is always the better one: --label-field {shown(field)} "
                "says nothing more; leave it out"
            )
        words = [self._word(row, field) for row in self.rows]
        if not any(word.strip() for word in words):
            there = fields_there(self.rows[0].value)
            raise DataError(f"{self.file}: no row has a label in the field {shown(field)!r}; {there}")
        known, unknown = winners_by_word(words, zero_may_be_tie=True)
        if unknown:
            message = f"{self.file}: the labels ({field}) hold {listed(unknown)}"
            raise DataError(f"{message}; understood are {UNDERSTOOD}")
        labelled = [
            replace(pair, metadata={**pair.metadata, GOLD: known[word].value if word in known else None})
            for pair, word in zip(pairs, words, strict=True)
        ]
        return labelled, zeros_are_ties(self.file, known)

    def _word(self, row: Row, field: str) -> str:
        value = look_up(row.value, field)
        try:
            return "" if value is MISSING else scalar_text(value) or ""
        except UnreadableValueError as error:
            raise DataError(f"{row.where}: the label ({field}) {error}") from error


def read_label_file(path: str, reading: LabelReading = USUAL_READING) -> LabelFile:
    """Read a file of labels, with the pairs that it may hold; `-` is stdin.

    Raises:
        DataError: the file cannot be read, or holds bad rows.
    """
    file = file_name(path)
    with open_rows(path) as (container, stored):
        mapping, spread = lone_object(container, stored, Fields())
        rows = tuple(spread)
    if not rows:
        raise DataError(f"{file}: a header and no rows; a file of labels needs at least one row")
    if rows[0].value.get("row") == _HEADER:
        raise DataError(
            f"{file}: is a run file, which holds no labels; give it as the run, and the labels beside it"
        )
    if not holds_pair(rows[0]):
        if mapping is None and container is Container.OBJECT:
            raise DataError(
                f"{file}: one JSON object for the whole file; labels are one object a line, or an array"
            )
        return LabelFile(file=file, rows=rows, pairs=None, reading=reading)
    answers = file_of_rows(path, Container.JSON, iter(rows), fields=Fields(id=reading.id_field))
    joint = seat(answers, reading.seed)
    return LabelFile(
        file=file,
        rows=rows,
        pairs=tuple(_item(joined) for joined in joint.items),
        notes=(*answers.notes, *joint.notes),
        answer_fields=frozenset(answers.fields_used.values()),
        is_one_sided=answers.one_sided,
        reading=reading,
    )


def _item(joined: Joined) -> Item:
    """Return a pair as it is judged, but for its question, which may be in another file."""
    return Item(
        id=joined.id,
        instruction=joined.instruction or "",
        input=joined.input,
        responses=joined.responses,
        earlier_instructions=joined.earlier_instructions,
        metadata=joined.metadata,
    )
