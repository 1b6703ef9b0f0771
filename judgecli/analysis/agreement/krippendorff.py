"""Krippendorff's alpha of any number of raters, some of whose ratings may be missing.

Alpha is 1 - Do / De: how far ratings of the same item differ, over how far any two of all ratings do. Both
are functions of sums over items, so that a resample of items is new sums. Items with one rating count in
neither. Source: Krippendorff, Computing Krippendorff's Alpha-Reliability (2011).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.by_unit import Units, resampled_by_unit, with_interval
from judgecli.types import Estimate

Array = NDArray[np.float64]

NO_PAIRS = "no item with two ratings"
NO_SPREAD = "all ratings are alike: no disagreement by chance to measure against"


def alpha_nominal(name: str, ratings: Array, units: Units, *, n_classes: int) -> Estimate:
    """Return alpha of ratings that are classes from 0 on, shape (n, raters), NaN where there is none."""
    rated = np.stack([(ratings == k).sum(axis=1) for k in range(n_classes)], axis=1).astype(np.float64)
    return _alpha(name, _nominal_sums(rated), _nominal, units, "Krippendorff's alpha, nominal")


def alpha_interval(name: str, ratings: Array, units: Units) -> Estimate:
    """Return alpha of ratings that are numbers, shape (n, raters), NaN where there is none."""
    # Squares of numbers from -1 to 1 lose least to rounding; neither shift nor scale changes alpha.
    is_there = ~np.isnan(ratings)
    centre = ratings[is_there].mean() if is_there.any() else 0.0
    centred = np.where(is_there, ratings - centre, 0.0)
    largest = np.abs(centred).max(initial=0.0)
    scaled = centred / largest if largest else centred
    sums = _interval_sums(scaled, is_there.sum(axis=1).astype(np.float64))
    return _alpha(name, sums, _interval, units, "Krippendorff's alpha, interval")


def _alpha(name: str, sums: Array, alpha: Callable[[Array], Array], units: Units, method: str) -> Estimate:
    """Return alpha from each item's sums, shape (n, k), the first being its number of pairable ratings."""
    is_paired = sums[:, 0] > 0
    n = int(is_paired.sum())
    # Items without two ratings say nothing; a resample draws among the others.
    paired, units = sums[is_paired], units.only(is_paired)
    value = float(alpha(paired.sum(axis=0))) if n else np.nan
    resampled = alpha(resampled_by_unit(paired, units)) if n else np.zeros(0)
    return with_interval(
        name, value, resampled, units, n=n, method=method, absent=NO_SPREAD if n else NO_PAIRS
    )


def _nominal_sums(rated: Array) -> Array:
    """Return of each item its ratings, agreeing pairs of them over m - 1, and the counts by class."""
    m = rated.sum(axis=1)
    agreeing = (rated * (rated - 1)).sum(axis=1) / np.maximum(m - 1, 1)
    return np.asarray(np.column_stack([m, agreeing, rated]) * (m > 1)[:, None])


def _nominal(sums: Array) -> Array:
    n, agreeing, by_class = sums[..., 0], sums[..., 1], sums[..., 2:]
    by_chance = n * n - (by_class**2).sum(axis=-1)
    return _one_less((n - agreeing) * (n - 1), by_chance)


def _interval_sums(ratings: Array, m: Array) -> Array:
    """Return of each item its ratings, their squared differences over m - 1, their sum and their squares'."""
    total, squares = ratings.sum(axis=1), (ratings**2).sum(axis=1)
    within = 2 * (m * squares - total**2) / np.maximum(m - 1, 1)
    return np.asarray(np.column_stack([m, within, total, squares]) * (m > 1)[:, None])


def _interval(sums: Array) -> Array:
    n, within, total, squares = (sums[..., k] for k in range(4))
    by_chance = 2 * (n * squares - total**2)
    return _one_less(within * (n - 1), np.where(by_chance > 1e-9 * n * squares, by_chance, 0.0))


def _one_less(observed: Array, by_chance: Array) -> Array:
    """Return 1 - observed / by_chance, NaN where nothing differs by chance."""
    by_chance = np.asarray(by_chance)
    undefined = np.full(by_chance.shape, np.nan)
    return np.asarray(1 - np.divide(observed, by_chance, out=undefined, where=by_chance > 0))
