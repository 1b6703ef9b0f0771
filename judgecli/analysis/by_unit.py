"""Shares, means and differences with intervals by unit: by item, or by group where items share something.

Intervals over G groups are cluster-robust: SE^2 = G/(G-1) / n^2 times the sum over groups of the square of
their summed deviations, with Student's t of G-1 degrees. Source: Miller, arXiv 2411.00640, section 2.2. With
fewer groups than `MIN_GROUPS` they cover less than they say, so there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from judgecli.analysis.intervals import LEVEL, share, t_interval, tango_interval, wilson_interval
from judgecli.analysis.resampling import N_RESAMPLES, drawn_weights, with_percentiles
from judgecli.types import Estimate

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

MIN_GROUPS = 8


@dataclass(frozen=True, slots=True)
class Units:
    """The unit of each of n items, by number, shape (n,), and the field that makes them, None for items."""

    codes: NDArray[np.intp]
    group: str | None = None

    @classmethod
    def of(cls, keys: Sequence[str], group: str | None) -> Units:
        """Return the units with these keys, one an item."""
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        return cls(codes=np.array([numbers[key] for key in keys], dtype=np.intp), group=group)

    @property
    def n(self) -> int:
        """How many units there are."""
        return int(self.codes.max()) + 1 if self.codes.size else 0

    @property
    def name(self) -> str:
        """What a unit is: an item, or the field that groups them."""
        return self.group or "item"

    @property
    def over(self) -> str:
        """What intervals are drawn over, in words."""
        return "items" if self.group is None else f"{self.n} groups by {self.group}"

    @property
    def too_few(self) -> str | None:
        """Why there is no interval; None where there can be one."""
        if self.group is None or self.n >= MIN_GROUPS:
            return None
        groups = "1 group" if self.n == 1 else f"{self.n} groups"
        return f"no interval: {groups} by {self.group}, at least {MIN_GROUPS} are needed"

    def only(self, where: Mask) -> Units:
        """Return the units of the items at `where`, shape (n,)."""
        _, codes = np.unique(self.codes[where], return_inverse=True)
        return Units(codes=codes, group=self.group)

    def sums(self, rows: Array) -> Array:
        """Return the sums over the items of each unit, shape (units, k), of rows of shape (n, k)."""
        if self.group is None:
            return rows
        totals = np.zeros((self.n, rows.shape[1]))
        np.add.at(totals, self.codes, rows)
        return totals


def share_by_unit(name: str, hits: Mask, units: Units, *, absent: str) -> Estimate:
    """Return the share of hits, shape (n,): Wilson's interval by item, a cluster-robust one by group.

    None for n = 0, and `absent` says why. Where all items of all groups are alike, Wilson's for as many
    observations as there are groups.
    """
    plain = share(name, int(hits.sum()), len(hits), absent=absent)
    if plain.value is None or units.group is None:
        return plain
    if units.too_few is None and plain.value in {0.0, 1.0}:
        low, high = wilson_interval(units.n if plain.value else 0, units.n) or (None, None)
        method = f"all items alike; Wilson score interval over {units.over}, 95%"
        return replace(plain, low=low, high=high, method=method)
    return mean_by_unit(name, hits.astype(np.float64), units, absent=absent)


def mean_by_unit(
    name: str, values: Array, units: Units, *, absent: str, low: float = 0.0, high: float = 1.0
) -> Estimate:
    """Return the mean of values, shape (n,), between `low` and `high`: the t interval by item or by group.

    None for n = 0, and `absent` says why; no interval where all values are equal or groups are few.
    """
    if not values.size:
        return Estimate(name=name, value=None, n=0, method=absent)
    mean, n = float(values.mean()), len(values)
    if units.too_few is not None:
        return Estimate(name=name, value=mean, n=n, method=f"mean; {units.too_few}")
    if units.group is None:
        ends, kind = t_interval(values.tolist()), "t interval over items"
    else:
        ends, kind = cluster_interval(values, units), f"cluster-robust t interval over {units.over}"
    if ends is None:
        return Estimate(name=name, value=mean, n=n, method="mean; no spread to judge it by")
    below, above = max(low, ends[0]), min(high, ends[1])
    return Estimate(name=name, value=mean, low=below, high=above, n=n, method=f"mean; {kind}, 95%")


def difference_by_unit(name: str, differences: Array, units: Units, *, absent: str) -> Estimate:
    """Return the mean of paired differences between -1 and 1, shape (n,), with an interval.

    Where each is -1, 0 or 1 it is Tango's by item; where each is half a point up or down, that of the share
    of those up; else Student's t. By group all are cluster-robust. None for n = 0, and `absent` says why.
    """
    n, kinds = len(differences), set(differences.tolist())
    if n and kinds <= {-0.5, 0.5}:
        return _less_half(share_by_unit(name, differences > 0, units, absent=absent))
    is_counted = units.group is None or (len(kinds) == 1 and units.too_few is None)
    if not kinds <= {-1.0, 0.0, 1.0} or not is_counted:
        return mean_by_unit(name, differences, units, absent=absent, low=-1.0)
    if not n:
        return Estimate(name=name, value=None, n=0, method=absent)
    # Where all are alike a group is one observation.
    counted = differences if units.group is None else differences[: units.n]
    wins, losses = int((counted > 0).sum()), int((counted < 0).sum())
    low, high = tango_interval(wins, losses, len(counted)) or (None, None)
    method = f"difference of pairs, Tango score interval over {units.over}, 95%"
    value = float(differences.mean())
    return Estimate(name=name, value=value, low=low, high=high, n=n, method=method)


def _less_half(estimate: Estimate) -> Estimate:
    value, low, high = (
        None if end is None else end - 0.5 for end in (estimate.value, estimate.low, estimate.high)
    )
    return replace(estimate, value=value, low=low, high=high, method=f"{estimate.method}, less 1/2")


def cluster_interval(values: Array, units: Units) -> tuple[float, float] | None:
    """Return the cluster-robust t interval of a mean; None for one group, or groups without any spread."""
    n, n_groups, mean = len(values), units.n, float(values.mean())
    spread = float((units.sums((values - mean)[:, None]) ** 2).sum())
    if n_groups < 2 or spread < 1e-12 * n:
        return None
    half = float(stdtrit(n_groups - 1, (1 + LEVEL) / 2)) * sqrt(spread * n_groups / (n_groups - 1)) / n
    return mean - half, mean + half


def resampled_by_unit(rows: Array, units: Units) -> Array:
    """Return sums over items of each resample of units, shape (N_RESAMPLES, k), of rows of shape (n, k)."""
    if not len(rows):
        return np.zeros((N_RESAMPLES, rows.shape[1]))
    kinds, counts = np.unique(units.sums(rows), axis=0, return_counts=True)
    return np.concatenate([weights @ kinds for weights in drawn_weights(counts.astype(np.float64))])


def with_interval(
    name: str, value: float, resampled: Array, units: Units, *, n: int, method: str, absent: str
) -> Estimate:
    """Return a value of n items with the percentile interval of its resamples, shape (b,).

    NaN stands for a statistic that is not defined: the value is then None and `absent` says why.
    """
    if np.isnan(value):
        return Estimate(name=name, value=None, n=n, method=absent)
    if units.too_few is not None:
        return Estimate(name=name, value=float(value), n=n, method=f"{method}; {units.too_few}")
    over = f"percentile interval over {units.over}, 95%"
    return with_percentiles(name, float(value), resampled, n=n, method=method, over=over)
