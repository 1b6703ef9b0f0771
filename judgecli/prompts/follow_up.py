"""Going on from a judged prompt: what the judge wrote, and questions about it, as further turns.

The judged prompt stays as it is, piece by piece, so that its tokens are evaluated once; what a turn adds is
the same for every turn, so that each prompt of a conversation begins with the one before it.

A chat template gives its own markup around a further turn. Families without one were not made for a second
turn: theirs is a rendering of judgecli's, not a published protocol. A family in a wrapper of its own, such as
`[INST] {user} [/INST]`, is asked in another such block; a raw prompt goes on with `### Instruction:` and
`### Response:`, the headings that these judges' base models were tuned with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgecli.errors import ModelError
from judgecli.prompts.chat_template import further_turn
from judgecli.prompts.family import PromptFamily, Wrapper
from judgecli.prompts.markers import alter_markers
from judgecli.types import Piece, PieceKind, Prompt

_QUESTION, _REPLY = "### Instruction:", "### Response:"
_BLOCK = "[INST]"
ALTERED = "marker altered in the question"


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """What stands before a further question, and between it and its answer.

    `markers` are altered in questions as in answers that are judged; `stop` ends an answer that would go on
    with a question of its own.
    """

    before: Piece
    after: Piece
    markers: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()

    def prompt(
        self, judged: Prompt, wrote: str, exchanges: Sequence[tuple[str, str]], question: str
    ) -> Prompt:
        """Return a question's prompt: the judged one, what the judge wrote, earlier questions with answers.

        Neither questions nor what the judge wrote can become markup.
        """
        said = (wrote, *(answer for _, answer in exchanges))
        asked = (*(earlier for earlier, _ in exchanges), question)
        turns = zip(said, asked, strict=True)
        flags = {*judged.flags, ALTERED} if self._altered(question) != question else judged.flags
        pieces = (piece for turn in turns for piece in self._turn(*turn))
        return Prompt(pieces=(*judged.pieces, *pieces), flags=tuple(sorted(flags)))

    def _turn(self, said: str, question: str) -> Iterator[Piece]:
        if said.strip():
            yield Piece(text=alter_markers(said.rstrip(), self.stop))
        yield self.before
        yield Piece(text=self._altered(question))
        yield self.after

    def _altered(self, question: str) -> str:
        return alter_markers(question, self.markers)


def follow_up(family: PromptFamily, template: str | None, *, end_of_text: str = "") -> FollowUp:
    """Return how a family's prompts go on. `end_of_text` is the spelling of the token that ends a text.

    Raises:
        ModelError: the family needs a chat template and there is none, or it takes no second question.
    """
    if family.wrapper is Wrapper.RAW:
        own = (_QUESTION, _REPLY)
        before, after = Piece(text=f"\n\n{_QUESTION}\n"), Piece(text=f"\n\n{_REPLY}")
        return FollowUp(before=before, after=after, markers=(*family.markers, *own), stop=own)
    if family.wrapper is Wrapper.TEXT:
        stop = (_BLOCK,) if _BLOCK in family.wrapper_text else ()
        opening, closing = _in_text(family.wrapper_text, end_of_text)
    else:
        if not template:
            message = f"the prompt family {family.name!r} needs a chat template and this GGUF has none"
            raise ModelError(f"{message}; name one with --template")
        stop = ()
        opening, closing = further_turn(template, end_of_text)
    before = Piece(text=opening, kind=PieceKind.MARKUP)
    after = Piece(text=closing, kind=PieceKind.MARKUP)
    return FollowUp(before=before, after=after, markers=family.markers, stop=stop)


def _in_text(wrapper: str, end_of_text: str) -> tuple[str, str]:
    """Return what a family's own wrapper has before and after a further question."""
    opening, _, closing = wrapper.partition("{user}")
    before, has_system, between = opening.partition("{system}")
    if _BLOCK in before:
        return f"{end_of_text}{_BLOCK} ", closing
    # what ends a system text and begins the user's ends the judge's own as well
    return (between if has_system else f"{end_of_text}{before}"), closing
