"""The gate's test of a win rate by items: exact and unconditional up to 1,000, Tango's beyond."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache, partial
from math import inf
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, gammaln, xlog1py, xlogy

from judgecli.analysis.intervals import tango_interval, tango_z
from judgecli.types import GateTest

Array = NDArray[np.float64]

MAX_EXACT = 1000
LEVEL = 0.95  # of each bound, one-sided; both are the ends of the two-sided interval of
DISPLAY_LEVEL = 2 * LEVEL - 1
_GRID = 101
# Outcomes whose scores differ by rounding only are equally extreme.
_SAME = 1e-9
_NEGLIGIBLE = 1e-18
_N_ZOOMS, _N_ZOOMED = 2, 21
_NEAR = 0.3


def item_test(wins: int, losses: int, n: int, threshold: float) -> GateTest:
    """Test the win rate of n items, n - wins - losses of them ties, against a threshold from both sides.

    The p-values are exact up to n = 1000; the bounds are Tango's. All None for n = 0.
    """
    interval = tango_interval(wins, losses, n, DISPLAY_LEVEL)
    if interval is None:
        return no_test("no verdicts")
    lower, upper = ((1 + delta) / 2 for delta in interval)
    return GateTest(
        n=n,
        theta=(1 + (wins - losses) / n) / 2,
        lower=lower,
        upper=upper,
        p_above=p_above(wins, losses, n, threshold),
        p_below=p_above(losses, wins, n, 1 - threshold),
        method="exact unconditional test" if n <= MAX_EXACT else "Tango score test",
    )


def no_test(why: str) -> GateTest:
    """Return the test of nothing."""
    return GateTest(n=0, theta=None, lower=None, upper=None, p_above=None, p_below=None, method=why)


def p_above(wins: int, losses: int, n: int, threshold: float) -> float:
    """Return the p-value of the hypothesis that the win rate is at or under the threshold; n of at least 1.

    Exact and unconditional up to n = 1000, Tango's beyond. For the other side swap wins and losses, and take
    1 - threshold.
    """
    return _p_of(tango_z(wins, losses, n, 2 * threshold - 1), n, threshold)


def _p_of(score: float, n: int, threshold: float) -> float:
    return NormalDist().cdf(-score) if n > MAX_EXACT else exact_p(score, n, threshold)


@lru_cache(maxsize=4096)
def exact_p(score: float, n: int, threshold: float) -> float:
    """Return the supremum, over all tie rates, of the probability at the threshold of this score or more.

    The score is Tango's. Given the number d of decided items, these are the outcomes of some wins or more, so
    the probability is a sum over d of binomial tails. Tie rates are a grid of 101 points, more near its ends,
    where for large n the probability moves quickly, and more again around the greatest.

    Source: the unconditional test of Barnard, Biometrika 34 (1947) 123-138, with Tango's score to order by.
    """
    delta = 2 * threshold - 1
    observed = score - _SAME
    critical = np.array([_least_wins(d, n, delta, observed) for d in range(n + 1)], dtype=np.float64)
    top = 1 - abs(delta)
    near = np.geomspace(0.01 / n, 1 / _GRID, 20)
    ties = np.unique(np.concatenate([np.linspace(0, 1, _GRID), near, 1 - near])) * top
    tails = _tails(ties, critical, n, delta)
    greatest = float(tails.max())
    for _ in range(_N_ZOOMS):
        best = int(tails.argmax())
        ties = np.linspace(ties[max(best - 1, 0)], ties[min(best + 1, len(ties) - 1)], _N_ZOOMED)
        tails = _tails(ties, critical, n, delta)
        greatest = max(greatest, float(tails.max()))
    return min(1.0, greatest)


class Rejection:
    """Whether outcomes of n pairs show, at a level, that the win rate is over a threshold.

    It says of every outcome what `p_above` does, and asks it rarely: the p-value falls as the score grows, so
    a score beyond one that is known needs no p-value of its own.
    """

    def __init__(self, n: int, threshold: float, alpha: float) -> None:
        self.n, self.threshold, self.alpha = n, threshold, alpha
        self._least_rejected, self._most_kept = inf, -inf
        self._usual = NormalDist().inv_cdf(1 - alpha)

    def holds(self, wins: int, losses: int) -> bool:
        """Return whether the p-value of this outcome is alpha or less."""
        score = tango_z(wins, losses, self.n, 2 * self.threshold - 1)
        # most scores are far from where the test is decided: two p-values near there settle them all
        near = min(max(score, self._usual - _NEAR), self._usual + _NEAR)
        for probe in (near, score):
            if self._most_kept < score < self._least_rejected:
                self._learn(probe)
        return score >= self._least_rejected

    def _learn(self, score: float) -> None:
        if _p_of(score, self.n, self.threshold) <= self.alpha:
            self._least_rejected = min(self._least_rejected, score)
        else:
            self._most_kept = max(self._most_kept, score)


rejection = lru_cache(maxsize=64)(Rejection)


def _least_wins(decided: int, n: int, delta: float, observed: float) -> int:
    """Return the fewest wins among the decided that are as extreme as observed; one more if none are."""
    # Tango's score grows with the wins among a fixed number of decided items.
    score = partial(_score, decided=decided, n=n, delta=delta)
    return bisect_left(range(decided + 1), observed, key=score)


def _score(wins: int, *, decided: int, n: int, delta: float) -> float:
    return tango_z(wins, decided - wins, n, delta)


def _tails(ties: Array, critical: Array, n: int, delta: float) -> Array:
    """Return the probability of at least the critical wins, shape (n + 1,), at each tie rate, shape (k,)."""
    decided = np.arange(n + 1, dtype=np.float64)
    among = 1 - ties
    # at a tie rate of 1 nothing is decided, and the share of wins is of no account
    share = np.divide((among + delta) / 2, among, out=np.full_like(among, 0.5), where=among > 0).clip(0, 1)
    ways = gammaln(n + 1) - gammaln(decided + 1) - gammaln(n - decided + 1)
    log_p = ways + xlogy(decided, among[:, None]) + xlog1py(n - decided, -among[:, None])
    p = np.exp(log_p)
    rows, columns = np.nonzero((p > _NEGLIGIBLE) & (critical <= decided))
    needed = critical[columns]
    tail = np.ones(len(columns))
    some = needed > 0
    tail[some] = betainc(needed[some], decided[columns[some]] - needed[some] + 1, share[rows[some]])
    return np.asarray(
        np.bincount(rows, weights=p[rows, columns] * tail, minlength=len(ties)), dtype=np.float64
    )
