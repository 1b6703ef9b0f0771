"""Fields of the user's own that items keep as metadata, because an option names them to group or split by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.joining import Joined, counted_items
from judgecli.answers.options import Fields
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.texts import UnreadableValueError, named_value
from judgecli.answers.wording import listed, shown
from judgecli.errors import DataError
from judgecli.types import Item

INSTRUCTION = "instruction"  # as a field to group by it is all that was asked, which every item has


def named_metadata(row: Row, value: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return what a row has in these fields, by their names; `value` is the row as its format reads it.

    Raises:
        DataError: one of them is an object, or a list of such.
    """
    kept = {}
    for name in names:
        found = look_up(row.value, name)
        found = look_up(value, name) if found is MISSING else found
        if found is MISSING or name == INSTRUCTION:
            continue
        try:
            kept[name] = named_value(found)
        except UnreadableValueError as error:
            inner = next(iter(found), "topic") if isinstance(found, Mapping) else "topic"
            advice = f"name a field that holds one text, such as {shown(f'{name}.{inner}')}"
            raise DataError(f"{row.where}: the field {shown(name)} {error}; {advice}") from error
    return {name: value for name, value in kept.items() if value is not None}


def refuse_disagreements(items: Sequence[Joined], asked: Sequence[Mapping[str, Any]], fields: Fields) -> None:
    """Raise DataError where files say different things about an item in a field that the user named.

    `asked` is the metadata of the items' questions.
    """
    for name in fields.metadata:
        different = []
        for item, question in zip(items, asked, strict=True):
            tables = (*(one.metadata for one in item.responses), question)
            values = list(dict.fromkeys(str(table[name]) for table in tables if name in table))
            if len(values) > 1:
                different.append(f"{item.id} ({' and '.join(map(shown, values))})")
        if different:
            raise DataError(
                f"the files disagree about the field {shown(name)} of {len(different)} of "
                f"{counted_items(items)}: {listed(different, 3, n_characters=200)}; make it the same in all "
                "files, or leave it in one of them"
            )


def require_fields(items: Sequence[Item], fields: Fields, there: Iterable[str]) -> None:
    """Raise DataError for items that lack a field which an option needs; `there` are the rows' own fields."""
    for option, name in fields.required:
        without = [item.id for item in items if item.metadata.get(name) is None and name != INSTRUCTION]
        if not without:
            continue
        known = dict.fromkeys((INSTRUCTION, *there))
        raise DataError(
            f"{option} {shown(name)}: {len(without)} of {counted_items(items)} have no such field, or "
            f"nothing in it: {listed(without, 3)}; write it into the rows of one of the files; fields there: "
            f"{listed(known, 12)} (of an object, name one of its fields, as metadata.topic)"
        )
