"""Rows that not every file has: what a gate needs to know of answers that are missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgecli.answers.joining import Joined
from judgecli.answers.kept import INSTRUCTION
from judgecli.answers.keyed import KeyedFile
from judgecli.answers.options import Fields


def fields_of_missing(
    lone: Mapping[str, Joined], questions: KeyedFile | None, fields: Fields
) -> dict[str, dict[str, Any]]:
    """Return what rows that not every file has have in the fields that the user named, by their names."""
    found = {}
    for name, row in lone.items():
        entry = questions.get(row) if questions else None
        known = {**(entry.metadata if entry else {}), **row.metadata}
        own = {field: known[field] for field in fields.metadata if field in known}
        if INSTRUCTION in fields.metadata:
            asked = entry.instruction.up_to(row.n_turns) if entry else (row.instruction,)
            own[INSTRUCTION] = "\0".join((*row.earlier_instructions, asked[-1] or "", row.input or ""))
        if own:
            found[name] = own
    return found
