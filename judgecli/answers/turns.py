"""Conversations: the turns of messages, or of a list of answers, and which of them is judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from judgecli.answers.containers import parse_json
from judgecli.answers.texts import (
    content_text,
    instruction_text,
    is_conversation,
    is_tool_result,
    message_text,
    scalar_text,
)
from judgecli.errors import DataError, UsageError

FIRST, LAST = "first", "last"
_INDEXES = {FIRST: 0, LAST: -1}
_MAX_DIGITS = 6
# who says what a tool is called with, or what it answers; the last four are names of ShareGPT's
_TOOLS = frozenset(
    {"tool", "function", "ipython", "function_call", "observation", "tool_call", "tool_response"}
)


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
    So does what the assistant says before anyone else. What a tool says is no question and is left out: all
    that the assistant says around it is one answer. The last turn's output is None where the messages end
    with a question, or with a tool.

    Raises:
        UnreadableValueError: a message holds something else than text, images and calls of tools.
    """
    said = [(str(one["role"]), message_text(one)) for one in messages if not _is_of_tool(one)]
    groups = [list(group) for _, group in groupby(said, key=lambda one: one[0] == "assistant")]
    if len(groups) > 1 and groups[0][0][0] == "assistant":
        groups[:2] = [groups[0] + groups[1]]
    elif groups and groups[0][0][0] == "assistant":
        groups.insert(0, [])
    answers: list[str | None] = [_answer(group) for group in groups[1::2]]
    questions = [_transcript(group) for group in groups[::2]]
    if answers and _is_of_tool(messages[-1]):
        answers[-1] = None
    open_end = [None] if len(answers) < len(questions) else []
    return [Turn(question, answer) for question, answer in zip(questions, [*answers, *open_end], strict=True)]


def _answer(said: Sequence[tuple[str, str]]) -> str:
    """Return what the assistant says in several messages as one text; a single one as it is."""
    texts = [text for _, text in said]
    return "\n\n".join(text for text in texts if len(texts) == 1 or text.strip())


def has_tools(value: Any) -> bool:
    """Whether a value is a list of chat messages some of which tools have said."""
    return is_conversation(value) and any(map(_is_of_tool, value))


def _is_of_tool(message: Mapping[str, Any]) -> bool:
    """Whether a tool said a message, or a user hands on what a tool said and nothing else."""
    content = message.get("content")
    handed_on = isinstance(content, list) and len(content) > 0 and all(map(is_tool_result, content))
    return str(message["role"]) in _TOOLS or handed_on


def transcript(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Return chat messages as one text, a single one as it is; None where all are blank.

    Raises:
        UnreadableValueError: a message holds something else than text, images and calls of tools.
    """
    return _transcript([(str(message["role"]), message_text(message)) for message in messages])


def _transcript(said: Sequence[tuple[str, str]]) -> str | None:
    filled = [one for one in said if one[1].strip()]
    if len(filled) == 1:
        return filled[0][1]
    return "\n\n".join(f"{role.capitalize()}: {text}" for role, text in filled) or None


def questions_of(value: Any, *, with_tools: bool = False) -> list[Mapping[str, Any]]:
    """Return a prompt's messages up to the last that is not the assistant's: its reply is no question.

    Nor is what a tool said last, unless `with_tools` says so.
    """
    asked = list(value) if is_conversation(value) else []
    while asked and (asked[-1]["role"] == "assistant" or (_is_of_tool(asked[-1]) and not with_tools)):
        asked.pop()
    return asked


def after_system(system: Any, said: Any) -> Any:
    """Return messages, or a text that a user says, after a system message that a row holds beside them.

    As they are where there is no such message, a text or a list of parts, or they begin with one.
    """
    parts = system if isinstance(system, list) else [{"text": system}]
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    text = "".join(one for one in texts if isinstance(one, str))
    if not text.strip():
        return said
    first = {"role": "system", "content": text}
    if isinstance(said, str):
        return transcript([first, {"role": "user", "content": said}])
    is_alone = is_conversation(said) and said[0]["role"] == "system"
    return [first, *said] if is_conversation(said) and not is_alone else said


def chat_of(value: Any) -> list[Mapping[str, Any]] | None:
    """Return the chat messages that a text holds as JSON; None where it holds anything else."""
    if not isinstance(value, str) or not value.lstrip().startswith("["):
        return None
    try:
        found, _ = parse_json(value, "", 1)
    except DataError:
        return None
    return found if is_conversation(found) else None


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


def with_questions(turns: list[Turn], asked: Any) -> list[Turn]:
    """Return turns with their questions: a text is that of the first, of a list each has its own."""
    texts = list(map(instruction_text, asked if isinstance(asked, list) else [asked]))
    return [
        turn._replace(instruction=text)
        for turn, text in zip(turns, [*texts, *[None] * len(turns)], strict=False)
    ]


def turns_of_answer(asked: Any, found: Any, said: list[Turn] | str | None) -> list[Turn]:
    """Return the turns of a question beside an answer, each a text or messages.

    Messages of the answer may repeat those of the question. A question that is a text goes before what the
    answer's messages say where they are a single turn.
    """
    if isinstance(said, list):
        questions = questions_of(asked)
        if found[: len(questions)] != questions:
            return turns_of_messages([*questions, *found])
        question = instruction_text(asked) if not is_conversation(asked) else None
        return [said[0]._replace(instruction=question)] if question and len(said) == 1 else said
    if is_conversation(asked):
        return turns_of_messages([*questions_of(asked), {"role": "assistant", "content": said}])
    return [Turn(instruction_text(asked) if asked != [] else None, said or "")]
