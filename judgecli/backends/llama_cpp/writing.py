"""Writing texts on from many prompts at once: one row a prompt in each call, new ones joining as others end.

Every text has a stream of the cache to itself, and no row is ever decoded alone: measured on CPUs, a row's
logits are then the same bits whatever the other rows of its call are, while a lone row takes another kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.guiding import Guide, Guided
from judgecli.backends.llama_cpp.moving import StateMover
from judgecli.backends.llama_cpp.sequence_state import Bytes, StateLayout
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import Distribution

CHUNK_ROWS = 64  # of a prompt that has to be evaluated again; no context for writing takes fewer at once
_FILLER = 0  # any token: what a stream without a text decodes is thrown away


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """What is to be written on: its tokens by unit, the state of their sequence, the logits at the end."""

    units: Sequence[Sequence[int]]
    state: Bytes
    logits: NDArray[np.float32]
    max_tokens: int
    stop: tuple[str, ...] = ()
    guide: Guide | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A finished text: why it ended ("stop" or "length"), and its tokens, with those of the stop text.

    `distribution` is what is known of a guided text that came to its end.
    """

    text: str
    finish_reason: str
    tokens: tuple[int, ...]
    distribution: Distribution | None = None

    @property
    def n_tokens(self) -> int:
        """The number of its tokens."""
        return len(self.tokens)


@dataclass(slots=True)
class _Stream:
    """A text in the making; `position` is where its newest token goes."""

    position: int
    max_tokens: int
    stop: tuple[str, ...]
    guided: Guided | None = None
    tokens: list[int] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)

    def add(self, piece: bytes) -> int | None:
        """Add a token's text; return where the first stop text in it begins, None where there is none.

        Blanks before the first word are no stop: a judge may begin its line of scores on the next line.
        """
        n_before = len(self.text)
        self.text += piece
        n_blank = len(self.text) - len(self.text.lstrip())
        stops = [stop.encode() for stop in self.stop]
        found = [
            self.text.find(stop, max(n_before - len(stop) + 1, 0 if stop.strip() else n_blank))
            for stop in stops
        ]
        return min((at for at in found if at >= 0), default=None)


