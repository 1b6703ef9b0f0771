"""Labels by id of pairs whose answers a draw has seated: which of the two a word means.

A and B are then seats of the run alone. Who labelled the file of pairs means its first answer by 1, who
labelled the run its A, and the label does not say which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from judgecli.answers.label_values import ZERO, plain_word, winners_by_word
from judgecli.answers.labels.marks import Mark
from judgecli.answers.labels.pairs import gold_of
from judgecli.answers.wording import shown
from judgecli.errors import DataError
from judgecli.types import Item, Winner

_CHOSEN, _REJECTED = "chosen", "rejected"
_SEATS = {Winner.A: "baseline", Winner.B: "candidate"}  # what a label calls the run's A and B
_REMEDY = "write chosen, rejected and tie (or baseline and candidate for the run's A and B)"


def in_the_runs_seats(marks: Sequence[Mark], items: Mapping[str, Item]) -> Iterator[Mark]:
    """Yield the marks with `chosen` and `rejected` as the seats that these answers have in the run.

    Raises:
        DataError: a label is a letter or a number, which may be the file's or the run's, or no word for one.
    """
    for mark in marks:
        word = plain_word(mark.word)
        if word in (_CHOSEN, _REJECTED):
            item = items.get(mark.vote.item_id)
            # what a label of another item says is not looked at
            chosen = (gold_of(item) if item else None) or Winner.A
            seat = chosen if word == _CHOSEN else chosen.swapped()
            yield replace(mark, word=_SEATS[seat], vote=replace(mark.vote, exchanged=False))
            continue
        meaning = winners_by_word([word])[0].get(word)
        if meaning is not Winner.TIE and word not in _SEATS.values():
            is_seat = meaning is not None or word == ZERO
            why = "which may be a seat of their file or of the run" if is_seat else "which is neither of them"
            message = f"{mark.where}: a draw seated the answers of this run, and the label ({mark.path})"
            raise DataError(f"{message} is {shown(mark.word)!r}, {why}; {_REMEDY}")
        yield mark
