"""The answers to one item, before questions and references are added."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from judgecli.answers.containers import short_place
from judgecli.answers.loaded import Document
from judgecli.answers.options import PairBy
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError
from judgecli.types import Item, Response

_N_HASH_DIGITS = 12
InstructionKey = tuple[str, ...]
Key = str | InstructionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The answers to one item. `id` is unique; `file_id` is None where the files have no ids."""

    id: str
    responses: tuple[Response, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file_id(self) -> str | None:
        """The item's id in the files, for looking it up in others."""
        return next((response.id for response in self.responses if response.id), None)

    @property
    def instruction(self) -> str | None:
        """What was asked, from the first answer that says it.

        Where they differ it is the shortest: a chat template adds its marks to one and the same question.
        """
        told = [response.instruction for response in self.responses if response.instruction]
        return told[0] if len({*map(plain, told)}) == 1 else min(told, key=len, default=None)

    @property
    def input(self) -> str | None:
        """The text the instruction works on, from the first answer that says it."""
        return next((response.input for response in self.responses if response.input), None)

    @property
    def earlier_instructions(self) -> tuple[str, ...]:
        """What was asked in the turns before, from the first answer that says it."""
        told = (response.earlier_instructions for response in self.responses)
        return next((earlier for earlier in told if earlier), ())

    @property
    def n_turns(self) -> int:
        """Turns of the conversation up to the one that is judged."""
        return len(self.responses[0].earlier_outputs) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint:
    """What joining files gave: the items in the first file's order, and what each file lacks.

    `lone` are the rows that not every file has, by what `missing` calls them.
    """

    paired_by: PairBy
    items: tuple[Joined, ...]
    missing: tuple[tuple[str, ...], ...]
    lone: Mapping[str, Joined] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def counted_items(items: Sequence[Joined | Item]) -> str:
    """Return `1 pair`, `2 answers`, `3 items`: what items of one, two and more answers are called."""
    noun = {1: "answer", 2: "pair"}.get(len(items[0].responses), "item")
    return counted(len(items), noun)


def instruction_key(
    instruction: str | None, text: str | None, earlier: Iterable[str | None] = ()
) -> InstructionKey:
    """Return what makes two instructions the same: blanks at the ends and CRLF do not count."""
    return tuple(map(plain, (instruction, text, *earlier)))


def response_key(response: Response) -> InstructionKey:
    """Return what makes the instructions of two answers the same, those of earlier turns included."""
    return instruction_key(response.instruction, response.input, response.earlier_instructions)


def key_name(key: Key) -> str:
    """Return what to call a key in a message: the id, or the instruction."""
    return key if isinstance(key, str) else key[0]


def plain(text: str | None) -> str:
    """Return a text without blanks at its ends and with bare line ends."""
    return (text or "").replace("\r\n", "\n").strip()


def hashed_id(*texts: str | None) -> str:
    """Return an id made of the texts themselves: it does not move when rows do."""
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:_N_HASH_DIGITS]


def merged_metadata(responses: Sequence[Response]) -> dict[str, Any]:
    """Return the metadata of all answers; where they differ, the first one's."""
    merged: dict[str, Any] = {}
    for response in responses:
        merged.update({key: value for key, value in response.metadata.items() if key not in merged})
    return merged


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


def refuse_other_turns(items: Sequence[Joined], same: Set[str] = frozenset()) -> None:
    """Raise DataError for items whose answers are of another turn, or were given to other instructions.

    Answers of earlier turns may differ: each model goes on with its own. `same` are ids of items whose
    instructions may differ, as `same_documents` finds them.
    """
    others = [(item, places) for item in items if (places := _other_numbers_of_turns(item))]
    if others:
        raise DataError(
            f"{_files(items)} hold different numbers of turns under {counted(len(others), 'id')}: "
            f"{listed(f'{item.id} ({places})' for item, places in others)}; choose a turn with --turn"
        )
    different = [name for item in items if item.id not in same and (name := _different(item))]
    if different:
        raise DataError(
            f"{_files(items)} ask different things under "
            f"{counted(len(different), 'id')}: {listed(different)}; are they answers to the same questions? "
            "--instruction-field names another field for what was asked"
        )


def same_documents(items: Sequence[Joined], documents: Sequence[Mapping[str, Document]]) -> tuple[str, ...]:
    """Return the ids of items whose answers are to one document, though their instructions differ.

    `documents` has for each file which document was asked under an id: two models with chat templates of
    their own are asked the same in other words.
    """
    return tuple(item.id for item in items if _is_one_document(item, documents) and _different(item))


def _is_one_document(item: Joined, documents: Sequence[Mapping[str, Document]]) -> bool:
    if len(documents) < len(item.responses):
        return False
    asked = {of_file.get(one.id or "") for of_file, one in zip(documents, item.responses, strict=True)}
    return len(asked) == 1 and None not in asked


def _other_numbers_of_turns(item: Joined) -> str:
    numbers = [len(response.earlier_outputs) + 1 for response in item.responses]
    return " and ".join(map(str, numbers)) if len(set(numbers)) > 1 else ""


def _different(item: Joined) -> str:
    """Return the item's id, with turn and lines, if its answers were given to different instructions."""
    told = [response for response in item.responses if response.instruction is not None]
    keys = [response_key(response) for response in told]
    first = next((index for index, key in enumerate(keys) if key != keys[0]), None)
    if first is None:
        return ""
    return f"{item.id}{_turn(keys[0], keys[first], item.n_turns)}{_lines(told[0], told[first])}"


def _turn(a: InstructionKey, b: InstructionKey, n_turns: int) -> str:
    if n_turns == 1:
        return ""
    # a key begins with the judged turn's instruction and input
    earlier = (n for n, (x, y) in enumerate(zip(a[2:], b[2:], strict=False), 1) if x != y)
    return f" turn {next(earlier, n_turns)}"


def _lines(a: Response, b: Response) -> str:
    lines = (a.source.line, b.source.line)
    return f" (lines {lines[0]} and {lines[1]})" if None not in lines else ""


def _files(items: Sequence[Joined]) -> str:
    return " and ".join(_unique(response.source.file for response in items[0].responses))


def _unique(names: Iterable[str]) -> Iterator[str]:
    return iter(dict.fromkeys(names))
