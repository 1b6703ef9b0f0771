"""Reference answers: a file of them wins over those beside the answers; some but not all stops the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from judgecli.answers.joining import Joined, key_name
from judgecli.answers.keyed import KeyedFile, read_keyed
from judgecli.answers.layout import (
    ID_NAMES,
    INSTRUCTION_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Role,
)
from judgecli.answers.options import InputOptions
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError
from judgecli.types import Pair

NO_REFERENCE = "no-reference"
_ROLES = {
    Role.ID: ID_NAMES,
    Role.INSTRUCTION: INSTRUCTION_NAMES,
    Role.INPUT: ("input",),
    # a reference file may have the shape of an answer file
    Role.REFERENCE: (
        *REFERENCE_NAMES,
        "choices[0].turns[0].content",
        "choices[0].turns[0]",
        *RESPONSE_NAMES,
    ),
}


def find_references(
    pairs: Sequence[Joined], options: InputOptions
) -> tuple[list[str | None], KeyedFile | None, list[str]]:
    """Return each pair's reference (None where there is none), the file they came from, and notes.

    Raises:
        DataError: The reference file cannot be read or matches nothing, or both answer files carry a
            reference and they differ.
    """
    if options.no_reference:
        return [None] * len(pairs), None, []
    if options.reference is None:
        return _beside_answers(pairs), None, []
    return _from_file(options.reference, pairs, options)


def _beside_answers(pairs: Sequence[Joined]) -> list[str | None]:
    different = [
        pair.id
        for pair in pairs
        if pair.a.reference and pair.b.reference and pair.a.reference.strip() != pair.b.reference.strip()
    ]
    if different:
        raise DataError(
            f"the two files hold different references for {counted(len(different), 'id')}: "
            f"{listed(different)}; give the right ones with --reference, or drop them with --no-reference"
        )
    return [pair.a.reference or pair.b.reference for pair in pairs]


def _from_file(
    path: str, pairs: Sequence[Joined], options: InputOptions
) -> tuple[list[str | None], KeyedFile, list[str]]:
    keyed = read_keyed(path, _ROLES, Role.REFERENCE, options.fields, pairs)
    entries = [keyed.get(pair) for pair in pairs]
    used = {keyed.key(pair) for pair in pairs}
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
        (entry.reference if entry else None) or pair.a.reference or pair.b.reference
        for pair, entry in zip(pairs, entries, strict=True)
    ]
    return found, keyed, notes


def flag_missing(pairs: Sequence[Pair], *, allowed: bool) -> tuple[Pair, ...]:
    """Flag the pairs without a reference where others have one; n = 0 with a reference flags none.

    Raises:
        DataError: Some pairs have a reference and others do not, and that is not allowed.
    """
    without = [pair.id for pair in pairs if pair.reference is None]
    if not without or len(without) == len(pairs):
        return tuple(pairs)
    if not allowed:
        raise DataError(
            f"{len(without)} of {counted(len(pairs), 'pair')} have no reference while others have one: "
            f"{listed(without)}; add them, or give --allow-missing-reference or --no-reference"
        )
    return tuple(
        pair if pair.reference is not None else replace(pair, flags=(*pair.flags, NO_REFERENCE))
        for pair in pairs
    )
