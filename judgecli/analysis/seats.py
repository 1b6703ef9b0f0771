"""What the seat in a prompt of many answers does to a score, measured on the same answers in other seats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.intervals import t_interval
from judgecli.types import Estimate, SeatEffect

Array = NDArray[np.float64]

N_PERMUTATIONS = 2000
_SEED = 20231026
_NOT_MEASURED = "not measured (one rotation)"


def seat_of(n_rotations: int, n_models: int) -> NDArray[np.intp]:
    """Return the seat, from 0, of each model in each rotation, shape (r, m): ABC, BCA, CAB."""
    return np.asarray((np.arange(n_models) - np.arange(n_rotations)[:, None]) % n_models, dtype=np.intp)


def seat_effects(scores: Array) -> tuple[tuple[SeatEffect, ...], Estimate]:
    """Return each seat's mean score and effect, and the test whether seats matter.

    `scores` has the shape (items, rotations, models). An item's effects are least squares of its scores on
    answers and seats, of sum 0; with every rotation they are the seats' means minus the mean of all. The item
    is the unit of the intervals. None without items, and effects with one rotation, where seats and answers
    cannot be told apart.
    """
    n, n_rotations, n_models = scores.shape
    seats = seat_of(n_rotations, n_models)
    means = np.stack([scores[:, seats == seat].mean(axis=1) for seat in range(n_models)], axis=1)
    if n_rotations < 2:
        effects = np.full((n, n_models), np.nan)
    else:
        effects = scores.reshape(n, n_rotations * n_models) @ _least_squares(seats).T
    found = tuple(
        SeatEffect(
            seat=seat + 1,
            mean=_mean("seat_mean", means[:, seat]),
            effect=_mean("seat_effect", effects[:, seat]),
        )
        for seat in range(n_models)
    )
    return found, seat_test(scores)


def seat_test(scores: Array) -> Estimate:
    """Return the range of the seats' effects with the p-value of a permutation test.

    Were the seats without effect, an item's rotations could be exchanged; the statistic is the sum of the
    squared mean effects. p = (1 + those at least as large) / (1 + permutations).
    Source: Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9 (2010) 39.
    """
    n, n_rotations, n_models = scores.shape
    if n == 0 or n_rotations < 2:
        absent = "no scores" if n == 0 else _NOT_MEASURED
        return Estimate(name="seat_test", value=None, n=n, method=absent)
    solve = _least_squares(seat_of(n_rotations, n_models))
    effects = solve @ scores.mean(axis=0).reshape(-1)
    observed = float(effects @ effects)
    draw = np.random.default_rng(_SEED)
    n_as_large = 0
    for _ in range(N_PERMUTATIONS):
        shuffled = np.argsort(draw.random((n, n_rotations)), axis=1)
        drawn = np.take_along_axis(scores, shuffled[:, :, None], axis=1).mean(axis=0)
        permuted = solve @ drawn.reshape(-1)
        n_as_large += float(permuted @ permuted) >= observed - 1e-9
    p_value = (1 + n_as_large) / (1 + N_PERMUTATIONS)
    method = f"range of the effects; {N_PERMUTATIONS} permutations of the rotations within items"
    return Estimate(name="seat_test", value=float(np.ptp(effects)), n=n, p_value=p_value, method=method)


def _least_squares(seats: NDArray[np.intp]) -> Array:
    """Return the matrix, shape (m, r * m), from an item's scores to its seats' effects."""
    n_rotations, n_models = seats.shape
    indicators = np.eye(n_models)[seats]  # rotation, model, seat
    within = indicators - indicators.mean(axis=0)  # an answer's scores against its own mean
    return np.asarray(np.linalg.pinv(within.reshape(n_rotations * n_models, n_models)))


def _mean(name: str, values: Array) -> Estimate:
    if not values.size or np.isnan(values).any():
        absent = _NOT_MEASURED if values.size else "no scores"
        return Estimate(name=name, value=None, n=0, method=absent)
    value, interval = float(values.mean()), t_interval([float(value) for value in values])
    if interval is None:
        return Estimate(name=name, value=value, n=values.size, method="mean, no spread to judge it by")
    low, high = interval
    return Estimate(name=name, value=value, low=low, high=high, n=values.size, method="mean, t interval, 95%")
