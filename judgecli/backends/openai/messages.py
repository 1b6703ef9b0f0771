"""A prompt as an endpoint takes it: messages of a chat, or one text.

Endpoints put their model's own chat template around messages, so prompts for them are made with the template
below, whose markup says nothing but who speaks. It is found by the kind of the pieces, never by its spelling:
an answer that spells it is text, and cannot open a message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from judgecli.types import Grammar, PieceKind, Prompt, VerdictPlace

TEMPLATE = (
    '{% for m in messages %}<message role="{{ m.role }}">{{ m.content }}</message>{% endfor %}'
    '<message role="assistant">'
)
# Measured on SmolLM2-135M, which then writes the label and nothing else; without it, it goes on to explain,
# and with the begun sentence in the message ("Complete: ... I choose") half as much mass is on the labels.
_ALONE = "Reply with the verdict alone."
_ALONE_FIRST = "Begin your reply with the verdict alone, on its first line."
_OPENS = re.compile(r'(?:</message>)?<message role="(system|user|assistant)">')
_WORD = re.compile(r"\w+|[^\w\s]")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Api(StrEnum):
    """Which of an endpoint's two interfaces is asked."""

    CHAT = "chat"
    COMPLETIONS = "completions"


class Message(TypedDict):
    """One turn of a chat."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is sent: messages, or where there are none a text; `begun` is how the family begins the reply."""

    messages: tuple[Message, ...] = ()
    text: str = ""
    begun: str = ""

    @property
    def api(self) -> Api:
        """The interface that takes it."""
        return Api.CHAT if self.messages else Api.COMPLETIONS

    def for_verdict(self, *, is_alone: bool) -> Asked:
        """Return the same with the begun reply folded into the last message: no server has to go on from it.

        `is_alone` says that nothing but the verdict is wanted.
        """
        if not self.messages or not self.begun:
            return self
        return self._with_last(f"{self.messages[-1]['content']}\n\n{_ALONE if is_alone else _ALONE_FIRST}")

    def concluded(self, reasons: str, conclusion: str) -> Asked:
        """Return the question for the verdict after reasons: the text goes on, a chat has a further turn."""
        if not self.messages:
            return Asked(text=f"{self.text}{reasons}{conclusion}")
        sentence = conclusion.strip()
        question = f"{_ALONE} It completes this sentence:\n{sentence}"
        turns: tuple[Message, ...] = (
            {"role": "assistant", "content": well_formed(reasons)},
            {"role": "user", "content": question},
        )
        return Asked(messages=(*self.messages, *turns), begun=sentence)

    def _with_last(self, content: str) -> Asked:
        last: Message = {"role": self.messages[-1]["role"], "content": content}
        return Asked(messages=(*self.messages[:-1], last), begun=self.begun)


def take_apart(prompt: Prompt) -> Asked:
    """Return a prompt's messages, or its text where its markup is not this module's."""
    turns: list[Message] = []
    for piece in prompt.pieces:
        if piece.kind is PieceKind.MARKUP:
            opened = _OPENS.fullmatch(piece.text)
            if opened is None:
                turns.clear()
                break
            turns.append({"role": opened[1], "content": ""})
        elif turns:
            turns[-1]["content"] += well_formed(piece.text)
        else:
            break
    if not turns:
        return Asked(text=well_formed(prompt.text))
    return Asked(messages=tuple(turns[:-1]), begun=turns[-1]["content"])


def show_sent(prompt: Prompt, place: VerdictPlace) -> str:
    """Return what is sent of a prompt that asks for a verdict alone, in a form for people.

    Each message stands under the name of its role; a text that goes on is sent as it is.
    """
    asked = take_apart(prompt)
    if place is not VerdictPlace.LAST:
        asked = asked.for_verdict(is_alone=True)
    if not asked.messages:
        return asked.text
    return "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in asked.messages)


def well_formed(text: str) -> str:
    """Return a text without lone surrogates, which neither JSON in UTF-8 nor a run file can hold."""
    return _SURROGATE.sub("\ufffd", text)


class WordCounter:
    """Counts words and signs: nobody has the vocabulary of a judge behind an endpoint."""

    n_ctx_train: int | None = None
    chat_template: str | None = TEMPLATE
    end_of_text = ""

    def encode(self, prompt: Prompt) -> list[list[int]]:
        """Return a number for each word or sign, one list an evaluation unit; a token is seldom longer."""
        units: list[list[int]] = [[]]
        for piece in prompt.pieces:
            if piece.kind is not PieceKind.MARKUP:  # what parts messages is no word of them
                units[-1].extend(len(word) for word in _WORD.findall(piece.text))
            if piece.cut:
                units.append([])
        return units

    def check_verdicts(self, prompt: Prompt, grammar: Grammar) -> None:
        """Accept any grammar: what cannot be told apart in the reply is no verdict there."""
