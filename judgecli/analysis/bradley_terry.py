"""Strengths of models from points won against each other, by the Bradley-Terry model.

P(i beats j) = pi_i / (pi_i + pi_j); a tie is half a win for each. Every function takes many tables at once:
`points` has the shape (..., m, m), and `points[..., i, j]` is what model i won against model j.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Half a win each way, in tables where some strengths would have no bound: a virtual tie of each two models.
VIRTUAL_POINTS = 0.5
CENTRE = 1000.0
_PER_NAT = 400 / log(10)
_CLOSE = 1e-10
_MAX_STEPS = 1000


def is_bounded(points: Array) -> NDArray[np.bool_]:
    """Return, shape (...), whether the likelihood of each table has a maximum.

    It has one if from every model a chain of points leads to every other one: no group of models never lost
    a point to the rest. Source: Ford, American Mathematical Monthly 64 (1957) no. 8 part 2, 28-33.
    """
    return np.asarray(_reached(points).all(axis=(-2, -1)))


def met_groups(points: Array) -> list[tuple[int, ...]]:
    """Return, of one table, the groups of models that no comparison links; one where all are linked.

    A model that met nobody is a group of its own. Within a group strengths may still have no bound.
    """
    linked = _reached(points + points.T)
    return sorted({tuple(map(int, np.flatnonzero(row))) for row in linked})


def _reached(points: Array) -> NDArray[np.bool_]:
    """Return, shape (..., m, m), from which model a chain of points leads to which, itself included."""
    m = points.shape[-1]
    reaches = ((points > 0) | np.eye(m, dtype=bool)).astype(np.float64)
    for _ in range(max(1, (m - 1).bit_length())):  # each squaring doubles the length of the chains
        reaches = np.minimum(reaches @ reaches, 1.0)
    return np.asarray(reaches > 0)


def with_virtual_ties(points: Array, where: NDArray[np.bool_]) -> Array:
    """Return the tables, those at `where` (shape (...)) with a virtual tie of each two models more."""
    others = VIRTUAL_POINTS * (1 - np.eye(points.shape[-1]))
    return np.asarray(points + where[..., None, None] * others)


def log_strengths(points: Array) -> Array:
    """Return the log strengths that make the points most likely, shape (..., m), each row of sum 0.

    Newton's method from 0. A step changes no difference of two models that met by more than 1: the curvature
    then stays within a factor that makes every step an ascent.

    Raises:
        ValueError: a table is not bounded; see `is_bounded`.
    """
    if not is_bounded(points).all():
        raise ValueError("strengths without a bound")
    m = points.shape[-1]
    games = points + np.swapaxes(points, -1, -2)
    strengths = np.zeros(points.shape[:-1])
    for _ in range(_MAX_STEPS):
        step = _newton_step(points, games, strengths, m)
        widest = (_differences(step) * (games > 0)).max(axis=(-2, -1), initial=0.0)
        strengths = strengths + step / np.maximum(widest, 1.0)[..., None]
        if widest.max(initial=0.0) < _CLOSE:
            return np.asarray(strengths - strengths.mean(axis=-1, keepdims=True))
    raise ArithmeticError(f"no strengths after {_MAX_STEPS} steps")


def elo_scale(strengths: Array) -> Array:
    """Return log strengths on the scale where 400 points more are odds of ten to one, the mean at 1000."""
    return np.asarray(CENTRE + _PER_NAT * strengths)


def _newton_step(points: Array, games: Array, strengths: Array, m: int) -> Array:
    p = 1 / (1 + np.exp(-_differences(strengths)))
    gradient = (points - games * p).sum(axis=-1)
    weights = games * p * (1 - p)
    curvature = np.eye(m) * weights.sum(axis=-1)[..., None] - weights
    # strengths are known up to a constant: the ones keep their sum at 0
    return np.asarray(np.linalg.solve(curvature + 1.0 / m, gradient[..., None])[..., 0])


def _differences(values: Array) -> Array:
    return np.asarray(values[..., :, None] - values[..., None, :])
