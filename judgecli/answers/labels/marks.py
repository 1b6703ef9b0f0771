"""What each row of a file of labels says of its item, and who says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.answers.containers import Row, short_place
from judgecli.answers.labels.layout import LabelLayout, labels_in
from judgecli.answers.labels.votes import Vote
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.texts import UnreadableValueError, scalar_text
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError

_FIRST, _SECOND = "model_a", "model_b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One label as written. `annotator` is None for what the row itself says."""

    vote: Vote
    path: str
    word: str
    annotator: str | None = None

    @property
    def where(self) -> str:
        """The place for a message."""
        return self.vote.row.where


def marks_of(votes: Sequence[Vote], layout: LabelLayout) -> list[Mark]:
    """Return all that is said of the items.

    Raises:
        DataError: an item has several rows and they do not say whose they are, or a label is no text.
    """
    by_annotator = layout.annotator if _is_repeated(votes) and not layout.several else None
    if by_annotator is None:
        _refuse_repeated(votes)
    marks: list[Mark] = []
    for vote in votes:
        try:
            marks.extend(_marks(vote, layout, by_annotator))
        except UnreadableValueError as error:
            message = (
                f"{vote.row.where}: the label ({layout.label_names}) {error}; name it with --label-field"
            )
            raise DataError(message) from error
    return marks


def _is_repeated(votes: Sequence[Vote]) -> bool:
    return len({vote.item_id for vote in votes}) < len(votes)


def _refuse_repeated(votes: Sequence[Vote]) -> None:
    places: dict[str, list[str]] = {}
    for vote in votes:
        places.setdefault(vote.item_id, []).append(short_place(vote.row.source, vote.row.index))
    twice = [f"{shown(item_id)} ({' and '.join(at[:3])})" for item_id, at in places.items() if len(at) > 1]
    if twice:
        file = votes[0].row.source.file
        raise DataError(
            f"{file}: {counted(len(twice), 'id')} more than once: {listed(twice, 3, 200)}; "
            "keep one label of each, or add a field that says whose each is, such as annotator"
        )


def _marks(vote: Vote, layout: LabelLayout, by_annotator: str | None) -> Iterator[Mark]:
    for path in layout.label_paths:
        value = look_up(vote.row.value, path)
        if isinstance(value, list | Mapping):
            for annotator, word in labels_in(value):
                yield Mark(vote=vote, path=path, word=_word(word, vote, layout), annotator=annotator)
            continue
        text = None if value is MISSING else scalar_text(value)
        if text is not None and text.strip():
            name = _annotator(vote.row, by_annotator) if by_annotator else None
            own = name if path == layout.own else path
            yield Mark(vote=vote, path=path, word=_word(text, vote, layout), annotator=own)


def _annotator(row: Row, path: str) -> str:
    """Return whose a row is; a list, such as a judge and its prompt, is one name."""
    value = look_up(row.value, path)
    parts = value if isinstance(value, list) else [value]
    if not all(isinstance(part, str) and part.strip() for part in parts):
        raise DataError(f"{row.where}: no {path}, while other rows of the file say whose label they are")
    return "/".join(part.strip() for part in parts)


def _word(text: str, vote: Vote, layout: LabelLayout) -> str:
    """Return a label as written; the name of one of the row's two models is its seat."""
    if len(layout.models) != 2:
        return text
    first, second = (vote.row.value.get(path) for path in layout.models)
    if first == second or text not in (first, second):
        return text
    return _FIRST if text == first else _SECOND


def alike(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields that all rows have with the same value."""
    first, *others = rows
    return {name: value for name, value in first.items() if all(row.get(name) == value for row in others)}
