"""The bootstrap by item: all that belongs to an item is drawn together.

A statistic of items is a function of sums over them; a resample is new sums.
Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.intervals import LEVEL
from judgecli.types import Estimate

Array = NDArray[np.float64]

N_RESAMPLES = 2000
BY_ITEM = "percentile interval over items, 95%"
_SEED = 20231026  # fixed, so that a run file always gives the same report
_CLOSE = 1e-6  # what differs by rounding only is equal
_MAX_DRAWN = 4_000_000  # weights held at once
_TAILS = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)


@dataclass(frozen=True, slots=True)
class Places:
    """Ranks of m models, the ends of the middle 95% of their resampled ranks, and how often each is first.

    Each has the shape (m,). `is_known`: whether the ends say anything. Where models are level in all
    resamples alike, as when every verdict is a tie, they do not.
    """

    rank: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    p_first: Array
    is_known: NDArray[np.bool_]


def resampled_sums(per_item: Array) -> Array:
    """Return the sums over items of each resample, shape (N_RESAMPLES, k), of items of shape (n, k)."""
    n = len(per_item)
    if n == 0:
        return np.zeros((N_RESAMPLES, per_item.shape[1]))
    return np.concatenate([weights @ per_item for weights in drawn_weights(np.ones(n))])


def drawn_weights(counts: Array, *, at_once: int | None = None) -> Iterator[Array]:
    """Yield how often each kind of item is drawn, shape (b, m), `at_once` resamples at a time.

    There are `counts` items of each kind, shape (m,): items that say the same need not be told apart.
    """
    draw = np.random.default_rng(_SEED)
    n = int(counts.sum())
    step = at_once or max(1, _MAX_DRAWN // len(counts))
    for done in range(0, N_RESAMPLES, step):
        size = min(step, N_RESAMPLES - done)
        yield draw.multinomial(n, counts / n, size=size).astype(np.float64)


def with_percentiles(
    name: str, value: float, resampled: Array, *, n: int, method: str, over: str = BY_ITEM
) -> Estimate:
    """Return a value of n items with the middle 95% of its resampled values, shape (b,); NaN is left out.

    There is no interval where every resample is the same: of one item, or of items that all say the same.
    `over` says what was resampled.
    """
    known = resampled[~np.isnan(resampled)]
    if n < 2 or not known.size or np.ptp(known) < _CLOSE:
        return Estimate(name=name, value=value, n=n, method=f"{method}; no spread to judge it by")
    low, high = map(float, np.quantile(known, _TAILS))
    return Estimate(name=name, value=value, low=low, high=high, n=n, method=f"{method}; {over}")


def places(merits: Array, resampled: Array) -> Places:
    """Return the places of models by their merits, shape (m,), and by the resampled ones, shape (b, m)."""
    rank, drawn = ranks(merits), ranks(resampled)
    low, high = np.quantile(drawn, _TAILS, axis=0, method="inverted_cdf").astype(np.int64)
    is_alone = (rank[:, None] == rank).sum(axis=1) == 1
    return Places(
        rank=rank,
        low=low,
        high=high,
        p_first=(drawn == 1).mean(axis=0),
        is_known=is_alone | (np.ptp(resampled, axis=0) > _CLOSE),
    )


def ranks(merits: Array) -> NDArray[np.int64]:
    """Return ranks from 1 of merits, shape (..., m), the highest first; equal ones share theirs."""
    ahead = merits[..., None, :] > merits[..., :, None] + _CLOSE
    return np.asarray(1 + ahead.sum(axis=-1), dtype=np.int64)
