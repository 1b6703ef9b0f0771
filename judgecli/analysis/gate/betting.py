"""Evidence that stays valid however often it is looked at: bets on and against a mean's being higher.

Under the hypothesis that the mean of values within 0 and 1 is m or less, the capital of the bet on a higher
one comes up to 1/a at any time with probability a at most; that of the bet against it likewise for m or more.

Source: Waudby-Smith and Ramdas, Journal of the Royal Statistical Society B 86 (2024), arXiv 2010.09686; the
bound is Ville's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p, sqrt

MOST = 0.5  # of the capital that a bet may lose at once
_CLOSE = 1e-9


@dataclass(slots=True)
class Bets:
    """How much to bet on each value, from those before it alone.

    lambda_t = sqrt(2 log(1/a) / (s2 t log(1 + t))) with s2 the variance of the values before t, begun with
    one value of mean 1/2 and variance 1/4.
    """

    alpha: float
    n: int = 0
    total: float = 0.5
    squares: float = 0.25

    def next(self) -> float:
        """Return the bet on the value to come."""
        t = self.n + 1
        return sqrt(2 * log(1 / self.alpha) / (self.squares / t * t * log1p(t)))

    def see(self, value: float, weight: float = 1.0) -> None:
        """Take in a value that was bet on; with less weight it is nearer to one half."""
        seen = 0.5 + weight * (value - 0.5)
        self.n += 1
        self.total += seen
        self.squares += (seen - self.total / (self.n + 1)) ** 2


@dataclass(slots=True)
class Capital:
    """The logarithm of the capital of a bet on the mean's being over m, and the greatest it ever was."""

    m: float
    log_now: float = 0.0
    log_most: float = 0.0

    @property
    def log_growth(self) -> float:
        """The most that one value can add."""
        return log1p(MOST / self.m * (1 - self.m))

    def settle(self, bet: float, value: float, weight: float = 1.0) -> None:
        """Win or lose a bet on a value, or for a weight within 0 and 1 a part of it."""
        self.log_now += log1p(min(bet, MOST / self.m) * weight * (value - self.m))
        self.log_most = max(self.log_most, self.log_now)


def confidence_sequence(
    values: Sequence[float], alpha: float, weights: Sequence[float] | None = None
) -> tuple[float, float]:
    """Return the interval of the means that neither bet ever refuted at 1 / alpha: of level 1 - 2 alpha.

    The mean is the weighted one, with weights within 0 and 1 that do not depend on the values; all 1 if left
    out. For no values it is 0 and 1.
    """
    weights = [1.0] * len(values) if weights is None else weights
    bets, evidence = Bets(alpha), []
    for value, weight in zip(values, weights, strict=True):
        evidence.append((bets.next(), value, weight))
        bets.see(value, weight)
    below = _refuted_up_to(evidence, log(1 / alpha))
    above = _refuted_up_to([(bet, 1 - value, weight) for bet, value, weight in evidence], log(1 / alpha))
    return below, 1 - above


def _refuted_up_to(evidence: Sequence[tuple[float, float, float]], limit: float) -> float:
    """Return the greatest mean that the bet on a higher one refutes; every lower one is refuted with it."""
    low, high = 0.0, 1.0
    while high - low > _CLOSE:
        capital = Capital((low + high) / 2)
        for bet, value, weight in evidence:
            capital.settle(bet, value, weight)
        low, high = (capital.m, high) if capital.log_most >= limit else (low, capital.m)
    return low