class Writer:
    """Writes up to `n_streams` texts greedily at once."""

    def __init__(
        self,
        context: LlamaContext,
        tokenizer: LlamaTokenizer,
        layout: StateLayout,
        *,
        ban_end: bool = False,
    ) -> None:
        """Take a context with at least two streams, which keeps sequences as `layout` says.

        `ban_end` keeps texts from ending before their budget.
        """
        self.context = context
        self._tokenizer = tokenizer
        self._mover = StateMover(context, layout)
        self._streams: dict[int, _Stream] = {}
        self._ended: set[int] = set()  # streams that still hold what was written into them
        self._banned = tokenizer.end_tokens if ban_end else []

    @property
    def has_room(self) -> bool:
        """Whether one more text can join."""
        return len(self._streams) < self.context.n_seq_max

    def join(self, begun: Continuation) -> tuple[int, Written | None]:
        """Take a text in; return its stream, and the text where it ends with its first token.

        Raises:
            EngineError: the context cannot take the prompt.
        """
        stream = next(n for n in range(self.context.n_seq_max) if n not in self._streams)
        self._ended.discard(stream)
        if not self._mover.move(begun.state, stream):
            self._evaluate_again(stream, begun.units)
        self._streams[stream] = _Stream(
            position=sum(map(len, begun.units)),
            max_tokens=begun.max_tokens,
            stop=begun.stop,
            guided=Guided(begun.guide) if begun.guide else None,
        )
        return stream, self._take(stream, begun.logits)

    def _evaluate_again(self, stream: int, units: Sequence[Sequence[int]]) -> None:
        self.context.truncate(stream, 0)
        position = 0
        parts = (unit[at : at + CHUNK_ROWS] for unit in units for at in range(0, len(unit), CHUNK_ROWS))
        for part in parts:
            rows = Rows()
            rows.extend(part, start=position, sequences=(stream,), want=Want.NONE)
            self.context.decode(rows)
            position += len(part)

    def text_of(self, stream: int) -> bytes:
        """Return what is written so far in a stream; it may end within a character."""
        return bytes(self._streams[stream].text)

    def state_of(self, stream: int, n_tokens: int) -> Bytes:
        """Return the state of the first tokens in a stream, before anything is written after its text ended.

        Raises:
            EngineError: llama.cpp does not give it.
        """
        self.context.truncate(stream, n_tokens)
        return self.context.state_of(stream)

    def step(self) -> list[tuple[int, Written]]:
        """Write one token of every text; return the streams of those that end with it, and their texts.

        Raises:
            EngineError: the call failed, and with it all texts in the making.
        """
        self._empty_ended()
        rows = Rows()
        streams = self._contiguous()
        for stream in streams:
            one = self._streams.get(stream)
            token, position = (one.tokens[-1], one.position) if one else (_FILLER, 0)
            # a filler's logits are asked for too, or the last layer would see fewer rows than the others
            rows.extend([token], start=position, sequences=(stream,), want=Want.LAST)
        self.context.decode(rows)
        logits = {n: self.context.logits(row) for row, n in enumerate(streams) if n in self._streams}
        ended = []
        for stream in streams:
            if stream not in logits:
                self.context.truncate(stream, 0)
                continue
            self._streams[stream].position += 1
            written = self._take(stream, logits[stream])
            if written is not None:
                ended.append((stream, written))
        return ended

    def _contiguous(self) -> range:
        """Return the next call's streams, at least two: llama.cpp splits a call where one is left out."""
        first, last = min(self._streams), max(self._streams)
        if first == last:
            first, last = (first, last + 1) if last + 1 < self.context.n_seq_max else (first - 1, last)
        return range(first, last + 1)

    def _take(self, stream: int, logits: NDArray[np.float32]) -> Written | None:
        """Choose a stream's next token; return its text if that ends it, and leave the stream to others."""
        one = self._streams[stream]
        if one.guided is not None:
            return self._take_guided(stream, one, one.guided, logits)
        logits[self._banned] = -np.inf
        token = int(np.argmax(logits))
        ended = self._tokenizer.is_end_of_generation(token)
        end = None
        if not ended:
            one.tokens.append(token)
            end = one.add(self._tokenizer.text_of([token]))
        if not ended and end is None and len(one.tokens) < one.max_tokens:
            return None
        self._end(stream)
        return Written(
            text=bytes(one.text[:end]).decode("utf-8", errors="replace"),
            finish_reason="stop" if ended or end is not None else "length",
            tokens=tuple(one.tokens),
        )

    def _take_guided(
        self, stream: int, one: _Stream, guided: Guided, logits: NDArray[np.float32]
    ) -> Written | None:
        """Choose a guided stream's next token; return its text if that makes it whole, or nothing can."""
        token = guided.choose(one.text.decode(), logits)
        if token is not None:
            one.tokens.append(token)
            one.text += self._tokenizer.text_of([token])
        text = one.text.decode()
        is_whole = guided.guide.grammar.is_whole(text)
        if token is not None and not is_whole and len(one.tokens) < one.max_tokens:
            return None
        self._end(stream)
        return Written(
            text=text,
            finish_reason="stop" if is_whole else "length",
            tokens=tuple(one.tokens),
            distribution=guided.distribution(text, self._tokenizer) if is_whole else None,
        )

    def _end(self, stream: int) -> None:
        del self._streams[stream]
        self._ended.add(stream)

    def _empty_ended(self) -> None:
        for stream in self._ended:
            self.context.truncate(stream, 0)
        self._ended.clear()

    def forget(self) -> None:
        """Drop all texts in the making."""
        self._streams.clear()
        self._ended.clear()
        self.context.clear()
