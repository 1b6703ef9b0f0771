"""What was asked: from the answers themselves, or from a file of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgecli.answers.joining import Joined, instruction_key
from judgecli.answers.keyed import Entry, KeyedFile, read_keyed
from judgecli.answers.layout import ID_NAMES, INSTRUCTION_NAMES, Role
from judgecli.answers.options import Fields
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError

_ROLES = {
    Role.ID: ID_NAMES,
    # of several turns the first is asked; `text` is the older FastChat form
    Role.INSTRUCTION: ("turns[0]", *INSTRUCTION_NAMES, "text"),
    Role.INPUT: ("input",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question of one pair, and what the questions file adds to it."""

    instruction: str
    input: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def read_questions(path: str, fields: Fields, pairs: Sequence[Joined]) -> KeyedFile:
    """Read a file of questions: MT-bench `turns`, FastChat `text`, Arena-Hard `prompt`, usual names."""
    return read_keyed(path, _ROLES, Role.INSTRUCTION, fields, pairs)


def ask(pairs: Sequence[Joined], questions: KeyedFile | None) -> list[Asked]:
    """Return each pair's question.

    Raises:
        DataError: A pair without a question, or one whose answers were given to another question.
    """
    if questions is None:
        _require_own(pairs)
        return [Asked(instruction=pair.instruction or "", input=pair.input) for pair in pairs]
    entries = [questions.get(pair) for pair in pairs]
    _require_entries(pairs, entries, questions.file)
    _refuse_other_questions(pairs, entries, questions.file)
    return [_asked(pair, entry) for pair, entry in zip(pairs, entries, strict=True) if entry]


def _require_own(pairs: Sequence[Joined]) -> None:
    without = [pair.id for pair in pairs if pair.instruction is None]
    if without:
        raise DataError(
            f"{pairs[0].a.source.file}: no question for {len(without)} of {counted(len(pairs), 'pair')}: "
            f"{listed(without)}; give a file of questions with --questions, or name the field with "
            "--instruction-field"
        )


def _require_entries(pairs: Sequence[Joined], entries: Sequence[Entry | None], file: str) -> None:
    answered = [entry is not None and entry.instruction is not None for entry in entries]
    without = [pair.id for pair, found in zip(pairs, answered, strict=True) if not found]
    if without:
        raise DataError(
            f"{file}: no question for {len(without)} of {counted(len(pairs), 'pair')}: {listed(without)}; "
            "are these the questions that were answered?"
        )


def _refuse_other_questions(pairs: Sequence[Joined], entries: Sequence[Entry | None], file: str) -> None:
    different = [
        pair.id
        for pair, entry in zip(pairs, entries, strict=True)
        if entry is not None
        and pair.instruction is not None
        and instruction_key(pair.instruction, pair.input) != instruction_key(entry.instruction, entry.input)
    ]
    if different:
        raise DataError(
            f"{file}: {counted(len(different), 'question')} differ from what the answer files say was asked: "
            f"{listed(different)}; leave out --questions, or name the right field with --instruction-field"
        )


def _asked(pair: Joined, entry: Entry) -> Asked:
    return Asked(
        instruction=pair.instruction or entry.instruction or "",
        input=pair.input or entry.input,
        metadata=entry.metadata,
    )
