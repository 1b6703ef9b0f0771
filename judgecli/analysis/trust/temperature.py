"""The temperature at which verdict probabilities fit labels best."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from statistics import fmean

from scipy.optimize import minimize_scalar

from judgecli.types import tempered

Probabilities = tuple[float, float, float]

# Wide enough for any judge of use; at the upper end even a probability of 1 is tempered to about a half.
BOUNDS = (0.05, 20.0)


def best_temperature(probabilities: Sequence[Probabilities], outcomes: Sequence[int]) -> float:
    """Return the temperature within `BOUNDS` with the least negative log likelihood of the labels.

    `outcomes` are the places of the labels in the probabilities, one an item. The search is over log T: the
    loss is convex in 1 / T, so it has one minimum there. For n = 0 nothing can be fitted, and T is 1.

    Source: Guo et al., On Calibration of Modern Neural Networks, ICML 2017 (arXiv 1706.04599).
    """
    if not outcomes:
        return 1.0
    low, high = map(log, BOUNDS)
    found = minimize_scalar(
        lambda log_t: negative_log_likelihood(probabilities, outcomes, exp(log_t)) or 0.0,
        bounds=(low, high),
        method="bounded",
        options={"xatol": 1e-6},
    )
    return exp(float(found.x))


def negative_log_likelihood(
    probabilities: Sequence[Probabilities], outcomes: Sequence[int], temperature: float = 1.0
) -> float | None:
    """Return the mean of -log p of the labels, in nats, at a temperature within `BOUNDS`; None for n = 0.

    It is finite: the floor under a probability leaves more than 1e-121 at the lowest temperature.
    """
    if not outcomes:
        return None
    found = zip(probabilities, outcomes, strict=True)
    return fmean(-log(tempered(p, temperature)[outcome]) for p, outcome in found)
