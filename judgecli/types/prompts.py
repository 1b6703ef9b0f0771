"""Nouns of what a judge is asked and what comes back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to the judge: a prompt in one order, and what is wanted back.

    `n_reason_tokens` is the budget for an explanation after the verdict; 0 asks for none.
    """

    pair_id: str
    order: Order
    prompt: Prompt
    grammar: Grammar
    n_verdict_tokens: int = 32
    n_reason_tokens: int = 0
    stop: tuple[str, ...] = ()


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
    """What came back for a request. `error` set means that the engine failed on it."""

    request: Request
    text: str = ""
    distribution: Distribution | None = None
    finish_reason: str = "stop"
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0
    elapsed_s: float = 0.0
    error: str | None = None
