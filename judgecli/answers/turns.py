"""Conversations: the turns of messages, or of a list of answers, and which of them is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from judgecli.answers.texts import content_text, is_conversation, scalar_text
from judgecli.errors import UsageError

FIRST, LAST = "first", "last"
_INDEXES = {FIRST: 0, LAST: -1}
_MAX_DIGITS = 6


class Turn(NamedTuple):
    """What was asked and what was answered; None where the row does not say."""

    instruction: str | None
    output: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says of an item's turns: one text for each, or one for the turn that is judged."""

    texts: tuple[str | None, ...]
    by_turn: bool = False

    def up_to(self, n_turns: int) -> tuple[str | None, ...]:
        """Return the texts of the first so many turns, the last of them the one that is judged."""
        if not self.by_turn:
            return (*[None] * (n_turns - 1), *self.texts)
        return (*self.texts[:n_turns], *[None] * (n_turns - len(self.texts)))


def turn_index(turn: str | int) -> int:
    """Return the index of a turn that is named `first`, `last` or by its number from 1; -1 is the last.

    Raises:
        UsageError: it is none of these.
    """
    text = str(turn).strip()
    if text in _INDEXES:
        return _INDEXES[text]
    if text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS and int(text) > 0:
        return int(text) - 1
    raise UsageError(f"--turn {text}: choose first, last or a turn's number, counted from 1")


def turns_of_messages(messages: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """Return the turns of chat messages: what comes between two answers is one instruction.

    A single message is asked as it is; several, such as a system message and the user's, become a transcript.
    So does what the assistant says before anyone else. The last turn's output is None where the messages end
    with a question.

    Raises:
        UnreadableValueError: a message holds something else than text and images.
    """
    said = [(str(message["role"]), content_text(message["content"])) for message in messages]
    groups = [list(group) for _, group in groupby(said, key=lambda one: one[0] == "assistant")]
    if len(groups) > 1 and groups[0][0][0] == "assistant":
        groups[:2] = [groups[0] + groups[1]]
    elif groups and groups[0][0][0] == "assistant":
        groups.insert(0, [])
    answers = ["\n\n".join(text for _, text in group) for group in groups[1::2]]
    questions = [_transcript(group) for group in groups[::2]]
    open_end = [None] if len(answers) < len(questions) else []
    return [Turn(question, answer) for question, answer in zip(questions, [*answers, *open_end], strict=True)]


def transcript(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Return chat messages as one text, a single one as it is; None where all are blank.

    Raises:
        UnreadableValueError: a message holds something else than text and images.
    """
    return _transcript([(str(message["role"]), content_text(message["content"])) for message in messages])


def _transcript(said: Sequence[tuple[str, str]]) -> str | None:
    filled = [one for one in said if one[1].strip()]
    if len(filled) == 1:
        return filled[0][1]
    return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in filled) or None


def questions_of(value: Any) -> list[Mapping[str, Any]]:
    """Return a prompt's messages up to the last that is not the assistant's: its reply is no question."""
    asked = list(value) if is_conversation(value) else []
    while asked and asked[-1]["role"] == "assistant":
        asked.pop()
    return asked


def turns_of_answers(answers: Sequence[Any]) -> list[Turn]:
    """Return the turns of a list of answers, each a text or `{"content": ...}`.

    Raises:
        UnreadableValueError: one of them is neither.
    """
    return [Turn(None, turn_text(answer)) for answer in answers]


def turn_text(value: Any) -> str:
    """Return the text of one turn of a list.

    Raises:
        UnreadableValueError: it is neither a text nor `{"content": ...}`.
    """
    if isinstance(value, Mapping) and "content" in value:
        return content_text(value["content"])
    return scalar_text(value) or ""
