"""The labels of a plain file: what its words mean, and which label counts where several were given."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgecli.answers.label_values import (
    ONE,
    TOO_LARGE,
    TWO,
    UNDERSTOOD,
    ZERO,
    counts_from_0,
    is_number,
    majority_of,
    score_of,
    winners_by_word,
    zeros_are_ties,
)
from judgecli.answers.labels.layout import LabelLayout
from judgecli.answers.labels.marks import Mark, alike
from judgecli.answers.labels.votes import Vote
from judgecli.answers.texts import nested_scalars
from judgecli.answers.wording import counted, shown
from judgecli.errors import DataError
from judgecli.types import ItemLabel, LabelKind, Labels, LabelSource, Winner


@dataclass(slots=True, kw_only=True)
class _Said:
    """What the marks say of one item: its own label, and its annotators'."""

    own: Winner | float | None = None
    others: dict[str, Winner | float] = field(default_factory=dict)
    votes: list[Vote] = field(default_factory=list)


def count_labels(
    file: str, marks: Sequence[Mark], votes: Sequence[Vote], layout: LabelLayout, *, is_graded: bool
) -> Labels:
    """Return the labels of a file: its own, else the majority of its annotators, or the mean of their scores.

    Raises:
        DataError: nothing is labelled, a label cannot be read, or an annotator says two things of an item.
    """
    if not marks:
        advice = "give it in some rows" if layout.is_named else "name the field with --label-field"
        raise DataError(f"{file}: no row has a label ({layout.label_names}); {advice}")
    kind = _kind(marks, layout, is_graded=is_graded)
    meanings, notes = _meanings(marks, kind, file, is_graded=is_graded)
    said, n_twice = _by_item(marks, meanings)
    if n_twice:
        notes.append(f"{file}: {counted(n_twice, 'label')} given twice by the same annotator; counted once")
    n_blank = len({vote.item_id for vote in votes}) - len(said)
    if n_blank:
        notes.append(f"{file}: {counted(n_blank, 'item')} without a label left out")
    n_most = max(len(one.others) for one in said.values())
    names = dict.fromkeys(name for one in said.values() for name in one.others if n_most > 1)
    return Labels(
        file=file,
        kind=kind,
        source=_source(kind, layout, n_most, has_own=any(one.own is not None for one in said.values())),
        by_item={item_id: _label(item_id, one, layout, is_one=n_most < 2) for item_id, one in said.items()},
        annotators=tuple(names),
        notes=tuple(notes),
    )


def _kind(marks: Sequence[Mark], layout: LabelLayout, *, is_graded: bool) -> LabelKind:
    """Return what the labels are: scores by their name, or where the name leaves it open by being numbers."""
    if is_graded or layout.holds_scores:
        return LabelKind.SCORES
    words = {mark.word for mark in marks}
    _, unknown = winners_by_word(words, zero_may_be_tie=True)
    is_open = layout.is_named or layout.own is None
    if is_open and unknown and not counts_from_0(unknown) and all(map(is_number, words)):
        return LabelKind.SCORES
    return LabelKind.WINNERS


def _meanings(
    marks: Sequence[Mark], kind: LabelKind, file: str, *, is_graded: bool
) -> tuple[Mapping[str, Winner | float], list[str]]:
    """Return what each word means, and what should be said about that."""
    words = {mark.word for mark in marks}
    if kind is LabelKind.SCORES:
        scores = {word: score_of(word) for word in words}
        bad = {word for word, score in scores.items() if score is None}
        if bad:
            why = ", while the run grades single answers" if is_graded else ""
            what = TOO_LARGE if all(map(is_number, bad)) else f"no score{why}"
            raise _unreadable(marks, bad, f"{what}; give numbers, or name their field with --label-field")
        return {word: score for word, score in scores.items() if score is not None}, []
    known, unknown = winners_by_word(words, zero_may_be_tie=True)
    if counts_from_0(unknown):
        raise DataError(
            f"{file}: some labels ({marks[0].path}) are {ZERO}, which may be the first answer or a tie; "
            f"write a, b and tie, or {ONE}, {TWO} and tie"
        )
    if unknown:
        raise _unreadable(
            marks, unknown, f"none of {UNDERSTOOD}; write these, or name another field with --label-field"
        )
    return known, list(zeros_are_ties(file, known))


def _unreadable(marks: Sequence[Mark], words: Sequence[str] | set[str], what: str) -> DataError:
    mark = next(mark for mark in marks if mark.word in words)
    return DataError(f"{mark.where}: the label ({mark.path}) is {shown(mark.word)!r}, {what}")


def _by_item(marks: Sequence[Mark], meanings: Mapping[str, Winner | float]) -> tuple[dict[str, _Said], int]:
    """Return what is said of each item, and how many labels repeat what their annotator had said."""
    said: dict[str, _Said] = {}
    n_twice = 0
    for mark in marks:
        one = said.setdefault(mark.vote.item_id, _Said())
        one.votes.append(mark.vote)
        meaning = meanings[mark.word]
        if mark.vote.exchanged and isinstance(meaning, Winner):
            meaning = meaning.swapped()
        if mark.annotator is None:
            one.own = meaning
            continue
        n_twice += mark.annotator in one.others
        if one.others.setdefault(mark.annotator, meaning) != meaning:
            raise DataError(
                f"{mark.where}: {shown(mark.annotator)} has labelled {shown(mark.vote.item_id)!r} before, "
                "and otherwise; keep one label of each annotator"
            )
    return said, n_twice


def _source(kind: LabelKind, layout: LabelLayout, n_most: int, *, has_own: bool) -> LabelSource:
    if has_own:
        return LabelSource.GOLD if layout.annotator is None else LabelSource.SINGLE
    if n_most == 1:
        return LabelSource.SINGLE
    return LabelSource.MEAN if kind is LabelKind.SCORES else LabelSource.MAJORITY


def _is_in(name: str, paths: Sequence[str | None]) -> bool:
    return any(path is not None and (name == path or name.startswith(f"{path}.")) for path in paths)


def _label(item_id: str, said: _Said, layout: LabelLayout, *, is_one: bool) -> ItemLabel:
    """Return the label of an item; `is_one`: no item of the file has two, so that no annotator is named."""
    winners = {name: one for name, one in said.others.items() if isinstance(one, Winner)}
    scores = {name: one for name, one in said.others.items() if isinstance(one, float)}
    mean = math.fsum(scores.values()) / len(scores) if scores else None
    metadata = alike(nested_scalars(vote.row.value) for vote in said.votes)
    read = (layout.id, *layout.label_paths)
    metadata = {name: value for name, value in metadata.items() if not _is_in(name, read)}
    return ItemLabel(
        item_id=item_id,
        winner=said.own if isinstance(said.own, Winner) else majority_of(winners.values()),
        score=said.own if isinstance(said.own, float) else mean,
        winners={} if is_one else winners,
        scores={} if is_one else scores,
        metadata=metadata,
    )
