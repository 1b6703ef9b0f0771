"""Files beside the answers, looked up by item: questions and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.answers.containers import Row, read_rows
from judgecli.answers.files import file_name, open_lines
from judgecli.answers.finding import FieldFinder, named_fields, role_word
from judgecli.answers.joining import Joined, Key, instruction_key, key_name
from judgecli.answers.layout import Role
from judgecli.answers.options import Fields
from judgecli.answers.texts import (
    UnreadableValueError,
    id_text,
    instruction_text,
    kept_metadata,
    reference_text,
    scalar_text,
)
from judgecli.answers.wording import fields_there, shown
from judgecli.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a file says about one item."""

    where: str
    instruction: str | None
    input: str | None
    reference: str | None
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedFile:
    """Entries by id, or by instruction where the file or the answers have no ids."""

    file: str
    by_id: bool
    entries: Mapping[Key, Entry]
    fields_used: Mapping[str, str]

    def key(self, pair: Joined) -> Key:
        """Return what a pair is looked up by."""
        if self.by_id:
            return pair.file_id or ""
        return instruction_key(pair.instruction, pair.input)

    def get(self, pair: Joined) -> Entry | None:
        """Return what the file says about a pair."""
        return self.entries.get(self.key(pair))


def read_keyed(
    path: str,
    roles: Mapping[Role, tuple[str, ...]],
    wanted: Role,
    fields: Fields,
    pairs: Sequence[Joined],
) -> KeyedFile:
    """Read a file of questions or references; a field the user named is tried before the usual ones.

    Raises:
        DataError: The file cannot be read, lacks the wanted field or a key, or has a key twice.
    """
    file = file_name(path)
    with open_lines(path) as lines:
        rows = list(read_rows(lines, file)[1])
    finder = FieldFinder(_preferring(fields, roles), Fields())
    finder.settle(rows)
    if not rows or wanted not in finder.used:
        there = f"; {fields_there(rows[0].value)}" if rows else ""
        raise DataError(f"{file}: no row has a {role_word(wanted)} field{there}")
    ids = [id_text(finder.find(Role.ID, row, row.value)) for row in rows]
    by_id = None not in ids and all(pair.file_id is not None for pair in pairs)
    entries = [_entry(finder, row, with_instruction=wanted is Role.INSTRUCTION or not by_id) for row in rows]
    return KeyedFile(
        file=file,
        by_id=by_id,
        entries=_indexed(ids if by_id else _instructions(entries, file), entries),
        fields_used=finder.fields_used,
    )


def _preferring(fields: Fields, roles: Mapping[Role, tuple[str, ...]]) -> dict[Role, tuple[str, ...]]:
    named = named_fields(fields)
    return {role: (named[role], *paths) if role in named else paths for role, paths in roles.items()}


def _entry(finder: FieldFinder, row: Row, *, with_instruction: bool) -> Entry:
    texts: dict[Role, str | None] = {}
    takes_input = finder.used.get(Role.INSTRUCTION) == "instruction"
    for role, convert in _converters(with_instruction=with_instruction, with_input=takes_input):
        try:
            texts[role] = convert(finder.find(role, row, row.value))
        except UnreadableValueError as error:
            raise finder.unreadable(role, row, error) from error
    return Entry(
        where=row.where,
        instruction=texts.get(Role.INSTRUCTION),
        input=texts.get(Role.INPUT),
        reference=texts.get(Role.REFERENCE),
        metadata=kept_metadata(row.value),
    )


def _converters(*, with_instruction: bool, with_input: bool) -> Iterator[tuple[Role, Any]]:
    yield Role.REFERENCE, reference_text
    if with_instruction:
        yield Role.INSTRUCTION, instruction_text
        if with_input:
            yield Role.INPUT, scalar_text


def _instructions(entries: Sequence[Entry], file: str) -> list[Key | None]:
    without = [entry.where for entry in entries if entry.instruction is None]
    if without:
        raise DataError(
            f"{file}: {without[0]} has no instruction, and rows cannot be found by id because not all "
            "rows and answers have one; add ids to both"
        )
    return [instruction_key(entry.instruction, entry.input) for entry in entries]


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
