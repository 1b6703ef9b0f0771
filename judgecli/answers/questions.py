"""What was asked: from the answers themselves, or from a file of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judgecli.answers.joining import Joined, counted_items, plain
from judgecli.answers.keyed import Entry, KeyedFile, read_keyed
from judgecli.answers.layout import BODY_NAMES, ID_NAMES, INSTRUCTION_NAMES, Role
from judgecli.answers.options import Fields
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError

_ROLES = {
    Role.ID: ID_NAMES,
    # `text` is the older FastChat form, and `body` is what a batch's input asks
    Role.INSTRUCTION: ("turns", *INSTRUCTION_NAMES, "text", *BODY_NAMES),
    Role.INPUT: ("input",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The question of one item, those of earlier turns, and what the questions file adds to it."""

    instruction: str
    input: str | None = None
    earlier: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


def read_questions(path: str, fields: Fields, items: Sequence[Joined]) -> KeyedFile:
    """Read a file of questions: MT-bench `turns`, FastChat `text`, Arena-Hard `prompt`, usual names."""
    return read_keyed(path, _ROLES, fields, items, wanted=Role.INSTRUCTION)


def ask(items: Sequence[Joined], questions: KeyedFile | None) -> list[Asked]:
    """Return each item's question.

    Raises:
        DataError: An item without a question, or one whose answers were given to another question.
    """
    if questions is None:
        _require_own(items)
        return [
            Asked(instruction=item.instruction or "", input=item.input, earlier=item.earlier_instructions)
            for item in items
        ]
    entries = [questions.get(item) for item in items]
    told = [_told(item, entry) for item, entry in zip(items, entries, strict=True)]
    _require_told(items, told, questions.file)
    _refuse_other_questions(items, entries, questions.file)
    return [
        _asked(item, entry, texts) for item, entry, texts in zip(items, entries, told, strict=True) if entry
    ]


def _require_own(items: Sequence[Joined]) -> None:
    without = [
        item.id
        for item in items
        if item.instruction is None or len(item.earlier_instructions) + 1 < item.n_turns
    ]
    if without:
        raise DataError(
            f"{items[0].responses[0].source.file}: no question for {len(without)} of {counted_items(items)}: "
            f"{listed(without)}; give a file of questions with --questions, or name the field with "
            "--instruction-field"
        )


def _told(item: Joined, entry: Entry | None) -> tuple[str | None, ...]:
    """Return the questions of an item's turns; None where neither the file nor the answers say."""
    texts = (None,) * item.n_turns if entry is None else entry.instruction.up_to(item.n_turns)
    own = item.earlier_instructions or (None,) * (item.n_turns - 1)
    return (*(text or mine for text, mine in zip(texts[:-1], own, strict=True)), texts[-1])


def _require_told(items: Sequence[Joined], told: Sequence[Sequence[str | None]], file: str) -> None:
    without = [
        item.id if len(texts) == 1 else f"{item.id} turn {texts.index(None) + 1}"
        for item, texts in zip(items, told, strict=True)
        if None in texts
    ]
    if without:
        raise DataError(
            f"{file}: no question for {len(without)} of {counted_items(items)}: {listed(without)}; "
            "are these the questions that were answered?"
        )


def _refuse_other_questions(items: Sequence[Joined], entries: Sequence[Entry | None], file: str) -> None:
    different = [
        item.id
        for item, entry in zip(items, entries, strict=True)
        if entry is not None and item.instruction is not None and _differs(item, entry)
    ]
    if different:
        raise DataError(
            f"{file}: {counted(len(different), 'question')} differ from what the answer files say was asked: "
            f"{listed(different)}; leave out --questions, or name the right field with --instruction-field"
        )


def _differs(item: Joined, entry: Entry) -> bool:
    own = (*(item.earlier_instructions or (None,) * (item.n_turns - 1)), item.instruction)
    theirs = entry.instruction.up_to(item.n_turns)
    both = [(x, y) for x, y in zip(own, theirs, strict=True) if x is not None and y is not None]
    return plain(item.input) != plain(entry.input) or any(plain(x) != plain(y) for x, y in both)


def _asked(item: Joined, entry: Entry, told: Sequence[str | None]) -> Asked:
    return Asked(
        instruction=item.instruction or told[-1] or "",
        input=item.input or entry.input,
        earlier=item.earlier_instructions or tuple(text or "" for text in told[:-1]),
        metadata=entry.metadata,
    )
