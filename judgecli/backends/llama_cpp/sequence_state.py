"""A sequence's state, laid out for a context in which every sequence has a cache of its own.

llama.cpp copies a sequence out and into another context, but refuses one whose number of caches is another,
though what it writes for them differs by no more than that number and a length for each: zero where there is
nothing. The layout is not documented, so the first state that is moved is read back and compared, and where
that fails, prompts are evaluated again instead (see `writing`).
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

_FIRST_CACHE = 8  # bytes: a version and the flags of the copy come before
_CELL_BYTES = 12  # position, number of sequences (one), and that sequence


class UnknownLayoutError(Exception):
    """A state that is not laid out as expected."""


def for_streams(state: NDArray[np.uint8], *, n_streams: int, n_caches: int) -> NDArray[np.uint8]:
    """Return the state of a sequence for a context with `n_streams` caches where it had one.

    `n_caches` is 2 for a model with a sliding window, which keeps the layers with one apart from the others,
    and 0 for a recurrent one, whose state is no cache of tokens.

    Raises:
        UnknownLayoutError: it is not laid out as expected.
    """
    parts = [state[:_FIRST_CACHE]]
    offset = _FIRST_CACHE
    others = np.zeros(4 * (n_streams - 1), dtype=np.uint8)
    for _ in range(n_caches):
        end = _end_of_cache(state, offset)
        n = np.array([n_streams], dtype=np.uint32).view(np.uint8)
        parts += [n, state[offset + 4 : end], others]
        offset = end
    return np.concatenate([*parts, state[offset:]])


def _end_of_cache(state: NDArray[np.uint8], offset: int) -> int:
    """Return the offset after a cache: its cells, then each layer's keys, then each layer's values."""
    data = memoryview(state)  # type: ignore[arg-type]
    try:
        n_streams, n_cells = struct.unpack_from("<II", data, offset)
        offset += 8 + n_cells * _CELL_BYTES
        is_transposed, n_layers = struct.unpack_from("<II", data, offset)
        offset += 8
        for _ in range(n_layers):
            offset += 12 + n_cells * struct.unpack_from("<Q", data, offset + 4)[0]
        for _ in range(n_layers):
            if is_transposed:
                value_bytes, n_values = struct.unpack_from("<II", data, offset + 4)
                offset += 12 + n_cells * value_bytes * n_values
            else:
                offset += 12 + n_cells * struct.unpack_from("<Q", data, offset + 4)[0]
    except (struct.error, OverflowError) as error:
        raise UnknownLayoutError("it ends early") from error
    if n_streams != 1 or is_transposed > 1 or offset > state.size:
        raise UnknownLayoutError("the numbers in it do not fit together")
    return int(offset)
