"""Labels that name the better one of the run's models: {"id": "q1", "winner": "cand-8b"}."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judgecli.answers.label_values import winners_by_word
from judgecli.answers.labels.marks import Mark
from judgecli.answers.labels.votes import Models, sides_of
from judgecli.answers.wording import counted, shown
from judgecli.types import Item

_SEATS = ("baseline", "candidate")  # what a label calls the run's A and B


def by_model_names(
    file: str, marks: Sequence[Mark], items: Mapping[str, Item], models: Models
) -> tuple[list[Mark], list[str]]:
    """Return marks with the exact name of one of the run's models as its seat, and what is to be said of it.

    A word that has a meaning of its own, such as `b`, keeps it, whatever the models are called.
    """
    _, unknown = winners_by_word((mark.word for mark in marks), zero_may_be_tie=True)
    if not unknown:
        return list(marks), []
    unclear = set(unknown)
    seated, found = [], dict[str, str]()
    for mark in marks:
        seat = _seat(mark, items, models) if mark.word in unclear else None
        if seat is not None:
            found[mark.word] = seat
        seated.append(mark if seat is None else replace(mark, word=seat))
    if not found:
        return seated, []
    n = counted(sum(mark.word in found for mark in marks), "label")
    named = ", ".join(f"{shown(name)} is the {seat}" for name, seat in sorted(found.items()))
    return seated, [f"{file}: {n} by the name of a model: {named}"]


def _seat(mark: Mark, items: Mapping[str, Item], models: Models) -> str | None:
    sides = sides_of(items.get(mark.vote.item_id), models, 2)
    if sides is None:
        return None
    seats = [seat for seat, names in zip(_SEATS, sides, strict=True) if mark.word in names]
    return seats[0] if len(seats) == 1 else None
