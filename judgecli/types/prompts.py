"""Nouns of what a judge is asked and what comes back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self

from judgecli.types.answers import Order
from judgecli.types.grammar import Grammar


class PieceKind(StrEnum):
    """How a piece of a prompt becomes tokens."""

    TEXT = "text"  # never control tokens, and split inside the spelling of a user-defined one
    MARKUP = "markup"  # a chat template's literals: control tokens are found by their spelling


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of a prompt. `cut` ends an evaluation unit after it."""

    text: str
    kind: PieceKind = PieceKind.TEXT
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the judge is sent, before it becomes tokens; `flags` name what was altered in it."""

    pieces: tuple[Piece, ...]
    flags: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The prompt as one string."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def hash(self) -> str:
        """SHA-256 (hex) over the pieces, their kinds and cuts."""
        rows = [[piece.kind.value, piece.text, piece.cut] for piece in self.pieces]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()

    @property
    def path(self) -> tuple[int, ...]:
        """A 64-bit number for each evaluation unit, made of it and all units before it.

        Prompts whose paths begin alike begin with the same units. A unit without any text is none.
        """
        path: list[int] = []
        so_far = hashlib.blake2b(digest_size=8)
        is_empty = True
        for index, piece in enumerate(self.pieces, 1):
            data = piece.text.encode("utf-8", "surrogatepass")
            so_far.update(f"{piece.kind.value} {len(data)} ".encode() + data)
            is_empty = is_empty and not data
            if (piece.cut or index == len(self.pieces)) and not is_empty:
                so_far.update(b"cut")
                path.append(int.from_bytes(so_far.digest()))
                is_empty = True
        return tuple(path)


class VerdictPlace(StrEnum):
    """Where a judge's verdict stands, and whether a distribution is read there.

    `FIRST`: right after the prompt; an explanation may follow. `LAST`: after the reasons, at the place that
    the request's `locate` finds in the written text, or right after its `conclusion`; the distribution there
    is conditional on that text, and there is none where no place is found. `IN_TEXT`: in the written text,
    without a distribution.
    """

    FIRST = "first"
    LAST = "last"
    IN_TEXT = "in-text"


Locate = Callable[[str], int | None]  # from a written text to the character where its verdict begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the judge: a prompt in one order, and what is wanted back.

    `render` makes the prompt anew, so that a long run never holds all of them; `prompt_hash`, `flags` and
    `path` are that prompt's own. `place` says where the verdict stands in what the judge writes;
    `n_reason_tokens` is the budget for the text: after a verdict that comes first (0 asks for none), before
    and with one that comes last or in the text. It ends before the first of the `stop` texts; blanks are none
    before its first word. `conclusion` is put after the text of a judge whose verdict comes last, as the
    beginning of its verdict, which is then read right there, not where `locate` says.
    """

    item_id: str
    order: Order
    prompt_hash: str
    render: Callable[[], Prompt] = field(compare=False, repr=False)
    grammar: Grammar
    path: tuple[int, ...] = ()
    flags: tuple[str, ...] = ()
    place: VerdictPlace = VerdictPlace.FIRST
    n_reason_tokens: int = 0
    stop: tuple[str, ...] = ()
    locate: Locate | None = field(default=None, compare=False, repr=False)
    conclusion: str = ""

    @property
    def prompt(self) -> Prompt:
        """The prompt, rendered at every look."""
        return self.render()

    @classmethod
    def of(
        cls,
        prompt: Prompt,
        *,
        item_id: str,
        order: Order,
        grammar: Grammar,
        place: VerdictPlace = VerdictPlace.FIRST,
        n_reason_tokens: int = 0,
        stop: tuple[str, ...] = (),
        locate: Locate | None = None,
        conclusion: str = "",
    ) -> Self:
        """Return a request that holds its prompt."""
        return cls(
            item_id=item_id,
            order=order,
            prompt_hash=prompt.hash,
            render=lambda: prompt,
            grammar=grammar,
            path=prompt.path,
            flags=prompt.flags,
            place=place,
            n_reason_tokens=n_reason_tokens,
            stop=stop,
            locate=locate,
            conclusion=conclusion,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Probabilities of complete verdict texts under the judge, as read off its tokens.

    `p` maps a verdict's text to its probability (not renormalised); `greedy` is the verdict on the
    most probable path within the grammar; `p_unopened` was inside the grammar when last seen but not
    followed to its end. `mass` = sum(p) + p_unopened. `preferred` is the token the judge would write
    first if it were free, with its probability.
    """

    p: Mapping[str, float]
    greedy: str
    p_unopened: float
    preferred: tuple[str, float]

    @property
    def mass(self) -> float:
        """Probability that the judge stays inside the grammar, as far as it was followed."""
        return sum(self.p.values()) + self.p_unopened


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What came back for a request. `error` set means that the engine failed on it.

    `n_calls` counts HTTP calls, of an endpoint. `cached`: it was said in an earlier run, and not again.
    """

    request: Request
    text: str = ""
    distribution: Distribution | None = None
    finish_reason: str = "stop"
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0
    elapsed_s: float = 0.0
    n_calls: int = 0
    error: str | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPiece:
    """A piece of a text that is being written; the last one says how it ended: "stop" or "length"."""

    text: str
    finish_reason: str | None = None
