"""How many pairs a gate needs, and what it can prove with those it has.

Source of the first formula: Connor, Biometrics 43 (1987) 207-211. The second puts the variance under the
threshold in place of the one under equality, for Tango's score statistic.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

from scipy.optimize import brentq

from judgecli.errors import UsageError
from judgecli.types import GateKind, GatePower

_MAX_MARGIN = 0.499
_POWER = 0.8
_ROUNDING = 1e-9


def n_to_prove(
    threshold: float, truth: float, tie_rate: float, *, alpha: float, power: float
) -> float | None:
    """Return how many pairs show that the win rate is over a threshold, not rounded.

    `alpha` is one-sided. None where the truth is not over the threshold, or cannot be with so many ties.

    n = (z_alpha sqrt(d - D0^2) + z_power sqrt(d - D^2))^2 / (D - D0)^2 with d = 1 - tie_rate, and D and D0
    twice the truth and the threshold, less 1.
    """
    decided, difference, least = 1 - tie_rate, 2 * truth - 1, 2 * threshold - 1
    if difference <= least or decided < max(abs(difference), abs(least)) - _ROUNDING:
        return None
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha), NormalDist().inv_cdf(power)
    spreads = (sqrt(max(0.0, decided - one**2)) for one in (least, difference))
    spread = sum(z * one for z, one in zip((z_alpha, z_power), spreads, strict=True))
    return max(0.0, spread) ** 2 / (difference - least) ** 2


def n_for_half_width(half_width: float, tie_rate: float) -> int:
    """Return how many pairs give a 95% interval of this half width where the models are equal."""
    return ceil(NormalDist().inv_cdf(0.975) ** 2 * (1 - tie_rate) / (4 * half_width**2))


def smallest_margin(n: float, tie_rate: float, *, truth: float, alpha: float, power: float) -> float | None:
    """Return the least margin that n pairs prove; None where they prove none. At most 0.499."""

    def missing(margin: float) -> float:
        needed = n_to_prove(0.5 - margin, truth, tie_rate, alpha=alpha, power=power)
        return (1e18 if needed is None else needed) - n

    most = min(_MAX_MARGIN, (1 - tie_rate) / 2)
    least = max(1e-6, 0.5 - truth + 1e-6)
    if n <= 0 or most <= least or missing(most) > 0:
        return None
    return float(brentq(missing, least, most)) if missing(least) > 0 else 0.0


def power_of(
    kind: GateKind,
    margin: float,
    *,
    tie_rate: float,
    n: int | None = None,
    truth: float = 0.5,
    alpha: float = 0.05,
    power: float = _POWER,
    deff: float = 1.0,
) -> GatePower:
    """Return how many pairs a gate needs and the least margin that n pairs prove, both times `deff`.

    Raises:
        UsageError: an option is out of its range.
    """
    _check(margin, tie_rate, truth, power, deff)
    threshold = 0.5 - margin if kind is GateKind.NO_WORSE else 0.5
    needed = n_to_prove(threshold, truth, tie_rate, alpha=alpha, power=power)
    least = None
    if n is not None and kind is GateKind.NO_WORSE:
        least = smallest_margin(n / deff, tie_rate, truth=truth, alpha=alpha, power=power)
    return GatePower(
        kind=kind,
        margin=margin,
        alpha=alpha,
        power=power,
        truth=truth,
        tie_rate=tie_rate,
        deff=deff,
        n=n,
        n_needed=None if needed is None else ceil(needed * deff),
        smallest_margin=least,
    )


def _check(margin: float, tie_rate: float, truth: float, power: float, deff: float) -> None:
    if not 0 < margin < 0.5:
        raise UsageError(f"--margin is a win rate between 0 and 0.5, such as 0.05, not {margin:g}")
    if not 0 <= tie_rate <= 1:
        raise UsageError(f"--ties is a share from 0 to 1, not {tie_rate:g}")
    if not 0 <= truth <= 1:
        raise UsageError(f"--truth is a win rate from 0 to 1, not {truth:g}")
    if not 0 < power < 1:
        raise UsageError(f"--power is a probability between 0 and 1, not {power:g}")
    if deff <= 0:
        raise UsageError(f"--deff is a design effect over 0, not {deff:g}")
