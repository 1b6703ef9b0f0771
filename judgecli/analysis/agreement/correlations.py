"""How scores go with labelled scores: Pearson's r, Spearman's rho, Kendall's tau-b, with intervals by unit.

A resample gives each pair of scores a weight, how often it was drawn, and the coefficients are computed from
weights as they are from scores: nothing is approximated. Equal pairs are drawn as one kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.agreement.kendall import Concordance
from judgecli.analysis.by_unit import Units, with_interval
from judgecli.analysis.resampling import drawn_weights
from judgecli.types import Estimate, ScoreAgreement

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

# Weights held at once: a few megabytes stay in a processor's cache, which makes Kendall's tau twice as fast.
_AT_ONCE = 250_000
_METHODS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho, equal scores sharing their mean rank",
    "kendall": "Kendall's tau-b",
}


def score_agreement(scores: Array, labels: Array, units: Units) -> ScoreAgreement:
    """Return how scores go with labels, shape (n,) each; n items of these units.

    None for fewer than three items, and where scores or labels do not vary. Sources: Spearman, American
    Journal of Psychology 15 (1904) 72-101; Kendall, Biometrika 33 (1945) 239-251 (tau-b).
    """
    n = len(scores)
    if n < 3:
        return ScoreAgreement(**{name: _absent(name, n, "fewer than three items") for name in _METHODS})
    values, resampled = _values(scores, labels, units)
    found = {
        name: with_interval(
            name, float(value), drawn, units, n=n, method=method, absent="scores or labels do not vary"
        )
        for (name, method), value, drawn in zip(_METHODS.items(), values, resampled, strict=True)
    }
    return ScoreAgreement(**found)


def _absent(name: str, n: int, why: str) -> Estimate:
    return Estimate(name=name, value=None, n=n, method=why)


def _values(scores: Array, labels: Array, units: Units) -> tuple[Array, Array]:
    """Return the three coefficients, shape (3,), and those of resamples, shape (3, b)."""
    kinds, inverse, counts = np.unique(
        np.column_stack([scores, labels]), axis=0, return_inverse=True, return_counts=True
    )
    points = _Points.of(kinds[:, 0], kinds[:, 1])
    value = points.coefficients(counts.astype(np.float64)[:, None])[:, 0]
    if np.isnan(value).all():
        return value, np.zeros((3, 0))
    drawn = _drawn(inverse.reshape(-1), counts.astype(np.float64), units)
    return value, np.concatenate([points.coefficients(weights) for weights in drawn], axis=1)


def _drawn(kind_of: Codes, counts: Array, units: Units) -> Iterator[Array]:
    """Yield how often each kind of pair is drawn, shape (m, b), some resamples at a time."""
    m = len(counts)
    at_once = max(1, _AT_ONCE // m)
    if units.group is None:
        yield from (np.ascontiguousarray(w.T) for w in drawn_weights(counts, at_once=at_once))
        return
    by_kind = np.argsort(kind_of, kind="stable")
    starts = (np.cumsum(counts) - counts).astype(np.intp)
    for weights in drawn_weights(np.ones(units.n), at_once=at_once):
        yield np.add.reduceat(weights.T[units.codes[by_kind]], starts, axis=0)


@dataclass(frozen=True, slots=True)
class _Points:
    """The m kinds of pairs of scores, from -1 to 1 around 0, and what ranks and concordance need of them."""

    x: Array
    y: Array
    x_ranks: _Ranks
    y_ranks: _Ranks
    concordance: Concordance

    @classmethod
    def of(cls, x: Array, y: Array) -> _Points:
        x_ranks, y_ranks = _Ranks.of(x), _Ranks.of(y)
        few, many = sorted((x_ranks.codes, y_ranks.codes), key=lambda codes: int(codes.max()))
        return cls(_around_0(x), _around_0(y), x_ranks, y_ranks, Concordance.of(few, many))

    def coefficients(self, weights: Array) -> Array:
        """Return the three coefficients, shape (3, b), of weights of shape (m, b)."""
        x_counts, y_counts = self.x_ranks.counts(weights), self.y_ranks.counts(weights)
        return np.stack(
            [
                self._pearson(weights),
                self._spearman(weights, x_counts, y_counts),
                self._kendall(weights, x_counts, y_counts),
            ]
        )

    def _pearson(self, weights: Array) -> Array:
        x, y, n = self.x, self.y, weights.sum(axis=0)
        x_sum, y_sum, xy = x @ weights, y @ weights, (x * y) @ weights
        xx, yy = (x * x) @ weights, (y * y) @ weights
        return _coefficient(n * xy - x_sum * y_sum, n * xx - x_sum**2, n * yy - y_sum**2, n * n)

    def _spearman(self, weights: Array, x_counts: Array, y_counts: Array) -> Array:
        n = weights.sum(axis=0)
        x_ranks, y_ranks = _centred_ranks(x_counts), _centred_ranks(y_counts)
        ranked = x_ranks[self.x_ranks.codes]
        ranked *= y_ranks[self.y_ranks.codes]
        covariance = np.einsum("mb,mb->b", ranked, weights)
        x_spread, y_spread = _spread(x_ranks, x_counts), _spread(y_ranks, y_counts)
        return _coefficient(covariance, x_spread, y_spread, n**3)

    def _kendall(self, weights: Array, x_counts: Array, y_counts: Array) -> Array:
        n = weights.sum(axis=0)
        x_untied, y_untied = n * n - (x_counts**2).sum(axis=0), n * n - (y_counts**2).sum(axis=0)
        return _coefficient(2 * self.concordance.excess(weights), x_untied, y_untied, n * n)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The code of each of m values in rising order, shape (m,), and how to add up what has the same code."""

    codes: Codes
    order: Codes
    starts: Codes

    @classmethod
    def of(cls, values: Array) -> _Ranks:
        _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
        return cls(codes, np.argsort(codes, kind="stable"), np.cumsum(counts) - counts)

    def counts(self, weights: Array) -> Array:
        """Return the weight of each code, shape (codes, b)."""
        return np.asarray(np.add.reduceat(weights[self.order], self.starts, axis=0))


def _around_0(values: Array) -> Array:
    """Return values less their mean, over the largest of these, so that their products keep all digits."""
    centred = values - values.mean()
    largest = np.abs(centred).max()
    return np.asarray(centred / largest) if largest else centred


def _centred_ranks(counts: Array) -> Array:
    """Return the mean rank of each code less the mean of all ranks, shape (codes, b)."""
    return np.asarray(np.cumsum(counts, axis=0) - counts / 2 - counts.sum(axis=0) / 2)


def _spread(ranks: Array, counts: Array) -> Array:
    return np.asarray(np.einsum("kb,kb->b", ranks * ranks, counts))


def _coefficient(covariance: Array, x_spread: Array, y_spread: Array, scale: Array) -> Array:
    """Return covariance over the root of the spreads, NaN where one is nothing beside `scale`."""
    is_known = (x_spread > 1e-12 * scale) & (y_spread > 1e-12 * scale)
    spread = np.sqrt(np.where(is_known, x_spread, 1.0)) * np.sqrt(np.where(is_known, y_spread, 1.0))
    return np.where(is_known, np.clip(covariance / spread, -1.0, 1.0), np.nan)
