"""How many pairs a gate needs, and what it can prove with those it has.

Source of the formula: Connor, Biometrics 43 (1987) 207-211, with the variance under the threshold in place of
the one under equality, for Tango's score statistic.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, inf, sqrt
from statistics import NormalDist

from scipy.optimize import brentq

from judgecli.errors import UsageError
from judgecli.types import GateKind, GateOptions, GatePower

_MAX_MARGIN = 0.499
_POWER = 0.8
_MIN_ITEMS = GateOptions().min_items
_NEAR = 1e-6  # how close to equal models the least margin or win rate is looked for
_MANY = 1e15  # pairs
_ROUNDING = 1e-9


def n_to_prove(
    threshold: float, truth: float, tie_rate: float, *, alpha: float, power: float
) -> float | None:
    """Return how many pairs show that the win rate is over a threshold, not rounded.

    `alpha` is one-sided. None where the truth is not over the threshold, or cannot be with so many ties.

    n = (z_alpha sqrt(d0 - D0^2) + z_power sqrt(d - D^2))^2 / (D - D0)^2 with d = 1 - tie_rate, and D and D0
    twice the truth and the threshold, less 1. At the threshold a share d0 of the pairs is decided: d, or |D0|
    where with so few decided pairs no win rate lies so far from one half.
    """
    decided, difference, least = 1 - tie_rate, 2 * truth - 1, 2 * threshold - 1
    if difference <= least or decided < abs(difference) - _ROUNDING:
        return None
    z_alpha, z_power = NormalDist().inv_cdf(1 - alpha), NormalDist().inv_cdf(power)
    spread = z_alpha * sqrt(max(decided, abs(least)) - least**2)
    spread += z_power * sqrt(max(0.0, decided - difference**2))
    return max(0.0, spread) ** 2 / (difference - least) ** 2


def n_for_half_width(half_width: float, tie_rate: float) -> int:
    """Return how many pairs give a 95% interval of this half width where the models are equal."""
    return ceil(NormalDist().inv_cdf(0.975) ** 2 * (1 - tie_rate) / (4 * half_width**2))


def smallest_margin(n: float, tie_rate: float, *, truth: float, alpha: float, power: float) -> float | None:
    """Return the least margin that n pairs prove; None where they prove none. At most 0.499."""

    def needed(margin: float) -> float | None:
        return n_to_prove(0.5 - margin, truth, tie_rate, alpha=alpha, power=power)

    return _least(needed, n, max(_NEAR, 0.5 - truth + _NEAR), _MAX_MARGIN)


def smallest_win_rate(n: float, tie_rate: float, *, alpha: float, power: float) -> float | None:
    """Return the least true win rate that n pairs show as better than one half; None where they show none."""

    def needed(truth: float) -> float | None:
        return n_to_prove(0.5, truth, tie_rate, alpha=alpha, power=power)

    return _least(needed, n, 0.5 + _NEAR, 1 - tie_rate / 2)


def _least(needed: Callable[[float], float | None], n: float, low: float, high: float) -> float | None:
    """Return the least value for which n pairs are enough, where a greater one needs fewer."""

    def missing(value: float) -> float:
        pairs = needed(value)
        return (_MANY if pairs is None else min(pairs, _MANY)) - min(n, _MANY)

    if high <= low or missing(high) > 0:
        return None
    return float(brentq(missing, low, high)) if missing(low) > 0 else low


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
    min_items: int = _MIN_ITEMS,
) -> GatePower:
    """Return how many pairs a gate needs and the least that n pairs prove, both by the design effect `deff`.

    With fewer than `min_items` pairs a gate decides nothing: they are needed at least, and prove nothing.

    Raises:
        UsageError: an option is out of its range.
    """
    _check(margin, tie_rate, truth, power, deff)
    threshold = 0.5 - margin if kind is GateKind.NO_WORSE else 0.5
    needed = n_to_prove(threshold, truth, tie_rate, alpha=alpha, power=power)
    margin_shown = win_rate_shown = None
    if n is not None and n >= min_items:
        independent, chances = _independent(n, deff), {"alpha": alpha, "power": power}
        if kind is GateKind.NO_WORSE:
            margin_shown = smallest_margin(independent, tie_rate, truth=truth, **chances)
        else:
            win_rate_shown = smallest_win_rate(independent, tie_rate, **chances)
    return GatePower(
        kind=kind,
        margin=margin,
        alpha=alpha,
        power=power,
        truth=truth,
        tie_rate=tie_rate,
        deff=deff,
        n=n,
        n_needed=_whole(needed, deff, min_items),
        smallest_margin=margin_shown,
        smallest_win_rate=win_rate_shown,
    )


def _independent(n: int, deff: float) -> float:
    return min(n, _MANY) / deff


def _whole(needed: float | None, deff: float, min_items: int) -> int | None:
    """Return how many pairs that is; None where no computer could hold them."""
    if needed is None or needed * deff > _MANY:
        return None
    return max(min_items, ceil(needed * deff))


def _check(margin: float, tie_rate: float, truth: float, power: float, deff: float) -> None:
    # a comparison with nan is false
    if not 0 < margin < 0.5:
        raise UsageError(f"--margin is a win rate between 0 and 0.5, such as 0.05, not {margin:g}")
    if not 0 <= tie_rate <= 1:
        raise UsageError(f"--ties is a share from 0 to 1, not {tie_rate:g}")
    if not 0 <= truth <= 1:
        raise UsageError(f"--truth is a win rate from 0 to 1, not {truth:g}")
    if not 0 < power < 1:
        raise UsageError(f"--power is a probability between 0 and 1, not {power:g}")
    if not 0 < deff < inf:
        raise UsageError(f"--deff is a design effect over 0, 1 for independent pairs, not {deff:g}")
