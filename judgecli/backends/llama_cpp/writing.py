"""Writing texts on from many prompts at once: one row a prompt in each call, new ones joining as others end.

Every text has a stream of the cache to itself, and no row is ever decoded alone: measured on CPUs, a row's
logits are then the same bits whatever the other rows of its call are, while a lone row takes another kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.sequence_state import StateLayout, UnknownLayoutError, laid_out
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer

CHUNK_ROWS = 64  # of a prompt that has to be evaluated again; no context for writing takes fewer at once
_FILLER = 0  # any token: what a stream without a text decodes is thrown away


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """What is to be written on: its tokens by unit, the state of their sequence, the logits at the end."""

    units: Sequence[Sequence[int]]
    state: NDArray[np.uint8]
    logits: NDArray[np.float32]
    max_tokens: int
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A finished text: why it ended ("stop" or "length"), and its number of tokens."""

    text: str
    finish_reason: str
    n_tokens: int


@dataclass(slots=True)
class _Stream:
    """A text in the making; `position` is where its newest token goes."""

    position: int
    max_tokens: int
    stop: tuple[str, ...]
    tokens: list[int] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)

    def add(self, piece: bytes) -> int | None:
        """Add a token's text; return where the first stop text in it begins, None where there is none."""
        n_before = len(self.text)
        self.text += piece
        stops = [stop.encode() for stop in self.stop]
        found = [self.text.find(stop, max(n_before - len(stop) + 1, 0)) for stop in stops]
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
        self._layout = layout
        self._can_move: bool | None = None  # not known before the first state is moved
        self._streams: dict[int, _Stream] = {}
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
        if not self._move(stream, begun.state):
            self._evaluate_again(stream, begun.units)
        self._streams[stream] = _Stream(
            position=sum(map(len, begun.units)), max_tokens=begun.max_tokens, stop=begun.stop
        )
        return stream, self._take(stream, begun.logits)

    def _move(self, stream: int, state: NDArray[np.uint8]) -> bool:
        """Copy a state into a stream; the first one, in stream 0, is read back and compared."""
        if self._can_move is False:
            return False
        try:
            moved = laid_out(state, self._layout)
            self.context.restore(stream, moved)
            if self._can_move is None:
                self._can_move = np.array_equal(self.context.state_of(stream), moved)
        except UnknownLayoutError:
            self._can_move = False
        except EngineError:
            if self._can_move:  # it could before, so this is a failure of its own
                raise
            self._can_move = False
        return self._can_move

    def _evaluate_again(self, stream: int, units: Sequence[Sequence[int]]) -> None:
        self.context.truncate(stream, 0)
        position = 0
        parts = (unit[at : at + CHUNK_ROWS] for unit in units for at in range(0, len(unit), CHUNK_ROWS))
        for part in parts:
            rows = Rows()
            rows.extend(part, start=position, sequences=(stream,), want=Want.NONE)
            self.context.decode(rows)
            position += len(part)

    def step(self) -> Iterator[tuple[int, Written]]:
        """Write one token of every text; yield the streams of those that end with it, and their texts.

        Raises:
            EngineError: the call failed, and with it all texts in the making.
        """
        rows = Rows()
        streams = self._contiguous()
        for stream in streams:
            one = self._streams.get(stream)
            token, position = (one.tokens[-1], one.position) if one else (_FILLER, 0)
            # a filler's logits are asked for too, or the last layer would see fewer rows than the others
            rows.extend([token], start=position, sequences=(stream,), want=Want.LAST)
        self.context.decode(rows)
        logits = {n: self.context.logits(row) for row, n in enumerate(streams) if n in self._streams}
        for stream in streams:
            if stream not in logits:
                self.context.truncate(stream, 0)
                continue
            self._streams[stream].position += 1
            written = self._take(stream, logits[stream])
            if written is not None:
                yield stream, written

    def _contiguous(self) -> range:
        """Return the next call's streams, at least two: llama.cpp splits a call where one is left out."""
        first, last = min(self._streams), max(self._streams)
        if first == last:
            first, last = (first, last + 1) if last + 1 < self.context.n_seq_max else (first - 1, last)
        return range(first, last + 1)

    def _take(self, stream: int, logits: NDArray[np.float32]) -> Written | None:
        """Choose a stream's next token; return its text if that ends it, and free the stream."""
        one = self._streams[stream]
        logits[self._banned] = -np.inf
        token = int(np.argmax(logits))
        ended = self._tokenizer.is_end_of_generation(token)
        end = None
        if not ended:
            one.tokens.append(token)
            end = one.add(self._tokenizer.text_of([token]))
        if not ended and end is None and len(one.tokens) < one.max_tokens:
            return None
        self._free(stream)
        return Written(
            text=bytes(one.text[:end]).decode("utf-8", errors="replace"),
            finish_reason="stop" if ended or end is not None else "length",
            n_tokens=len(one.tokens),
        )

    def _free(self, stream: int) -> None:
        del self._streams[stream]
        self.context.truncate(stream, 0)

    def forget(self) -> None:
        """Drop all texts in the making."""
        self._streams.clear()
        self.context.clear()
