"""Two answers to one item, before questions and references are added."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgecli.answers.containers import short_place
from judgecli.answers.options import PairBy
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError
from judgecli.types import Response

_N_HASH_DIGITS = 12
InstructionKey = tuple[str, str]
Key = str | InstructionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Both answers of one item. `id` is unique; `file_id` is None where the files have no ids."""

    id: str
    a: Response
    b: Response
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file_id(self) -> str | None:
        """The item's id in the files, for looking it up in others."""
        return self.a.id or self.b.id

    @property
    def instruction(self) -> str | None:
        """What was asked, from whichever side says it."""
        return self.a.instruction or self.b.instruction

    @property
    def input(self) -> str | None:
        """The text the instruction works on, from whichever side says it."""
        return self.a.input or self.b.input


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What joining two files gave: the pairs in the baseline's order, and what is on one side only."""

    paired_by: PairBy
    pairs: tuple[Joined, ...]
    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def instruction_key(instruction: str | None, text: str | None) -> InstructionKey:
    """Return what makes two instructions the same: blanks at the ends and CRLF do not count."""
    return _plain(instruction), _plain(text)


def key_name(key: Key) -> str:
    """Return what to call a key in a message: the id, or the instruction."""
    return key if isinstance(key, str) else key[0]


def _plain(text: str | None) -> str:
    return (text or "").replace("\r\n", "\n").strip()


def hashed_id(*texts: str | None) -> str:
    """Return an id made of the texts themselves: it does not move when rows do."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:_N_HASH_DIGITS]


def merged_metadata(a: Response, b: Response) -> dict[str, Any]:
    """Return both sides' metadata; where they differ, A's."""
    return {**a.metadata, **{key: value for key, value in b.metadata.items() if key not in a.metadata}}


def require_ids(rows: Iterable[Response], file: str) -> None:
    """Raise DataError naming the rows that have no id."""
    without = [short_place(row.source, index) for index, row in enumerate(rows, 1) if row.id is None]
    if without:
        raise DataError(
            f"{file}: {counted(len(without), 'row')} without an id: {listed(without)}; "
            "add ids, name the field with --id-field, or choose --pair-by instruction"
        )


def refuse_duplicates(keys: Sequence[Key], rows: Sequence[Response], file: str, what: str) -> None:
    """Raise DataError naming every key that occurs more than once, and where."""
    places: dict[Key, list[str]] = {}
    for index, (key, row) in enumerate(zip(keys, rows, strict=True), 1):
        places.setdefault(key, []).append(short_place(row.source, index))
    twice = [f"{shown(key_name(key))} ({' and '.join(at[:3])})" for key, at in places.items() if len(at) > 1]
    if twice:
        raise DataError(
            f"{file}: {counted(len(twice), what)} more than once: {listed(twice, 3, n_characters=200)}; "
            "keep one row of each, or name another field with --id-field"
        )
