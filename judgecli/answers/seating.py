"""A file that holds both answers to pairs: who sits as A, and what its labels say."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from judgecli.answers.joining import (
    Joined,
    Joint,
    hashed_id,
    merged_metadata,
    refuse_duplicates,
    refuse_other_turns,
    require_ids,
)
from judgecli.answers.label_values import UNDERSTOOD, winners_by_word
from judgecli.answers.loaded import AnswerFile, PairRow
from judgecli.answers.options import PairBy
from judgecli.answers.wording import listed
from judgecli.types import Winner


def seat(answers: AnswerFile, seed: int) -> Joint:
    """Return the pairs of one file: the first answer is A, or drawn where it is always the better one.

    Raises:
        DataError: Duplicated ids, ids on some rows only, the same row twice, or answers to different turns.
    """
    rows = answers.pair_rows
    ids = _ids(answers)
    labels, notes = _read_labels(answers)
    pairs = tuple(
        _one_sided(i, row, seed) if answers.one_sided else _as_written(i, row, label)
        for i, row, label in zip(ids, rows, labels, strict=True)
    )
    refuse_other_turns(pairs)
    if answers.one_sided:
        notes.append(f"{answers.file}: the preferred answer sits as A or B by a draw (seed {seed})")
    has_ids = rows[0].first.id is not None
    paired_by = PairBy.ID if has_ids else PairBy.LINE
    return Joint(paired_by=paired_by, items=pairs, missing=((), ()), notes=tuple(notes))


def _ids(answers: AnswerFile) -> list[str]:
    firsts = [row.first for row in answers.pair_rows]
    if any(row.id is not None for row in firsts):
        require_ids(firsts, answers.file)
        ids = [row.id or "" for row in firsts]
        refuse_duplicates(ids, firsts, answers.file, "id")
        return ids
    ids = [
        hashed_id(
            *(row.first.instruction, row.first.input, row.first.output, row.second.output),
            *row.first.earlier_instructions,
        )
        for row in answers.pair_rows
    ]
    refuse_duplicates(ids, firsts, answers.file, "row")
    return ids


def _one_sided(item_id: str, row: PairRow, seed: int) -> Joined:
    swapped = _draw(seed, item_id)
    both = (row.second, row.first) if swapped else (row.first, row.second)
    gold = Winner.B if swapped else Winner.A
    metadata = merged_metadata(both)
    metadata.pop("annotators", None)  # they speak of the file's first and second answer
    return Joined(id=item_id, responses=both, metadata={**metadata, "gold": gold.value})


def _draw(seed: int, item_id: str) -> bool:
    """Return a coin flip that is the same for the same seed and id, on every machine."""
    return bool(hashlib.sha256(f"{seed}:{item_id}".encode()).digest()[-1] & 1)


def _as_written(item_id: str, row: PairRow, gold: Winner | None) -> Joined:
    both = (row.first, row.second)
    metadata = merged_metadata(both)
    labelled = {**metadata, "gold": gold.value} if gold else metadata
    return Joined(id=item_id, responses=both, metadata=labelled)


def _read_labels(answers: AnswerFile) -> tuple[Sequence[Winner | None], list[str]]:
    """Return the labels as winners: all of them, or none where one of them cannot be read.

    A file labelled 0 and 1 numbers its answers from 0: reading its 1 as the first would be wrong.
    """
    written = [row.gold or "" for row in answers.pair_rows]
    known, unknown = winners_by_word(written)
    if not unknown:
        return [known.get(word) for word in written], []
    note = (
        f"{answers.file}: the labels in {answers.fields_used['gold']} are not used, for they hold "
        f"{listed(unknown)}; understood are {UNDERSTOOD}"
    )
    return [None] * len(written), [note]
