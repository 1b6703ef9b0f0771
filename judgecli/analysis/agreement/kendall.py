"""Counting concordant and discordant pairs of weighted points, for many weights at once.

Two codes of x differ in some highest bit. For each bit, points that agree in all higher ones make a block,
whose points without the bit have the smaller x of every pair across. In order of y, such pairs are counted by
cumulated weights. O(m log m) for m points, the same order serving every column of weights; equal x meet in
no block, and equal y count for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Codes = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class _Level:
    """One bit: the points in order of block and y, those of equal block and y being a run.

    `order` and `is_low` (x without the bit) have the shape (m,); `starts` is where each run begins, and
    `first` and `last` the first and last run of each run's block.
    """

    order: Codes
    is_low: NDArray[np.float64]
    starts: Codes
    first: Codes
    last: Codes

    @classmethod
    def of(cls, bit: int, x_codes: Codes, y_codes: Codes) -> _Level:
        blocks = x_codes >> (bit + 1)
        order = np.lexsort((y_codes, blocks))
        is_low = ((x_codes[order] >> bit) & 1) == 0
        begins = np.ones(len(order), dtype=bool)
        begins[1:] = (np.diff(blocks[order]) != 0) | (np.diff(y_codes[order]) != 0)
        starts = np.flatnonzero(begins)
        run_blocks = blocks[order][starts]
        first = np.searchsorted(run_blocks, run_blocks, side="left")
        last = np.searchsorted(run_blocks, run_blocks, side="right") - 1
        return cls(order, is_low.astype(np.float64), starts, first, last)

    def excess(self, weights: Array) -> Array:
        """Return concordant minus discordant pairs across this bit, shape (b,)."""
        ordered = weights[self.order]
        low = ordered * self.is_low[:, None]
        high = np.add.reduceat(ordered - low, self.starts, axis=0)
        runs = np.add.reduceat(low, self.starts, axis=0)
        up_to = np.cumsum(runs, axis=0)
        before = up_to - runs
        # With the smaller x: those of smaller y, less those of larger y in the same block.
        return np.asarray(np.einsum("rb,rb->b", high, before + up_to - before[self.first] - up_to[self.last]))


@dataclass(frozen=True, slots=True)
class Concordance:
    """What is known of m points before they are weighed."""

    levels: tuple[_Level, ...]

    @classmethod
    def of(cls, x_codes: Codes, y_codes: Codes) -> Concordance:
        """Take the codes of x and y in rising order, from 0 on, shape (m,) each."""
        n_bits = int(x_codes.max(initial=0)).bit_length()
        return cls(tuple(_Level.of(bit, x_codes, y_codes) for bit in range(n_bits)))

    def excess(self, weights: Array) -> Array:
        """Return the weight of concordant minus that of discordant pairs, shape (b,), for weights (m, b)."""
        return np.asarray(sum((level.excess(weights) for level in self.levels), np.zeros(weights.shape[1])))
