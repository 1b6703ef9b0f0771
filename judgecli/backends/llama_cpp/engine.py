"""Judging many requests: grouped by what they share, read off together, explained in batches.

Prompts that begin alike are evaluated one after the other, so that every shared unit is evaluated once and
kept just as long as it is needed; a prompt is made and tokenized when its turn comes.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from judgecli.backends.llama_cpp.context import EngineError, Rows, Want
from judgecli.backends.llama_cpp.contexts import Contexts
from judgecli.backends.llama_cpp.distribution import DistributionReader, Limits
from judgecli.backends.llama_cpp.evaluation import Evaluated, PromptCache
from judgecli.backends.llama_cpp.token_trie import TrieNode, build_trie
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.backends.llama_cpp.writing import Continuation, Writer, Written
from judgecli.types import Completion, Distribution, Grammar, Request, depth_first

_KEPT_TRIES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request whose turn has come: its tokens by unit, and how its verdict would be tokenized."""

    request: Request
    units: list[list[int]]
    trie: TrieNode
    started_s: float

    @property
    def n_tokens(self) -> int:
        return sum(map(len, self.units))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A request whose distribution is read; `begun` where it is still to be explained."""

    asked: _Asked
    distribution: Distribution
    n_written: int
    begun: Continuation | None = None


@dataclass(slots=True)
class Engine:
    """One model at work; not to be shared between threads."""

    contexts: Contexts
    tokenizer: LlamaTokenizer
    limits: Limits = field(default_factory=Limits)
    _tries: OrderedDict[tuple[int, str], tuple[Grammar, TrieNode]] = field(default_factory=OrderedDict)
    _explained: dict[int, _Read] = field(default_factory=dict)

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Judge requests, yielding completions as they finish; a failure is recorded in its completion."""
        waiting = (requests[index] for index in depth_first(request.path for request in requests))
        try:
            while window := list(islice(waiting, self.contexts.n_prompts)):
                # all of a window first: writing may have to read a prompt again, in the same cache
                for outcome in list(self._read([self._ask(request) for request in window])):
                    yield from self._go_on(outcome)
            while self._explained:
                yield from self._write()
        except BaseException:  # an interrupt, or a caller that left: nothing half done stays behind
            self._explained.clear()
            self.contexts.forget()
            raise

    def _ask(self, request: Request) -> _Asked:
        started_s = time.perf_counter()
        prompt = request.prompt
        trie = self._trie(request.grammar, self.tokenizer.tail_of(prompt))
        units = self.tokenizer.encode(prompt)
        return _Asked(request=request, units=units, trie=trie, started_s=started_s)

    def _read(self, window: Sequence[_Asked]) -> Iterator[_Read | Completion]:
        """Read the distributions of prompts; where one fails, the others are read again without it."""
        try:
            evaluated = self._cache.evaluate([asked.units for asked in window])
            read = self._reader.read(evaluated, [asked.trie for asked in window])
        except EngineError as error:
            self.contexts.renew_prompts()
            if len(window) == 1:
                yield _failed(window[0], error)
            else:
                for asked in window:
                    yield from self._read([asked])
            return
        for index, (asked, prompt, (distribution, path)) in enumerate(
            zip(window, evaluated, read, strict=True)
        ):
            try:
                begun = self._begin(asked, prompt, path)
            except EngineError as error:
                self.contexts.renew_prompts()
                yield _failed(asked, error)
                if window[index + 1 :]:
                    yield from self._read(window[index + 1 :])
                return
            yield _Read(asked=asked, distribution=distribution, n_written=len(path), begun=begun)

    def _begin(self, asked: _Asked, prompt: Evaluated, path: list[int]) -> Continuation | None:
        """Write the verdict after its prompt and copy both out, to be explained if that is asked."""
        if not asked.request.n_reason_tokens:
            return None
        self.contexts.branches.bring([prompt])
        context = self.contexts.branches.context
        rows = Rows()
        rows.extend(path, start=prompt.n_tokens, sequences=(prompt.sequence,), want=Want.LAST)
        context.decode_accompanied(rows, self.contexts.branches.first_branch)
        begun = Continuation(
            units=[*asked.units, path],
            state=context.state_of(prompt.sequence),
            logits=context.logits(len(path) - 1),
            max_tokens=asked.request.n_reason_tokens,
            stop=asked.request.stop,
        )
        context.truncate(prompt.sequence, prompt.n_tokens)
        return begun

    def _go_on(self, outcome: _Read | Completion) -> Iterator[Completion]:
        """Yield what is finished; let what is to be explained join the others as soon as there is room."""
        if isinstance(outcome, Completion):
            yield outcome
        elif outcome.begun is None:
            yield _finished(outcome)
        else:
            while not self._writer.has_room:
                yield from self._write()
            yield from self._join(outcome, outcome.begun)

    def _join(self, read: _Read, begun: Continuation) -> Iterator[Completion]:
        try:
            stream, written = self._writer.join(begun)
        except EngineError as error:
            yield _failed(read.asked, error)
            return
        if written is None:
            self._explained[stream] = replace(read, begun=None)  # the state is in the stream by now
        else:
            yield _finished(read, written)

    def _write(self) -> Iterator[Completion]:
        """Write one token of every explanation; where that fails, each of them is begun again alone."""
        try:
            for stream, written in self._writer.step():
                yield _finished(self._explained.pop(stream), written)
        except EngineError as error:
            failed = list(self._explained.values())
            self._explained.clear()
            self.contexts.renew_writing()
            for read in failed:
                if len(failed) == 1:
                    yield _failed(read.asked, error)
                else:
                    yield from self._alone(read.asked)

    def _alone(self, asked: _Asked) -> Iterator[Completion]:
        for outcome in list(self._read([asked])):
            yield from self._go_on(outcome)
            while self._explained:
                yield from self._write()

    @property
    def _cache(self) -> PromptCache:
        return self.contexts.prompts

    @property
    def _writer(self) -> Writer:
        return self.contexts.writer

    @property
    def _reader(self) -> DistributionReader:
        return DistributionReader(
            self.contexts.branches,
            self.tokenizer,
            can_drop_tails=self.contexts.can_drop_tails,
            limits=self.limits,
        )

    def _trie(self, grammar: Grammar, tail: str) -> TrieNode:
        """Return the grammar's trie as its texts continue a prompt's end; the last few are kept."""
        key = (id(grammar), tail)
        if key not in self._tries:
            paths = self.tokenizer.continuations(tail, grammar.readings)
            self._tries[key] = (grammar, build_trie(paths))
            if len(self._tries) > _KEPT_TRIES:
                self._tries.popitem(last=False)
        return self._tries[key][1]


def _finished(read: _Read, written: Written | None = None) -> Completion:
    return Completion(
        request=read.asked.request,
        text=read.distribution.greedy + (written.text if written else ""),
        distribution=read.distribution,
        finish_reason=written.finish_reason if written else "stop",
        n_prompt_tokens=read.asked.n_tokens,
        n_completion_tokens=read.n_written + (written.n_tokens if written else 0),
        elapsed_s=time.perf_counter() - read.asked.started_s,
    )


def _failed(asked: _Asked, error: EngineError) -> Completion:
    return Completion(
        request=asked.request,
        error=str(error),
        finish_reason="error",
        n_prompt_tokens=asked.n_tokens,
        elapsed_s=time.perf_counter() - asked.started_s,
    )
