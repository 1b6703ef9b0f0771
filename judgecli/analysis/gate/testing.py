"""Which test a gate makes of win, tie and loss: exact by item, cluster-robust by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.clustered import mean_test
from judgecli.analysis.gate.exact import item_test
from judgecli.types import GateTest


def outcome_test(
    values: Sequence[float], groups: Sequence[str] | None, field: str, threshold: float
) -> GateTest:
    """Test outcomes (a win 1, a tie 1/2, a loss 0) against a threshold; `groups` has one key an outcome.

    By group the worse of two tests counts: the cluster-robust one, and the one that takes the items to be
    independent. Student's t knows little of few losses among many ties, and groups add no evidence.
    """
    n, wins, losses = len(values), sum(one == 1 for one in values), sum(one == 0 for one in values)
    by_item = item_test(wins, losses, n, threshold)
    if groups is None or by_item.p_above is None:
        return by_item
    by_group = mean_test(np.array(values, dtype=np.float64), Units.of(groups, field), threshold)
    return by_group if by_group.p_above is None else _worse(by_group, by_item)


def _worse(by_group: GateTest, by_item: GateTest) -> GateTest:
    """Return the test by group, nowhere surer than the one by item."""
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
