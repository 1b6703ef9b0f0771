"""A sequence's state, laid out for a context that keeps it in another way.

llama.cpp copies a sequence out and into another context, but refuses one that keeps as many caches as there
are sequences, or that lays values out by dimension, as attention without flash attention does. What it
writes for them differs by a number and a length for each cache (zero where there is nothing), and by the
order of the values. That layout is not documented, so the first state that is moved is read back and
compared.

A sequence of a context with several caches is in one of them; what is written for the others is that they
hold no cell.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_VERSION_BYTES, _SEQUENCE_BYTES = 4, 4  # before the first cache; the latter is where it came from
_CELL_BYTES = 12  # position, number of sequences (one), and that sequence

_ANY_SEQUENCE = 0  # llama.cpp puts in the one it goes to; what is read back from sequence 0 is then equal

Bytes = NDArray[np.uint8]


class UnknownLayoutError(Exception):
    """A state that is not laid out as expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateLayout:
    """How a context keeps sequences.

    `n_streams` is its number of caches; `n_caches` those that a sequence is in: 2 for a model with a sliding
    window, which keeps the layers with one apart from the others, 0 for a recurrent one, whose state is no
    cache of tokens. `by_dimension` says that values are kept by dimension, not by token.
    """

    n_streams: int
    n_caches: int
    by_dimension: bool


def laid_out(state: Bytes, layout: StateLayout) -> Bytes:
    """Return a sequence's state as a context that keeps it another way takes it.

    Raises:
        UnknownLayoutError: it is not laid out as expected.
    """
    reader = _Reader(state)
    version, _ = reader.take(_VERSION_BYTES), reader.take(_SEQUENCE_BYTES)
    parts = [version, _numbers("I", _ANY_SEQUENCE)]
    try:
        for _ in range(layout.n_caches):
            parts += _cache(reader, layout)
    except (struct.error, OverflowError, ValueError) as error:
        raise UnknownLayoutError("the numbers in it do not fit together") from error
    return np.concatenate([*parts, reader.rest()])


class _Reader:
    """Takes a state apart from its front."""

    def __init__(self, state: Bytes) -> None:
        self._state = state
        self._view = memoryview(state)  # type: ignore[arg-type]
        self._at = 0

    def number(self, code: str) -> int:
        """Return a number without taking it."""
        return int(struct.unpack_from(f"<{code}", self._view, self._at)[0])

    def take(self, n_bytes: int) -> Bytes:
        if n_bytes > self._state.size - self._at:
            raise UnknownLayoutError("it ends early")
        self._at += n_bytes
        return self._state[self._at - n_bytes : self._at]

    def take_number(self, code: str) -> int:
        value = self.number(code)
        self._at += struct.calcsize(code)
        return value

    def rest(self) -> Bytes:
        return self._state[self._at :]


def _cache(reader: _Reader, layout: StateLayout) -> list[Bytes]:
    """Return the parts of what one of the streams holds of a sequence; the others hold nothing."""
    n_streams = reader.take_number("I")
    held: list[Bytes] = []
    for _ in range(n_streams):
        n_cells = reader.take_number("I")
        if n_cells and held:
            raise UnknownLayoutError("it is in several caches at once")
        if n_cells:
            held = _cells(reader, n_cells, layout)
    if not held:
        raise UnknownLayoutError("no cache holds it")
    return [_numbers("I", layout.n_streams), *held, np.zeros(4 * (layout.n_streams - 1), dtype=np.uint8)]


def _cells(reader: _Reader, n_cells: int, layout: StateLayout) -> list[Bytes]:
    """Return a stream's parts: its cells, then each layer's keys, then each layer's values."""
    cells = reader.take(n_cells * _CELL_BYTES).view(np.uint32).reshape(n_cells, -1).copy()
    cells[:, -1] = _ANY_SEQUENCE
    parts = [_numbers("I", n_cells), cells.view(np.uint8).reshape(-1)]
    is_by_dimension, n_layers = reader.take_number("I"), reader.take_number("I")
    if is_by_dimension > 1:
        raise UnknownLayoutError("it has layers where a switch was expected")
    parts.append(_numbers("II", int(layout.by_dimension), n_layers))
    for _ in range(n_layers):
        kind = reader.take(4)
        row_bytes = reader.take_number("Q")
        parts += [kind, _numbers("Q", row_bytes), reader.take(n_cells * row_bytes)]
    for _ in range(n_layers):
        parts += _values(reader, n_cells, is_by_dimension=bool(is_by_dimension), layout=layout)
    return parts


def _values(reader: _Reader, n_cells: int, *, is_by_dimension: bool, layout: StateLayout) -> list[Bytes]:
    """Return a layer's values, turned round where the other context keeps them the other way."""
    kind = reader.take(4)
    if is_by_dimension:
        if not layout.by_dimension:
            raise UnknownLayoutError("values by dimension are not turned back")
        value_bytes, n_values = reader.take_number("I"), reader.take_number("I")
        return [kind, _numbers("II", value_bytes, n_values), reader.take(n_cells * value_bytes * n_values)]
    row_bytes = reader.take_number("Q")
    rows = reader.take(n_cells * row_bytes)
    if not layout.by_dimension:
        return [kind, _numbers("Q", row_bytes), rows]
    value_bytes = _VALUE_BYTES[int(kind.view(np.uint32)[0])]
    values = rows.view(f"u{value_bytes}").reshape(n_cells, -1)
    turned = np.ascontiguousarray(values.T).view(np.uint8).reshape(-1)
    return [kind, _numbers("II", value_bytes, values.shape[1]), turned]


_VALUE_BYTES = {0: 4, 1: 2, 30: 2}  # ggml_type: f32, f16 and bf16, the only ones without flash attention


def _numbers(codes: str, *values: int) -> Bytes:
    return np.frombuffer(struct.pack(f"<{codes}", *values), dtype=np.uint8)
