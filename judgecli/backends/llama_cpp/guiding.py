"""Writing a line of scores whose texts are too many to list: at each token, only what can still become one.

The judge's greedy path within the grammar is followed; how probable it is, and how much of the probability
stays within the grammar along it, are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.distribution import log_softmax
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import Distribution, ScoresGrammar


class Guide:
    """The tokens that a grammar's texts can be made of; for any number of texts."""

    def __init__(self, tokenizer: LlamaTokenizer, grammar: ScoresGrammar) -> None:
        """Look through the vocabulary for tokens of the characters that lines of scores are made of."""
        self.grammar = grammar
        characters = set(f"0123456789.{grammar.opening}{grammar.separator}{grammar.terminator}".encode())
        pieces = ((token, tokenizer.text_of([token])) for token in range(tokenizer.n_vocab))
        self._pieces = {
            token: piece.decode() for token, piece in pieces if piece and set(piece) <= characters
        }

    def allowed(self, text: str) -> list[int]:
        """Return the tokens that a text of the grammar may go on with."""
        return [token for token, piece in self._pieces.items() if self.grammar.begins(text + piece)]


@dataclass(slots=True)
class Guided:
    """The path of one text so far; `preferred` is the token that the judge would have begun with if free."""

    guide: Guide
    logprob: float = 0.0
    log_mass: float = 0.0
    preferred: tuple[int, float] | None = None

    def choose(self, text: str, logits: NDArray[np.float32]) -> int | None:
        """Return the most probable token that a text may go on with; None where there is none."""
        logprobs = log_softmax(logits)
        if self.preferred is None:
            top = int(np.argmax(logits))
            self.preferred = (top, math.exp(float(logprobs[top])))
        allowed = self.guide.allowed(text)
        if not allowed:
            return None
        among = logprobs[allowed]
        best = int(np.argmax(among))
        self.logprob += float(among[best])
        self.log_mass += math.log(math.fsum(np.exp(among))) if among.max() > -math.inf else -math.inf
        return allowed[best]

    def distribution(self, text: str, tokenizer: LlamaTokenizer) -> Distribution:
        """Return what is known of the distribution once the text is whole: its one greedy verdict."""
        p, mass = math.exp(self.logprob), math.exp(self.log_mass)
        top, p_top = self.preferred or (0, 0.0)
        preferred = tokenizer.text_of([top]).decode("utf-8", errors="replace")
        return Distribution(
            p={text: p}, greedy=text, p_unopened=max(mass - p, 0.0), preferred=(preferred, p_top)
        )
