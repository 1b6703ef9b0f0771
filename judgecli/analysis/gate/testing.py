"""Which test a gate makes of win, tie and loss: exact by item, cluster-robust by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.clustered import mean_test
from judgecli.analysis.gate.exact import LEVEL, item_test
from judgecli.analysis.gate.shuffled import Bounds, Means, shuffled_bounds
from judgecli.types import GateTest

# Groups that speak against a conclusion before Student's t is believed: with fewer, a candidate that breaks
# in one group of ten passes far more often than alpha says.
_MIN_AGAINST, _MIN_SHARE_AGAINST = 5, 0.1


def outcome_test(
    values: Sequence[float], groups: Sequence[str] | None, field: str, threshold: float
) -> GateTest:
    """Test outcomes (a win 1, a tie 1/2, a loss 0) against a threshold; `groups` has one key an outcome.

    By group the worse of the tests counts: the cluster-robust one, the one that takes the items to be
    independent, as groups add no evidence, and a bet on the means of whole groups where few of those are on
    the other side. Student's t knows nothing of what happens to one group in twenty and has not been seen.
    """
    n, wins, losses = len(values), sum(one == 1 for one in values), sum(one == 0 for one in values)
    by_item = item_test(wins, losses, n, threshold)
    if groups is None or by_item.p_above is None:
        return by_item
    by_group = mean_test(np.array(values, dtype=np.float64), Units.of(groups, field), threshold)
    if by_group.p_above is None:
        return by_group
    return _bet_on(by_group, group_means(values, groups), by_item, threshold)


def group_means(values: Sequence[float], groups: Sequence[str]) -> Means:
    """Return the mean of each group, in the order of their names."""
    of_group: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        of_group.setdefault(group, []).append(value)
    ordered = [of_group[group] for group in sorted(of_group)]
    sizes = np.array([len(one) for one in ordered], dtype=np.float64)
    return Means(np.array([sum(one) for one in ordered], dtype=np.float64) / sizes, sizes)


def _bet_on(by_group: GateTest, means: Means, by_item: GateTest, threshold: float) -> GateTest:
    """Return the test by group, on a side that few groups speak against no surer than a bet, nor by item."""
    n_groups, tested = len(means.values), worse_of(by_group, by_item)
    enough = max(_MIN_AGAINST, n_groups * _MIN_SHARE_AGAINST)
    n_under, n_over = int((means.values < threshold).sum()), int((means.values > threshold).sum())
    if min(n_under, n_over) >= enough:
        return tested
    bet = shuffled_bounds(means, threshold, 1 - LEVEL)
    if np.ptp(means.values) == 0:
        # all alike they leave Student's t nothing to go by; whole wins, ties or losses have an exact test
        return tested if means.values[0] in {0.0, 0.5, 1.0} else worse_of(_by_bet(by_group, bet), by_item)
    said = []
    if n_under < enough:
        tested = worse_of(tested, replace(tested, lower=bet.lower, p_above=bet.p_above))
        said.append(f"the lower one by a bet, as only {n_under} of {n_groups} groups are under the threshold")
    if n_over < enough:
        tested = worse_of(tested, replace(tested, upper=bet.upper, p_below=bet.p_below))
        said.append(f"the upper one by a bet, as only {n_over} of {n_groups} groups are over the threshold")
    method = f"{tested.method}, and a bet on the groups' means"
    return replace(tested, method=method, bounds=f"{tested.bounds}, {', '.join(said)}")


def _by_bet(by_group: GateTest, bet: Bounds) -> GateTest:
    return replace(
        by_group,
        lower=bet.lower,
        upper=bet.upper,
        p_above=bet.p_above,
        p_below=bet.p_below,
        method="a bet on the groups' means, which are all alike",
    )


def worse_of(test: GateTest, limit: GateTest) -> GateTest:
    """Return a test that is nowhere surer than another one; both have values.

    So it is with groups and their items: groups add no evidence, and a design effect under 1 is chance.
    """
    pairs = (
        (test.lower, limit.lower, min),
        (test.upper, limit.upper, max),
        (test.p_above, limit.p_above, max),
        (test.p_below, limit.p_below, max),
    )
    lower, upper, p_above, p_below = (
        worse(one, other) for one, other, worse in pairs if one is not None and other is not None
    )
    return replace(test, lower=lower, upper=upper, p_above=p_above, p_below=p_below)
