"""Where a verdict begins among the tokens that a judge wrote."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictStart:
    """The token boundary from which a verdict is read.

    `n_tokens` tokens of the text come before it; `opening` are the characters between it and the verdict: a
    judge may write a blank, or a bracket, and the verdict as one token.
    """

    n_tokens: int
    opening: str


def verdict_start(text: str, pieces: Iterable[bytes], at: int) -> VerdictStart:
    """Return the last token boundary up to the character `at` of a text; `pieces` are its tokens' bytes."""
    decoder = getincrementaldecoder("utf-8")("replace")
    n_characters = n_tokens = boundary = 0
    for n, piece in enumerate(pieces, 1):
        n_characters += len(decoder.decode(piece))
        if n_characters > at:
            break
        if not decoder.getstate()[0]:  # else it ends within a character
            n_tokens, boundary = n, n_characters
    return VerdictStart(n_tokens=n_tokens, opening=text[boundary:at])
