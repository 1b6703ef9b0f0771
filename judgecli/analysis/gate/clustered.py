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

    SE^2 = G/(G-1) / n^2 times the sum, over G groups, of the square of their summed deviations, with
    Student's t of G-1 degrees; where each item is its own group it is the plain t test. Without any spread
    between groups, each is one observation of a win, a tie or a loss. All None for n = 0 and for one group.

    Source: Miller, arXiv 2411.00640, section 2.2.
    """
    n, n_groups = len(values), units.n
    if n_groups < 2:
        return no_test("no verdicts" if n == 0 else f"one {units.name} only")
    theta = float(values.mean())
    deviations = (values - theta)[:, None]
    spread = float((units.sums(deviations) ** 2).sum())
    if spread < 1e-12 * n:
        return _alike(theta, units, threshold, n)
    error = sqrt(spread * n_groups / (n_groups - 1)) / n
    t, half = (theta - threshold) / error, float(stdtrit(n_groups - 1, LEVEL)) * error
    by_item = float((deviations**2).sum())
    kind = "t test over items" if units.group is None else f"cluster-robust t test over {units.over}"
    return GateTest(
        n=n,
        theta=theta,
        lower=max(0.0, theta - half),
        upper=min(1.0, theta + half),
        p_above=float(stdtr(n_groups - 1, -t)),
        p_below=float(stdtr(n_groups - 1, t)),
        method=kind,
        deff=spread / by_item if by_item > 0 else 1.0,
        n_groups=None if units.group is None else n_groups,
    )


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
