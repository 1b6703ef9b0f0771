"""The test of a mean by bets on values whose order means nothing: the capital is averaged over orders.

One order's capital depends on that order, and so would the bounds. The mean of the capitals in several orders
is capital that may be held against its limit all the same, whatever they have in common, once: at the end.

Source: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86 (2024), arXiv 2010.09686; that
means of such capitals may be taken, Vovk and Wang, Annals of Statistics 49 (2021), arXiv 1912.06116.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.gate.betting import MOST

Array = NDArray[np.float64]

_N_ORDERS = 25
_CLOSE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """One-sided bounds of a mean at level 1 - alpha each, and both p-values against a threshold."""

    lower: float
    upper: float
    p_above: float
    p_below: float


def shuffled_bounds(values: Sequence[float], threshold: float, alpha: float, seed: int) -> Bounds:
    """Return what bets in 25 seeded orders say of the mean of values within 0 and 1.

    For no values the bounds are 0 and 1, and the p-values 1.
    """
    drawn = np.random.default_rng(seed)
    rows = np.array([drawn.permutation(values) for _ in range(_N_ORDERS)], dtype=np.float64)
    sizes = _sizes(rows, alpha)
    limit = log(1 / alpha)
    return Bounds(
        lower=_refuted_up_to(rows, sizes, limit),
        upper=1 - _refuted_up_to(1 - rows, sizes, limit),
        p_above=min(1.0, exp(-_log_capital(rows, sizes, threshold))),
        p_below=min(1.0, exp(-_log_capital(1 - rows, sizes, 1 - threshold))),
    )


def _sizes(rows: Array, alpha: float) -> Array:
    """Return the bet on each value, from those before it alone, as `betting.Bets` does; shape (orders, n)."""
    t = np.arange(1, rows.shape[1] + 1)
    means = (0.5 + rows.cumsum(axis=1)) / (t + 1)
    squares = 0.25 + ((rows - means) ** 2).cumsum(axis=1)
    before = np.concatenate([np.full((len(rows), 1), 0.25), squares[:, :-1]], axis=1)[:, : len(t)]
    return np.sqrt(2 * log(1 / alpha) / (before * np.log1p(t)))


def _log_capital(rows: Array, sizes: Array, m: float) -> float:
    """Return the logarithm of the mean capital, at the end, of betting on a mean over m."""
    ends = np.log1p(np.minimum(sizes, MOST / m) * (rows - m)).sum(axis=1)
    most = float(ends.max())
    return most + log(float(np.exp(ends - most).mean()))


def _refuted_up_to(rows: Array, sizes: Array, limit: float) -> float:
    """Return the greatest mean that the bets on a higher one refute."""
    low, high = 0.0, 1.0
    while high - low > _CLOSE:
        m = (low + high) / 2
        low, high = (m, high) if _log_capital(rows, sizes, m) >= limit else (low, m)
    return low
