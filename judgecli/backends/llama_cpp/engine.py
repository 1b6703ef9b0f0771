"""Judging one request after the other, evaluating what it shares with the one before only once.

A prompt is evaluated unit by unit (the family's cuts), each unit in a call of its own whether or not those
before it were cached, and nothing else lies in the cache meanwhile: measured on CPUs, the same prompt then
gives the same bits whatever was judged before it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.distribution import DistributionReader
from judgecli.backends.llama_cpp.token_trie import TrieNode, build_trie
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import Completion, Distribution, Grammar, Request


@dataclass(slots=True)
class Engine:
    """One model and one context at work; not to be shared between threads."""

    context: LlamaContext
    tokenizer: LlamaTokenizer
    _cached: list[list[int]] = field(default_factory=list)
    _tries: dict[tuple[int, str], tuple[Grammar, TrieNode]] = field(default_factory=dict)

    def judge(self, request: Request) -> Completion:
        """Judge one request; a failure of the engine is recorded in the completion."""
        started = time.perf_counter()
        units = self.tokenizer.encode(request.prompt)
        n_prompt_tokens = sum(map(len, units))
        try:
            text, distribution, finish_reason, n_written = self._answer(request, units, n_prompt_tokens)
        except EngineError as error:
            self._forget()
            return Completion(
                request=request,
                error=str(error),
                finish_reason="error",
                n_prompt_tokens=n_prompt_tokens,
                elapsed_s=time.perf_counter() - started,
            )
        except KeyboardInterrupt:
            self._forget()
            raise
        return Completion(
            request=request,
            text=text,
            distribution=distribution,
            finish_reason=finish_reason,
            n_prompt_tokens=n_prompt_tokens,
            n_completion_tokens=n_written,
            elapsed_s=time.perf_counter() - started,
        )

    def _answer(
        self, request: Request, units: list[list[int]], n_prompt_tokens: int
    ) -> tuple[str, Distribution, str, int]:
        """Return the completion's text, the distribution, the finish reason and the tokens written."""
        logits = self._evaluate(units)
        reader = DistributionReader(self.context, self.tokenizer)
        distribution, path = reader.read(self._trie(request), logits, n_prompt_tokens)
        if not request.n_reason_tokens:
            return distribution.greedy, distribution, "stop", len(path)
        reasons, finish_reason, n_written = self._continue(request, path, n_prompt_tokens)
        return distribution.greedy + reasons, distribution, finish_reason, len(path) + n_written

    def _evaluate(self, units: list[list[int]]) -> NDArray[np.float32]:
        """Bring a prompt into sequence 0, reusing leading units; return the logits of its last token."""
        shared = 0
        while shared < min(len(units) - 1, len(self._cached)) and units[shared] == self._cached[shared]:
            shared += 1
        position = sum(map(len, units[:shared]))
        if not self.context.truncate(0, position):
            self.context.clear()
            shared = position = 0
        self._cached = []  # not true again before the last unit is in
        for index, unit in enumerate(units[shared:], shared):
            rows = Rows()
            rows.extend(
                unit, start=position, sequence=0, want=Want.LAST if index == len(units) - 1 else Want.NONE
            )
            self.context.decode(rows)
            position += len(unit)
        self._cached = units
        return self.context.logits(len(units[-1]) - 1)

    def _continue(self, request: Request, path: list[int], n_prompt_tokens: int) -> tuple[str, str, int]:
        """Write greedily on after the verdict; return the text, why it ended, and its number of tokens."""
        written: list[int] = []
        step, position = path, n_prompt_tokens
        finish_reason = "length"
        while len(written) < request.n_reason_tokens:
            rows = Rows()
            rows.extend(step, start=position, sequence=0, want=Want.LAST)
            self.context.decode(rows)
            position += len(step)
            token = int(np.argmax(self.context.logits(len(step) - 1)))
            if self.tokenizer.is_end_of_generation(token):
                finish_reason = "stop"
                break
            written.append(token)
            step = [token]
            if any(stop in self._text(written[-32:]) for stop in request.stop):
                finish_reason = "stop"
                break
        self.context.truncate(0, n_prompt_tokens)
        return self._text(written), finish_reason, len(written)

    def _text(self, tokens: list[int]) -> str:
        return self.tokenizer.text_of(tokens).decode("utf-8", errors="replace")

    def _trie(self, request: Request) -> TrieNode:
        """Return the grammar's trie as its texts continue this prompt; built once per grammar and tail."""
        tail = self.tokenizer.tail_of(request.prompt)
        key = (id(request.grammar), tail)
        if key not in self._tries:
            paths = self.tokenizer.continuations(tail, request.grammar.readings)
            self._tries[key] = (request.grammar, build_trie(paths))
        return self._tries[key][1]

    def _forget(self) -> None:
        self.context.clear()
        self._cached = []
