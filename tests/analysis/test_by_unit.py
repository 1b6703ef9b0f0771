"""Intervals by item and by group."""

import numpy as np
import pytest

from judgecli.analysis.by_unit import (
    cluster_interval,
    difference_by_unit,
    mean_by_unit,
    resampled_by_unit,
    share_by_unit,
)
from judgecli.analysis.intervals import tango_interval, wilson_interval
from tests.analysis.compared import units

pytestmark = pytest.mark.filterwarnings("error")


def clustered(seed=0, n_groups=40, m=5):
    """Verdicts (0, 1/2, 1) of items that share a group's luck; those of the worked example with seed 0."""
    draw = np.random.default_rng(seed)
    luck, values = draw.normal(0, 0.9, n_groups), []
    for group in range(n_groups):
        latent = luck[group] + draw.normal(0.15, 1, m)
        values += list(np.where(latent > 0.3, 1, np.where(latent < -0.3, 0, 0.5)))
    return np.array(values), [group for group in range(n_groups) for _ in range(m)]


def test_worked_example_of_a_clustered_mean():
    values, groups = clustered()
    low, high = cluster_interval(values, units(200, groups))
    t_39 = 2.0227
    assert (high - low) / 2 / t_39 == pytest.approx(0.0457, abs=1e-4)
    assert (low + high) / 2 == pytest.approx(values.mean())


def test_clustered_interval_equals_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    stats = pytest.importorskip("scipy.stats")
    values, groups = clustered(seed=4)
    low, high = cluster_interval(values, units(200, groups))
    fit = api.OLS(values, np.ones(200)).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 39) * fit.bse[0])


def test_resamples_by_group_spread_as_the_clustered_error_says():
    values, groups = clustered()
    drawn = resampled_by_unit(np.column_stack([values, np.ones(200)]), units(200, groups))
    assert (drawn[:, 0] / drawn[:, 1]).std() == pytest.approx(0.0453, abs=0.002)


def test_resamples_by_item_draw_equal_items_as_often_as_others():
    rows = np.array([[1.0, 0], [1, 0], [1, 0], [0, 1]])
    drawn = resampled_by_unit(rows, units(4))
    assert (drawn.sum(axis=1) == 4).all()
    assert drawn[:, 0].mean() == pytest.approx(3, abs=0.05)
    assert drawn[:, 0].var() == pytest.approx(4 * 0.75 * 0.25, rel=0.1)


def test_groups_of_one_item_each_are_nearly_items():
    hits = np.arange(100) % 3 == 0
    by_item = share_by_unit("share", hits, units(100), absent="none")
    by_group = share_by_unit("share", hits, units(100, range(100)), absent="none")
    assert (by_group.low, by_group.high) == pytest.approx((by_item.low, by_item.high), abs=0.01)


def test_share_by_item_is_wilsons():
    hits = np.arange(50) < 20
    found = share_by_unit("share", hits, units(50), absent="none")
    assert (found.low, found.high) == wilson_interval(20, 50)


def test_alike_in_all_groups_a_group_is_one_observation():
    found = share_by_unit("share", np.ones(90, dtype=bool), units(90, np.arange(90) % 9), absent="none")
    assert found.value == 1
    assert (found.low, found.high) == wilson_interval(9, 9)
    assert "9 groups by topic" in found.method
    never = share_by_unit("share", np.zeros(90, dtype=bool), units(90, np.arange(90) % 9), absent="none")
    assert (never.low, never.high) == wilson_interval(0, 9)


def test_intervals_stay_within_what_can_be():
    values, groups = np.array([1.0] * 39 + [0.0]), np.arange(40) % 10
    found = mean_by_unit("mean", values, units(40, groups), absent="none")
    assert found.high == 1
    assert found.low < 0.975


@pytest.mark.parametrize("n_groups", [1, 2, 7])
def test_few_groups_have_no_interval(n_groups):
    found = mean_by_unit("mean", np.arange(14.0) / 14, units(14, np.arange(14) % n_groups), absent="none")
    assert found.value == pytest.approx(np.mean(np.arange(14) / 14))
    assert (found.low, found.high) == (None, None)
    assert found.method.endswith(f"{n_groups} group{'s' * (n_groups > 1)} by topic, at least 8 are needed")


def test_eight_groups_have_an_interval():
    found = mean_by_unit("mean", np.arange(16.0) / 16, units(16, np.arange(16) % 8), absent="none")
    assert found.low < found.value < found.high


def test_nothing_is_absent_with_its_reason():
    for measure in (share_by_unit, mean_by_unit, difference_by_unit):
        for own in (units(0), units(0, [])):
            found = measure(
                "x", np.zeros(0, dtype=bool if measure is share_by_unit else float), own, absent="no"
            )
            assert (found.value, found.low, found.n, found.method) == (None, None, 0, "no")


def test_differences_of_right_and_wrong_are_tangos():
    found = difference_by_unit(
        "d", np.array([1.0] * 20 + [0.0] * 100 + [-1.0] * 40), units(160), absent="none"
    )
    assert found.value == pytest.approx(-0.125)
    assert (found.low, found.high) == tango_interval(20, 40, 160)
    assert (found.low, found.high) == pytest.approx((-0.21806, -0.03086), abs=5e-6)


def test_differences_of_half_a_point_are_a_share_less_a_half():
    found = difference_by_unit("d", np.array([0.5] * 30 + [-0.5] * 10), units(40), absent="none")
    low, high = wilson_interval(30, 40)
    assert found.value == 0.25
    assert (found.low, found.high) == pytest.approx((low - 0.5, high - 0.5))


def test_always_better_is_shown_to_be_better_in_groups_too():
    groups = np.arange(60) % 20
    for value in (1.0, 0.5):
        found = difference_by_unit("d", np.full(60, value), units(60, groups), absent="none")
        assert 0 < found.low < found.value == value
    assert difference_by_unit("d", np.zeros(60), units(60, groups), absent="none").low < 0


def test_other_differences_have_a_t_interval():
    found = difference_by_unit("d", np.array([1.0, 0.5, -0.5, 0.0] * 10), units(40), absent="none")
    assert found.value == 0.25
    assert "t interval" in found.method
