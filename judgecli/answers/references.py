"""Reference answers: a file of them wins over those beside the answers; some but not all stops the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgecli.answers.joining import Joined, counted_items, key_name
from judgecli.answers.keyed import KeyedFile, read_keyed
from judgecli.answers.layout import (
    ID_NAMES,
    INSTRUCTION_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Role,
)
from judgecli.answers.options import LoadingOptions
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError
from judgecli.types import Item

NO_REFERENCE = "no-reference"
_ROLES = {
    Role.ID: ID_NAMES,
    Role.INSTRUCTION: ("turns", *INSTRUCTION_NAMES),
    Role.INPUT: ("input",),
    # a reference file may have the shape of an answer file
    Role.REFERENCE: (*REFERENCE_NAMES, "choices[0].turns", *RESPONSE_NAMES, "messages"),
}
Texts = tuple[str | None, ...]
"""A reference for each turn of an item up to the one that is judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The references of all items, the file they came from, and what should be said about them."""

    texts: tuple[Texts, ...]
    file: KeyedFile | None = None
    notes: tuple[str, ...] = ()


def find_references(items: Sequence[Joined], options: LoadingOptions, *, by_turn: bool) -> References:
    """Return each item's references, None where there is none.

    `by_turn` says that the answers have turns, so that a list of references holds one for each.

    Raises:
        DataError: The reference file cannot be read or matches nothing, or two answer files carry a
            reference and they differ.
    """
    if options.no_reference:
        return References(texts=tuple((None,) * item.n_turns for item in items))
    if options.reference is None:
        _refuse_different(items)
        return References(texts=tuple(map(_own, items)))
    return match_references(read_references(options.reference, items, options, by_turn=by_turn), items)


def _refuse_different(items: Sequence[Joined]) -> None:
    different = [item.id for item in items if len(_stated(item)) > 1]
    if different:
        files = "two" if len(items[0].responses) == 2 else "answer"
        raise DataError(
            f"the {files} files hold different references for {counted(len(different), 'id')}: "
            f"{listed(different)}; give the right ones with --reference, or drop them with --no-reference"
        )


def _stated(item: Joined) -> set[str]:
    return {response.reference.strip() for response in item.responses if response.reference}


def _own(item: Joined) -> Texts:
    """Return what the first answer with a reference says, turn by turn."""
    turns = zip(*((*one.earlier_references, one.reference) for one in item.responses), strict=True)
    return tuple(next((text for text in texts if text), None) for texts in turns)


def read_references(
    path: str, items: Sequence[Joined], options: LoadingOptions, *, by_turn: bool
) -> KeyedFile:
    """Read a file of references, which may have the shape of an answer file."""
    return read_keyed(path, _ROLES, options.fields, items, wanted=Role.REFERENCE, by_turn=by_turn)


def match_references(keyed: KeyedFile, items: Sequence[Joined]) -> References:
    """Return each item's references from a file, its own where the file has none.

    Raises:
        DataError: The file's references belong to none of the items.
    """
    entries = [keyed.get(item) for item in items]
    used = {keyed.key(item) for item in items}
    unmatched = [key_name(key) for key in keyed.entries if key not in used]
    n = len(keyed.entries)
    if len(unmatched) == n:
        raise DataError(
            f"{keyed.file}: 0 of {counted(n, 'reference')} belong to an item of the answer files: "
            f"{listed(unmatched)}; are they for the same questions?"
        )
    notes = []
    if unmatched:
        notes.append(
            f"{keyed.file}: {counted(len(unmatched), 'reference')} match nothing: {listed(unmatched)}"
        )
    found = [
        entry.reference.up_to(item.n_turns) if entry else (None,) * item.n_turns
        for item, entry in zip(items, entries, strict=True)
    ]
    texts = (
        tuple(text or own for text, own in zip(told, _own(item), strict=True))
        for item, told in zip(items, found, strict=True)
    )
    return References(texts=tuple(texts), file=keyed, notes=tuple(notes))


def flag_missing(items: Sequence[Item], *, allowed: bool) -> tuple[Item, ...]:
    """Flag the items without a reference where others have one; n = 0 with a reference flags none.

    Raises:
        DataError: Some items have a reference and others do not, and that is not allowed.
    """
    without = [item.id for item in items if item.reference is None]
    if not without or len(without) == len(items):
        return tuple(items)
    if not allowed:
        raise DataError(
            f"{len(without)} of {counted_items(items)} have no reference while others have one: "
            f"{listed(without)}; add them, or give --allow-missing-reference or --no-reference"
        )
    return tuple(
        item if item.reference is not None else replace(item, flags=(*item.flags, NO_REFERENCE))
        for item in items
    )
