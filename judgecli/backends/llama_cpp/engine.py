"""Judging many requests: grouped by what they share, read off together, written on in batches.

Prompts that begin alike are evaluated one after the other, so that every shared unit is evaluated once and
kept just as long as it is needed; a prompt is made and tokenized when its turn comes.

A verdict that comes first is read at the prompt's end, and explained from there. One that comes last is read
when the text before it has ended: after the judge's own tokens, up to the last of them that ends before the
place. So the text is never tokenized anew, and a verdict that the judge joins with the blank before it is
read as that. A request's conclusion is put after the text first, and the verdict read right after that.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import EngineError, Rows, Want
from judgecli.backends.llama_cpp.contexts import Contexts
from judgecli.backends.llama_cpp.distribution import DistributionReader, Limits
from judgecli.backends.llama_cpp.evaluation import Evaluated, PromptCache
from judgecli.backends.llama_cpp.guiding import Guide
from judgecli.backends.llama_cpp.locating import verdict_start
from judgecli.backends.llama_cpp.outcomes import Asked, Read, failed, finished
from judgecli.backends.llama_cpp.sequence_state import Bytes
from judgecli.backends.llama_cpp.token_trie import TrieNode, build_trie
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.backends.llama_cpp.writing import Continuation, Writer, Written
from judgecli.errors import ModelError
from judgecli.types import (
    Completion,
    Distribution,
    Grammar,
    Request,
    ScoresGrammar,
    VerdictPlace,
    depth_first,
)

_KEPT_TRIES = 16
_TrieKey = tuple[int, VerdictPlace, str]


@dataclass(slots=True)
class Engine:
    """One model at work; not to be shared between threads."""

    contexts: Contexts
    tokenizer: LlamaTokenizer
    limits: Limits = field(default_factory=Limits)
    _tries: OrderedDict[_TrieKey, tuple[Grammar, TrieNode]] = field(default_factory=OrderedDict)
    _guides: dict[int, Guide] = field(default_factory=dict)
    _in_writing: dict[int, Read] = field(default_factory=dict)

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Judge requests, yielding completions as they finish; a failure is recorded in its completion."""
        waiting = (requests[index] for index in depth_first(request.path for request in requests))
        try:
            while window := list(islice(waiting, self.contexts.n_prompts)):
                # all of a window first: writing may have to read a prompt again, in the same cache
                for outcome in list(self._read([self._ask(request) for request in window])):
                    yield from self._go_on(outcome)
            while self._in_writing:
                yield from self._write()
        except BaseException:  # an interrupt, or a caller that left: nothing half done stays behind
            self._in_writing.clear()
            self.contexts.forget()
            raise

    def _ask(self, request: Request) -> Asked:
        started_s = time.perf_counter()
        prompt = request.prompt
        trie = None
        if request.place is VerdictPlace.FIRST:
            trie = self._trie(request, self.tokenizer.tail_of(prompt))
        units = self.tokenizer.encode(prompt)
        return Asked(request=request, units=units, trie=trie, started_s=started_s)

    def _read(self, window: Sequence[Asked]) -> Iterator[Read | Completion]:
        """Read prompts, and verdicts that come first; where one fails, the others are read without it."""
        try:
            evaluated = self._cache.evaluate([asked.units for asked in window])
            read = self._first_verdicts(window, evaluated)
        except EngineError as error:
            self.contexts.renew_prompts()
            if len(window) == 1:
                yield failed(window[0], error)
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
                yield failed(asked, error)
                if window[index + 1 :]:
                    yield from self._read(window[index + 1 :])
                return
            yield Read(asked=asked, distribution=distribution, n_written=len(path), begun=begun)

    def _first_verdicts(
        self, window: Sequence[Asked], evaluated: Sequence[Evaluated]
    ) -> list[tuple[Distribution | None, list[int]]]:
        """Return distribution and greedy tokens of each verdict that comes first, nothing for the others."""
        known = [(prompt, a.trie) for a, prompt in zip(window, evaluated, strict=True) if a.trie is not None]
        read = iter(self._reader.read([prompt for prompt, _ in known], [trie for _, trie in known]))
        return [(None, []) if asked.trie is None else next(read) for asked in window]

    def _begin(self, asked: Asked, prompt: Evaluated, path: list[int]) -> Continuation | None:
        """Copy out a prompt, with the verdict after it if that comes first, to be written on if asked."""
        request = asked.request
        if not request.n_reason_tokens:
            return None
        units = [*asked.units, path] if path else asked.units
        state, logits = self._end_of(prompt, path)
        return Continuation(
            units=units,
            state=state,
            logits=logits,
            max_tokens=request.n_reason_tokens,
            stop=request.stop,
            guide=self._guide(request),
        )

    def _guide(self, request: Request) -> Guide | None:
        """Return what keeps a text within its grammar, where that is too large to read a distribution."""
        grammar = request.grammar
        if grammar.is_listed or not isinstance(grammar, ScoresGrammar):
            return None
        if self._guides.get(id(grammar)) is None:
            self._guides = {id(grammar): Guide(self.tokenizer, grammar)}  # a run has one
        return self._guides[id(grammar)]

    def _end_of(self, prompt: Evaluated, path: list[int]) -> tuple[Bytes, NDArray[np.float32]]:
        """Return the state of a prompt and some tokens after it, and the logits after the last one."""
        if not path:
            return self._cache.context.state_of(prompt.sequence), prompt.logits
        self.contexts.branches.bring([prompt])
        context = self.contexts.branches.context
        rows = Rows()
        rows.extend(path, start=prompt.n_tokens, sequences=(prompt.sequence,), want=Want.LAST)
        context.decode_accompanied(rows, self.contexts.branches.first_branch)
        end = context.state_of(prompt.sequence), context.logits(len(path) - 1)
        context.truncate(prompt.sequence, prompt.n_tokens)
        return end

    def _go_on(self, outcome: Read | Completion) -> Iterator[Completion]:
        """Yield what is finished; let what is to be written on join the others as soon as there is room."""
        if isinstance(outcome, Completion):
            yield outcome
        elif outcome.begun is None:
            yield finished(outcome)
        else:
            while not self._writer.has_room:
                yield from self._write()
            yield from self._join(outcome, outcome.begun)

    def _join(self, read: Read, begun: Continuation) -> Iterator[Completion]:
        try:
            stream, written = self._writer.join(begun)
        except EngineError as error:
            yield failed(read.asked, error)
            return
        read = replace(read, begun=None)  # the state is in the stream by now
        if written is None:
            self._in_writing[stream] = read
        else:
            yield self._conclude(read, stream, written)

    def _write(self) -> Iterator[Completion]:
        """Write one token of every text; where that fails, each of them is begun again alone."""
        try:
            ended = self._writer.step()
        except EngineError as error:
            yield from self._begin_again(error)
            return
        for stream, written in ended:
            yield self._conclude(self._in_writing.pop(stream), stream, written)

    def _begin_again(self, error: EngineError) -> Iterator[Completion]:
        begun = list(self._in_writing.values())
        self._in_writing.clear()
        self.contexts.renew_writing()
        for read in begun:
            if len(begun) == 1:
                yield failed(read.asked, error)
            else:
                yield from self._alone(read.asked)

    def _alone(self, asked: Asked) -> Iterator[Completion]:
        for outcome in list(self._read([asked])):
            yield from self._go_on(outcome)
            while self._in_writing:
                yield from self._write()

    def _conclude(self, read: Read, stream: int, written: Written) -> Completion:
        """Return what came of a request whose text has ended in a stream; read a verdict that comes last."""
        request = read.asked.request
        if written.distribution is not None:
            return finished(replace(read, distribution=written.distribution), written)
        at = self._place_of_verdict(request, written)
        if at is None:
            return finished(read, written)
        try:
            distribution = self._last_verdict(read.asked, stream, written, at)
        except EngineError as error:
            self.contexts.renew_prompts()
            return failed(read.asked, error, written)
        except ModelError as error:  # the grammar's verdicts cannot be told apart after this text
            return failed(read.asked, error, written)
        return finished(replace(read, distribution=distribution), written, at=at)

    @staticmethod
    def _place_of_verdict(request: Request, written: Written) -> int | None:
        """Return the character where a verdict that comes last begins, None where there is no such place."""
        if request.place is not VerdictPlace.LAST:
            return None
        if request.conclusion:
            return len(written.text)
        return request.locate(written.text) if request.locate else None

    def _last_verdict(self, asked: Asked, stream: int, written: Written, at: int) -> Distribution:
        """Read the verdict that begins at a character of the text written in a stream, or is begun there."""
        conclusion = asked.request.conclusion
        pieces = (self.tokenizer.text_of([token]) for token in written.tokens)
        start = verdict_start(written.text, pieces, at)
        trie = self._trie(asked.request, conclusion or start.opening)
        # A stop text may begin within a token, and a budget end within a character: then what stands in the
        # text of that token comes first. Nothing of the stop text is left before a conclusion.
        added = self.tokenizer.inside(start.opening) + self.tokenizer.inside(conclusion) if conclusion else []
        tokens = written.tokens[: start.n_tokens]
        prompt = self.contexts.end_of_written(stream, asked.units, tokens, added)
        [(distribution, _)] = self._reader.read([prompt], [trie])
        return distribution

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

    def _trie(self, request: Request, before: str) -> TrieNode:
        """Return the grammar's trie as its texts are written after some others; the last few are kept.

        `before` is the prompt's end where the verdict comes first, else the conclusion or what opens a
        verdict.

        Raises:
            ModelError: the verdicts cannot be told apart there.
        """
        grammar = request.grammar
        key = (id(grammar), request.place, before)
        if key not in self._tries:
            paths = self._tokenized(request)(before, grammar.readings)
            self._tries[key] = (grammar, build_trie(paths))
            if len(self._tries) > _KEPT_TRIES:
                self._tries.popitem(last=False)
        return self._tries[key][1]

    def _tokenized(self, request: Request) -> Callable[[str, Iterable[str]], Iterator[tuple[str, list[int]]]]:
        if request.place is VerdictPlace.FIRST:
            return self.tokenizer.continuations
        return self.tokenizer.conclusions if request.conclusion else self.tokenizer.later_continuations
