"""The gate's test of a mean by Student's t: over items, or cluster-robust over groups of them."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.exact import LEVEL, item_test, no_test
from judgecli.types import GateTest

Array = NDArray[np.float64]


def mean_test(values: Array, units: Units, threshold: float) -> GateTest:
    """Test the mean of values within 0 and 1, shape (n,), against a threshold from both sides.

    Over G groups with shares w of the items and deviations r of their means, SE^2 is the sum of
    w^2 r^2 / (1-w), and the degrees of freedom are Satterthwaite's: for groups of one size that is Liang and
    Zeger's SE with G/(G-1) and G-1 degrees, and a group that holds most items does not vanish from it. By
    group the p-values are the greater of Student's t and of t corrected for skewness; bounds are Student's.
    Without any spread between groups, each is one observation of a win, a tie or a loss. All None for n = 0
    and for one group.

    Source: Bell and McCaffrey, Survey Methodology 28 (2002) 169-181, as in Imbens and Kolesar, arXiv
    1601.01469; for equal groups Miller, arXiv 2411.00640, section 2.2; the correction is Hall's, Journal of
    the Royal Statistical Society B 54 (1992) 221-228.
    """
    n, n_groups = len(values), units.n
    if n_groups < 2:
        return no_test("no verdicts" if n == 0 else f"one {units.name} only")
    theta = float(values.mean())
    deviations = (values - theta)[:, None]
    parts = units.sums(deviations)[:, 0] / n
    shares = units.sums(np.ones_like(deviations))[:, 0] / n
    if float((parts**2).sum()) * n < 1e-12:
        return _alike(theta, units, threshold, n)
    error, degrees = sqrt(float((parts**2 / (1 - shares)).sum())), _degrees(shares)
    t, half = (theta - threshold) / error, float(stdtrit(degrees, LEVEL)) * error
    corrected = t if units.group is None else _corrected(t, float((parts**3).sum()) / error**3)
    by_item = float((deviations**2).sum()) / n**2
    kind = "t test over items" if units.group is None else f"cluster-robust t test over {units.over}"
    return GateTest(
        n=n,
        theta=theta,
        lower=max(0.0, theta - half),
        upper=min(1.0, theta + half),
        p_above=float(stdtr(degrees, -min(t, corrected))),
        p_below=float(stdtr(degrees, max(t, corrected))),
        method=kind,
        deff=float((parts**2).sum()) / by_item if by_item > 0 else 1.0,
        n_groups=None if units.group is None else n_groups,
    )


def _degrees(shares: Array) -> float:
    """Return Satterthwaite's degrees of freedom: tr(M)^2 / tr(M^2) of the quadratic form that SE^2 is.

    It is the sum over groups of d (y_i - mean)^2 with d = w^2 / (1-w), for means y of one variance.
    """
    d, squares = shares**2 / (1 - shares), float((shares**2).sum())
    trace = float((d * (1 - 2 * shares + squares)).sum())
    apart = squares - shares
    crossed = (d * apart**2).sum() * d.sum() - 2 * (d * apart).sum() * (d * shares).sum()
    crossed += d.sum() * (d * shares**2).sum()
    own = (d**2 * (1 + 2 * (squares - 2 * shares))).sum()
    return trace**2 / float(crossed + own)


def _corrected(t: float, skewness: float) -> float:
    """Return t corrected for the skewness of the mean, by Hall's cubic, which is monotone."""
    return t + skewness * (1 / 6 + t**2 / 3) + skewness**2 * t**3 / 27


def _alike(theta: float, units: Units, threshold: float, n: int) -> GateTest:
    """Return the test of groups that all have the same mean: each is one win, tie or loss."""
    over = f"{units.over}, which are all alike"
    n_groups = None if units.group is None else units.n
    if theta not in {0.0, 0.5, 1.0}:
        test = GateTest(n=n, theta=theta, lower=0.0, upper=1.0, p_above=1.0, p_below=1.0, method="")
        return replace(test, method=f"no spread over {over}", n_groups=n_groups)
    wins, losses = (units.n if theta == end else 0 for end in (1.0, 0.0))
    test = item_test(wins, losses, units.n, threshold)
    return replace(test, n=n, method=f"{test.method} over {over}", deff=n / units.n, n_groups=n_groups)
