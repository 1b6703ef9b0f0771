"""Files beside the answers, looked up by item: questions and references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from judgecli.answers.containers import Row
from judgecli.answers.files import file_name
from judgecli.answers.finding import FieldFinder, named_fields, role_word
from judgecli.answers.joining import Joined, Key, instruction_key, key_name
from judgecli.answers.kept import named_metadata
from judgecli.answers.layout import BODY_NAMES, Role, Roles, is_any_of
from judgecli.answers.logs import rows_beside
from judgecli.answers.options import Fields
from judgecli.answers.texts import (
    UnreadableValueError,
    id_text,
    instruction_text,
    is_conversation,
    kept_metadata,
    reference_text,
    reference_texts,
    scalar_text,
)
from judgecli.answers.turns import Told, questions_of, transcript, turn_text, turns_of_messages
from judgecli.answers.wording import fields_there, shown, with_article
from judgecli.errors import DataError

T = TypeVar("T")
_TURNS = ("turns", "choices[0].turns")  # fields that hold a text for each turn, whatever the answers are


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a file says about one item."""

    where: str
    instruction: Told
    input: str | None
    reference: Told
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedFile:
    """Entries by id, or by instruction where the file or the answers have no ids.

    Of a conversation whose entry holds all turns the first instruction is the key, else that of the turn that
    is judged.
    """

    file: str
    by_id: bool
    by_turn: bool
    entries: Mapping[Key, Entry]
    fields_used: Mapping[str, str]

    def key(self, item: Joined) -> Key:
        """Return what an item is looked up by."""
        if self.by_id:
            return item.file_id or ""
        earlier = item.earlier_instructions
        return instruction_key(earlier[0] if self.by_turn and earlier else item.instruction, item.input)

    def get(self, item: Joined) -> Entry | None:
        """Return what the file says about an item."""
        return self.entries.get(self.key(item))


def read_keyed(
    path: str, roles: Roles, fields: Fields, items: Sequence[Joined], *, wanted: Role, by_turn: bool = False
) -> KeyedFile:
    """Read a file of questions or references; a field the user named is tried before the usual ones.

    `by_turn` says that the answers have turns, so that a list of references holds one for each.

    Raises:
        DataError: The file cannot be read, lacks the wanted field or a key, or has a key twice.
    """
    file = file_name(path)
    rows, roles = rows_beside(path, fields, roles, wanted)
    finder = FieldFinder(_preferring(fields, roles), Fields())
    finder.settle(rows)
    if not rows or wanted not in finder.used:
        there = f"; {fields_there(rows[0].value)}" if rows else ""
        raise DataError(f"{file}: no row has {with_article(role_word(wanted))} field{there}")
    ids = [id_text(finder.find(Role.ID, row, row.value)) for row in rows]
    by_id = None not in ids and all(item.file_id is not None for item in items)
    with_instruction = wanted is Role.INSTRUCTION or not by_id
    kept = fields.metadata if wanted is Role.INSTRUCTION else ()
    reader = _EntryReader(finder, with_instruction=with_instruction, by_turn=by_turn, kept=kept)
    entries = [reader.entry(row) for row in rows]
    return KeyedFile(
        file=file,
        by_id=by_id,
        by_turn=any(entry.instruction.by_turn for entry in entries),
        entries=_indexed(ids if by_id else _instructions(entries, file), entries),
        fields_used=finder.fields_used,
    )


def _preferring(fields: Fields, roles: Roles) -> dict[Role, tuple[str, ...]]:
    named = named_fields(fields)
    return {role: (*named.get(role, ()), *paths) for role, paths in roles.items()}


class _EntryReader:
    """Reads what the rows of one file say, by the fields that its finder has settled on."""

    def __init__(
        self, finder: FieldFinder, *, with_instruction: bool, by_turn: bool, kept: Sequence[str]
    ) -> None:
        self._finder = finder
        self._with_instruction = with_instruction
        self._by_turn = by_turn
        self._kept = kept

    def entry(self, row: Row) -> Entry:
        """Return what a row says."""
        instruction, text = Told((None,)), None
        if self._with_instruction:
            instruction = self._read(Role.INSTRUCTION, row, self._instructions)
            if self._finder.used.get(Role.INSTRUCTION) == "instruction":
                text = self._read(Role.INPUT, row, scalar_text)
        by_turn = self._by_turn or isinstance(row.value.get("turns"), list)
        return Entry(
            where=row.where,
            instruction=instruction,
            input=text,
            reference=self._read(Role.REFERENCE, row, partial(self._references, by_turn=by_turn)),
            metadata={**kept_metadata(row.value), **named_metadata(row, row.value, self._kept)},
        )

    def _read(self, role: Role, row: Row, convert: Callable[[Any], T]) -> T:
        try:
            return convert(self._finder.find(role, row, row.value))
        except UnreadableValueError as error:
            raise self._finder.unreadable(role, row, error) from error

    def _instructions(self, value: Any) -> Told:
        if is_conversation(value):
            if self._finder.used[Role.INSTRUCTION] in BODY_NAMES:  # the answer is to all of it
                return Told((transcript(questions_of(value, with_tools=True)),))
            turns = turns_of_messages(questions_of(value))
            return Told(tuple(turn.instruction for turn in turns) or (None,), by_turn=len(turns) > 1)
        if isinstance(value, list) and self._finder.used[Role.INSTRUCTION] in _TURNS:
            return Told(tuple(instruction_text(turn_text(turn)) for turn in value), by_turn=True)
        return Told((instruction_text(value),))

    def _references(self, value: Any, *, by_turn: bool) -> Told:
        if is_conversation(value):
            turns = turns_of_messages(value)
            return Told(tuple(reference_text(turn.output) for turn in turns), by_turn=len(turns) > 1)
        path = self._finder.path(Role.REFERENCE)
        by_turn = isinstance(value, list) and (by_turn or path in _TURNS)
        return Told(reference_texts(value, path, any_of=is_any_of(path), by_turn=by_turn), by_turn=by_turn)


def _instructions(entries: Sequence[Entry], file: str) -> list[Key | None]:
    firsts = [next(iter(entry.instruction.texts), None) for entry in entries]
    without = [entry.where for entry, first in zip(entries, firsts, strict=True) if first is None]
    if without:
        raise DataError(
            f"{file}: {without[0]} has no instruction, and rows cannot be found by id because not all "
            "rows and answers have one; add ids to both"
        )
    return [instruction_key(first, entry.input) for first, entry in zip(firsts, entries, strict=True)]


def _indexed(keys: Sequence[Key | None], entries: Sequence[Entry]) -> dict[Key, Entry]:
    found: dict[Key, Entry] = {}
    for key, entry in zip(keys, entries, strict=True):
        if key is None:
            continue
        if key in found:
            name = shown(key_name(key))
            raise DataError(f"{entry.where}: {name!r} is there already at {found[key].where}; keep one")
        found[key] = entry
    return found
