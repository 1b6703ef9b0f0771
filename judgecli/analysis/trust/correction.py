"""A share as people would have it, from a judge's share and how often the judge is right on either side."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from judgecli.analysis.intervals import normal_quantile
from judgecli.types import Estimate

_NAME = "corrected"
MIN_OTHERS = 20  # with fewer the share that is corrected is itself hardly known


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Counts to correct by.

    The judge says yes to `k` of `n` items without a label. Where people say yes it does to `k1` of `n1`
    (sensitivity), where they say no it says no to `k0` of `n0` (specificity).
    """

    k: int
    n: int
    k1: int
    n1: int
    k0: int
    n0: int


def corrected_share(rates: Rates) -> Estimate:
    """Return theta = (p + q0 - 1) / (q0 + q1 - 1) with its interval, both within 0 and 1.

    It holds for the decided items without a label: the formula needs a share of other items than the rates
    are of. None for fewer than `MIN_OTHERS` of these, where a rate is out of nothing, and where the judge is
    no better than chance, q0 + q1 <= 1: there its share says nothing of people's.

    Source: Lee et al., How to Correctly Report LLM-as-a-Judge Evaluations (arXiv 2511.21140); q0 is the
    specificity, q1 the sensitivity, and the interval adds pseudo-counts as Agresti and Coull do.
    """
    absent = _why_absent(rates)
    if absent is not None:
        return Estimate(name=_NAME, value=None, n=rates.n, method=absent)
    theta = _theta(rates.k / rates.n, rates.k0 / rates.n0, rates.k1 / rates.n1)
    low, high = _interval(rates)
    return Estimate(
        name=_NAME,
        value=min(max(theta, 0.0), 1.0),
        low=low,
        high=high,
        n=rates.n,
        method=f"{_others(rates.n)}, corrected by sensitivity and specificity on the labelled ones, 95%",
    )


def _theta(p: float, q0: float, q1: float) -> float:
    return (p + q0 - 1) / (q0 + q1 - 1)


def _smoothed(k: int, n: int) -> float:
    return (k + 1) / (n + 2)


def _why_absent(rates: Rates) -> str | None:
    if rates.n < MIN_OTHERS:
        return f"{_others(rates.n)}, and it takes {MIN_OTHERS}"
    if not rates.n1:
        return "people prefer the candidate in no labelled pair that both decide"
    if not rates.n0:
        return "people prefer the baseline in no labelled pair that both decide"
    of_labelled = rates.k0 / rates.n0 + rates.k1 / rates.n1
    if min(of_labelled, _smoothed(rates.k0, rates.n0) + _smoothed(rates.k1, rates.n1)) <= 1:
        return "the judge is no better than chance: sensitivity and specificity sum to 1 or less"
    return None


def _others(n: int) -> str:
    return f"{n or 'no'} decided {'pair' if n == 1 else 'pairs'} without a label"


def _interval(rates: Rates) -> tuple[float, float]:
    z = normal_quantile()
    n, n0, n1 = rates.n + z * z, rates.n0 + 2, rates.n1 + 2
    p, q0, q1 = (rates.k + z * z / 2) / n, _smoothed(rates.k0, rates.n0), _smoothed(rates.k1, rates.n1)
    theta = _theta(p, q0, q1)
    per_q0, per_q1 = q0 * (1 - q0) / n0, q1 * (1 - q1) / n1
    shift = 2 * z * z * (theta * per_q1 - (1 - theta) * per_q0)
    variance = p * (1 - p) / n + (1 - theta) ** 2 * per_q0 + theta**2 * per_q1
    half = z * sqrt(variance) / (q0 + q1 - 1)
    low, high = (min(max(theta + shift + side, 0.0), 1.0) for side in (-half, half))
    return low, high
