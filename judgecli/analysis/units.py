"""What an interval is drawn over: items, or groups of items that share something.

Items of one group are not independent: those of one instruction, document or conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from judgecli.errors import DataError
from judgecli.types import Item, ItemLabel, Labels, RunRecord

INSTRUCTION = "instruction"


def unit_keys(record: RunRecord, labels: Labels, group: str | None) -> dict[str, str]:
    """Return the unit of each item of the run that has a label: itself, or what it has in the field `group`.

    Raises:
        DataError: one of them has no such field.
    """
    if group is None:
        return {item_id: item_id for item_id in labelled_ids(record, labels)}
    return field_values(record, labels, group, option="--group")


def labelled_ids(record: RunRecord, labels: Labels) -> Iterator[str]:
    """Yield the ids of the run's items that the labels name, in the order of the run."""
    # Verdicts made elsewhere may come without their items.
    known = dict.fromkeys(item.id for item in record.items)
    known |= dict.fromkeys(verdict.item_id for verdict in record.verdicts)
    return (item_id for item_id in known if item_id in labels.by_item)


def field_values(record: RunRecord, labels: Labels, field: str, *, option: str) -> dict[str, str]:
    """Return what each item of the run that has a label has in a field, as text.

    The field "instruction" is the item's whole instruction with its input; others are those of the label's
    row, and after them the item's own metadata. `option` is the one that named the field.

    Raises:
        DataError: an item has no such field, or null in it.
    """
    items = {item.id: item for item in record.items}
    values = {}
    for item_id in labelled_ids(record, labels):
        fields = _fields(items.get(item_id), labels.by_item[item_id])
        if fields.get(field) is None:
            raise DataError(f"{option} {field}: item {item_id!r} has no such field; {_named(fields)}")
        values[item_id] = str(fields[field])
    return values


def readable(value: str) -> str:
    """Return a value of `field_values` as a text to read: what was asked, its parts after blank lines."""
    return "\n\n".join(filter(None, value.split("\0")))


def instructions(record: RunRecord, ids: Iterable[str]) -> list[str]:
    """Return the instruction of each of these items that has one, with its input and earlier turns."""
    texts = {item.id: _instruction(item) for item in record.items}
    return [text for text in (texts.get(item_id) for item_id in ids) if text is not None]


def _fields(item: Item | None, label: ItemLabel) -> Mapping[str, Any]:
    if item is None:
        return label.metadata
    text = _instruction(item)
    own = {} if text is None else {INSTRUCTION: text}
    of_label = {name: value for name, value in label.metadata.items() if value is not None}
    return {**item.metadata, **of_label, **own}


def _instruction(item: Item) -> str | None:
    """Return all that was asked, told apart at characters that no text holds; None for nothing."""
    asked = (*item.earlier_instructions, item.instruction, item.input or "")
    return "\0".join(asked) if any(asked) else None


def _named(fields: Mapping[str, Any]) -> str:
    known = sorted(name for name, value in fields.items() if value is not None)
    there = f"there are {', '.join(known)}" if known else "it has none at all"
    return f"{there}; write it into the file of labels, beside the id"
