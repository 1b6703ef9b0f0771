"""The test of a mean by bets on values whose order means nothing: the capital is averaged over orders.

One order's capital depends on that order, and so would the bounds. The mean of the capitals in several orders
is capital that may be held against its limit all the same, whatever they have in common, once: at the end.

Source: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86 (2024), arXiv 2010.09686; that
means of such capitals may be taken, Vovk and Wang, Annals of Statistics 49 (2021), arXiv 1912.06116.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Means:
    """Means of items or of groups, within 0 and 1, and how many items each is of; both of shape (n,)."""

    values: Array
    sizes: Array

    @property
    def mean(self) -> float:
        """The mean over all items; n of at least 1."""
        return float(self.values @ self.sizes / self.sizes.sum())


def shuffled_bounds(means: Means, threshold: float, alpha: float) -> Bounds:
    """Return what bets in 25 orders, always the same ones, say of the mean over all items.

    A bet on a group counts by its share of the largest one, so that many small groups do not outweigh a few
    large ones. For no values the bounds are 0 and 1, and the p-values 1.
    """
    orders = _Orders.of(means, alpha)
    flipped = _Orders(1 - orders.values, orders.weights, orders.bets)
    limit = log(1 / alpha)
    return Bounds(
        lower=orders.refuted_up_to(limit),
        upper=1 - flipped.refuted_up_to(limit),
        p_above=min(1.0, exp(-orders.log_capital(threshold))),
        p_below=min(1.0, exp(-flipped.log_capital(1 - threshold))),
    )


@dataclass(frozen=True, slots=True)
class _Orders:
    """The values in several orders, what each weighs, and what is bet on it; all of shape (orders, n)."""

    values: Array
    weights: Array
    bets: Array

    @classmethod
    def of(cls, means: Means, alpha: float) -> _Orders:
        drawn = np.random.default_rng(0)
        places = np.array([drawn.permutation(len(means.values)) for _ in range(_N_ORDERS)], dtype=np.intp)
        values = means.values[places]
        weights = (means.sizes / max(means.sizes.max(initial=0), 1))[places]
        return cls(values, weights, _bets(0.5 + weights * (values - 0.5), alpha))

    def log_capital(self, m: float) -> float:
        """Return the logarithm of the mean capital, at the end, of betting on a mean over m."""
        steps = np.minimum(self.bets, MOST / m) * self.weights * (self.values - m)
        ends = np.log1p(steps).sum(axis=1)
        most = float(ends.max())
        return most + log(float(np.exp(ends - most).mean()))

    def refuted_up_to(self, limit: float) -> float:
        """Return the greatest mean that the bets on a higher one refute."""
        low, high = 0.0, 1.0
        while high - low > _CLOSE:
            m = (low + high) / 2
            low, high = (m, high) if self.log_capital(m) >= limit else (low, m)
        return low


def _bets(rows: Array, alpha: float) -> Array:
    """Return the bet on each value, from those before it alone, as `betting.Bets` does; shape (orders, n)."""
    t = np.arange(1, rows.shape[1] + 1)
    means = (0.5 + rows.cumsum(axis=1)) / (t + 1)
    squares = 0.25 + ((rows - means) ** 2).cumsum(axis=1)
    before = np.concatenate([np.full((len(rows), 1), 0.25), squares[:, :-1]], axis=1)[:, : len(t)]
    return np.sqrt(2 * log(1 / alpha) / (before * np.log1p(t)))
