"""Confidence intervals for one proportion, one paired difference and one mean."""

# scipy.special and scipy.optimize rather than scipy.stats, which alone takes another 0.5 s to import.
from collections.abc import Sequence
from math import inf, sqrt
from statistics import NormalDist, fmean, stdev

from scipy.optimize import brentq
from scipy.special import stdtrit

from judgecli.types import Estimate

LEVEL = 0.95
# Z runs to infinity at Delta = -1 and 1, so roots are looked for a little inside.
_INSIDE = 1e-10


def normal_quantile(level: float = LEVEL) -> float:
    """Return z with `level` of the standard normal distribution between -z and z."""
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson_interval(k: int, n: int, level: float = LEVEL) -> tuple[float, float] | None:
    """Return the Wilson score interval of k out of n; None for n = 0.

    Source: Wilson, JASA 22 (1927) 209-212.
    """
    if n == 0:
        return None
    z2 = normal_quantile(level) ** 2
    center = (k + z2 / 2) / (n + z2)
    half = sqrt(z2 * (k * (n - k) / n + z2 / 4)) / (n + z2)
    # Rounding leaves 1e-17 instead of 0 and 1 at the ends.
    low = 0.0 if k == 0 else center - half
    high = 1.0 if k == n else center + half
    return low, high


def tango_z(wins: int, losses: int, n: int, delta: float) -> float:
    """Return Tango's score statistic for Delta = delta, where Delta estimates (wins - losses) / n.

    At delta = 0 it is McNemar's uncorrected Z. 0/0 counts as 0.
    Source: Tango, Statistics in Medicine 17 (1998) 891-908.
    """
    a = 2 * n
    b = -wins - losses + (2 * n - wins + losses) * delta
    c = -losses * delta * (1 - delta)
    p_loss = (sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
    variance = n * (2 * p_loss + delta * (1 - delta))
    distance = wins - losses - n * delta
    if variance > 1e-15:
        return float(distance / sqrt(variance))
    if abs(distance) < 1e-12:
        return 0.0
    return inf if distance > 0 else -inf


def tango_interval(wins: int, losses: int, n: int, level: float = LEVEL) -> tuple[float, float] | None:
    """Return Tango's score interval for Delta = (wins - losses) / n, within -1 and 1; None for n = 0.

    Wilson's interval where nothing is tied, and without 0 exactly if McNemar's test rejects.
    Source: Tango, Statistics in Medicine 17 (1998) 891-908.
    """
    if n == 0:
        return None
    return -_tango_upper(losses, wins, n, level), _tango_upper(wins, losses, n, level)


def _tango_upper(wins: int, losses: int, n: int, level: float) -> float:
    if wins == n:
        return 1.0
    z = normal_quantile(level)
    observed = (wins - losses) / n
    return float(brentq(lambda delta: tango_z(wins, losses, n, delta) + z, observed, 1 - _INSIDE))


def t_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """Return Student's t interval of a mean; None for fewer than two values or values all equal."""
    n = len(values)
    spread = stdev(values) if n > 1 else 0.0
    if spread == 0:
        return None
    half = float(stdtrit(n - 1, (1 + level) / 2)) * spread / sqrt(n)
    return fmean(values) - half, fmean(values) + half


def share(name: str, k: int, n: int, *, absent: str) -> Estimate:
    """Return k out of n with its Wilson interval; for n = 0 the value is None and `absent` says why."""
    interval = wilson_interval(k, n)
    if interval is None:
        return Estimate(name=name, value=None, n=0, method=absent)
    low, high = interval
    return Estimate(name=name, value=k / n, low=low, high=high, n=n, method="Wilson score interval, 95%")
