"""Which test a gate makes of win, tie and loss: exact by item, cluster-robust by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.clustered import mean_test
from judgecli.analysis.gate.exact import item_test
from judgecli.analysis.gate.shuffled import shuffled_bounds
from judgecli.types import GateTest

_EVEN = 0.5
_LEVEL = 0.95
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


def group_means(values: Sequence[float], groups: Sequence[str]) -> list[float]:
    """Return the mean of each group, in the order of their names."""
    of_group: dict[str, list[float]] = {}
    for value, group in zip(values, groups, strict=True):
        of_group.setdefault(group, []).append(value)
    return [sum(of_group[group]) / len(of_group[group]) for group in sorted(of_group)]


def _bet_on(by_group: GateTest, means: Sequence[float], by_item: GateTest, threshold: float) -> GateTest:
    """Return the test by group, on a side that few groups speak against no surer than a bet, nor by item."""
    enough = max(_MIN_AGAINST, len(means) * _MIN_SHARE_AGAINST)
    is_low_seen = sum(one < _EVEN for one in means) >= enough
    is_high_seen = sum(one > _EVEN for one in means) >= enough
    tested = worse_of(by_group, by_item)
    if (is_low_seen and is_high_seen) or len(set(means)) == 1:  # the test of groups all alike is exact
        return tested
    bet = shuffled_bounds(means, threshold, 1 - _LEVEL, seed=0)
    return worse_of(
        tested,
        replace(
            tested,
            lower=tested.lower if is_low_seen else bet.lower,
            upper=tested.upper if is_high_seen else bet.upper,
            p_above=tested.p_above if is_low_seen else bet.p_above,
            p_below=tested.p_below if is_high_seen else bet.p_below,
        ),
    )


def worse_of(by_group: GateTest, by_item: GateTest) -> GateTest:
    """Return the test by group, nowhere surer than the one by item.

    Groups add no evidence: a design effect under 1 is chance.
    """
    pairs = (
        (by_group.lower, by_item.lower, min),
        (by_group.upper, by_item.upper, max),
        (by_group.p_above, by_item.p_above, max),
        (by_group.p_below, by_item.p_below, max),
    )
    lower, upper, p_above, p_below = (
        worse(one, other) for one, other, worse in pairs if one is not None and other is not None
    )
    return replace(by_group, lower=lower, upper=upper, p_above=p_above, p_below=p_below)
