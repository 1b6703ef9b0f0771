"""Pearson, Spearman and Kendall, weighed as a resample weighs them."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecli.analysis.agreement.correlations import score_agreement
from judgecli.analysis.agreement.kendall import Concordance
from tests.analysis.compared import units

pytestmark = pytest.mark.filterwarnings("error")

HUMAN = [9, 8, 7, 7, 5, 4, 8, 6, 3, 10]
JUDGE = [8, 8, 7, 6, 6, 3, 9, 6, 4, 9]
NAMES = ("pearson", "spearman", "kendall")


def agreement(scores, labels, groups=None):
    x, y = np.array(scores, dtype=float), np.array(labels, dtype=float)
    return score_agreement(x, y, units(len(x), groups))


def values(found):
    return [getattr(found, name).value for name in NAMES]


def test_worked_example():
    assert values(agreement(JUDGE, HUMAN)) == pytest.approx([0.9185, 0.9255, 0.8198], abs=5e-5)


@pytest.mark.parametrize("step", [None, 0.5, 2.0])
def test_random_scores_equal_scipy(step):
    stats = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(7)
    x = draw.normal(size=300)
    y = x + draw.normal(size=300)
    if step:
        x, y = np.round(x / step), np.round(y / step)
    assert values(agreement(x, y)) == pytest.approx(
        [stats.pearsonr(x, y)[0], stats.spearmanr(x, y)[0], stats.kendalltau(x, y)[0]]
    )


@pytest.mark.parametrize("is_grouped", [False, True])
def test_intervals_are_those_of_drawing_scores_again(is_grouped):
    stats = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(1)
    x = draw.integers(1, 11, 80).astype(float)
    y = np.clip(x + draw.integers(-4, 5, 80), 1, 10)
    groups = np.arange(80) // (4 if is_grouped else 1)
    found = agreement(x, y, groups if is_grouped else None)
    drawn = []
    for _ in range(600):
        picked = draw.integers(0, groups.max() + 1, groups.max() + 1)
        rows = np.concatenate([np.flatnonzero(groups == group) for group in picked])
        a, b = x[rows], y[rows]
        drawn.append([stats.pearsonr(a, b)[0], stats.spearmanr(a, b)[0], stats.kendalltau(a, b)[0]])
    expected = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert [getattr(found, name).low for name in NAMES] == pytest.approx(expected[0], abs=0.03)
    assert [getattr(found, name).high for name in NAMES] == pytest.approx(expected[1], abs=0.03)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=25))
def test_concordant_pairs_are_counted_as_by_looking_at_each(points):
    x, y, weights = (np.array(side) for side in zip(*points, strict=True))
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    expected = (signs * np.outer(weights, weights)).sum() / 2
    x_codes, y_codes = (np.unique(side, return_inverse=True)[1] for side in (x, y))
    found = Concordance.of(x_codes, y_codes).excess(np.column_stack([weights, 2 * weights]).astype(float))
    assert found.tolist() == [expected, 4 * expected]


def test_what_does_not_vary_has_no_correlation():
    for found in (agreement([5, 5, 5, 5], [1, 2, 3, 4]), agreement([1, 2, 3], [0.1, 0.1, 0.1])):
        assert values(found) == [None, None, None]
        assert found.kendall.method == "scores or labels do not vary"


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-9, 1e14, 1e155])
def test_the_scale_of_scores_changes_nothing(scale):
    found = agreement([scale * score for score in JUDGE], HUMAN)
    # numbers as small as 1e-320 have three digits left
    assert values(found) == pytest.approx(
        values(agreement(JUDGE, HUMAN)), abs=1e-2 if scale < 1e-300 else 1e-9
    )
    assert found.pearson.low == pytest.approx(agreement(JUDGE, HUMAN).pearson.low, abs=1e-2)


def test_scores_far_from_0_vary_as_much_as_near_it():
    near, far = agreement(JUDGE, HUMAN), agreement([10_000_000 + score / 1000 for score in JUDGE], HUMAN)
    assert values(far) == pytest.approx(values(near), abs=1e-6)


def test_fewer_than_three_items_have_none():
    for n in (0, 2):
        found = agreement(range(n), range(n))
        assert values(found) == [None, None, None]
        assert found.pearson.n == n


def test_one_direction_throughout_is_one():
    found = agreement(range(20), [3 * k + 1 for k in range(20)])
    assert values(found) == pytest.approx([1, 1, 1])
    assert found.spearman.low is None
    assert values(agreement(range(20), range(20, 0, -1))) == pytest.approx([-1, -1, -1])


def test_few_groups_have_no_interval():
    found = agreement(JUDGE, HUMAN, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4])
    assert values(found) == pytest.approx([0.9185, 0.9255, 0.8198], abs=5e-5)
    assert found.kendall.low is None


def test_five_thousand_items_take_seconds_at_most():
    draw = np.random.default_rng(0)
    judge = draw.integers(1, 11, 5000).astype(float)
    human = judge + draw.normal(0, 3, 5000)
    began = time.process_time()
    found = agreement(judge, human)
    assert time.process_time() - began < 10
    assert found.kendall.low < found.kendall.value < found.kendall.high
