"""Krippendorff's alpha, nominal and interval, with ratings missing."""

import numpy as np
import pytest

from judgecli.analysis.agreement.krippendorff import NO_PAIRS, NO_SPREAD, alpha_interval, alpha_nominal
from tests.analysis.compared import from_table, units

pytestmark = pytest.mark.filterwarnings("error")

TABLE = ((50, 4, 11), (10, 8, 12), (9, 6, 70))


def nominal(ratings, own=None):
    given = np.array(ratings, dtype=float)
    return alpha_nominal("alpha", given, own or units(len(given)), n_classes=3)


def numbers(ratings):
    given = np.array(ratings, dtype=float)
    return alpha_interval("alpha", given, units(len(given)))


def example():
    return np.array([["ATB".index(letter) for letter in side] for side in from_table(TABLE)], dtype=float).T


def test_worked_example():
    assert nominal(example()).value == pytest.approx(0.5192, abs=5e-5)
    assert numbers(example()).value == pytest.approx(0.6357, abs=5e-5)


def test_its_interval_is_much_like_kappas():
    found = nominal(example())
    assert (found.low, found.high) == pytest.approx((0.412, 0.624), abs=0.012)


@pytest.mark.parametrize("n_raters", [2, 3, 6])
@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("distance", ["nominal", "interval"])
def test_random_ratings_equal_evalica(n_raters, missing, distance):
    evalica = pytest.importorskip("evalica")
    pandas = pytest.importorskip("pandas")
    draw = np.random.default_rng(n_raters)
    truth = draw.integers(0, 3, 80)
    noisy = np.where(draw.random((80, n_raters)) < 0.6, truth[:, None], draw.integers(0, 3, (80, n_raters)))
    ratings = np.where(draw.random((80, n_raters)) < missing, np.nan, noisy.astype(float))
    found = nominal(ratings) if distance == "nominal" else numbers(ratings * 2.5 + 1)
    known = ratings if distance == "nominal" else ratings * 2.5 + 1
    assert found.value == pytest.approx(evalica.alpha(pandas.DataFrame(known.T), distance=distance).alpha)


def test_an_item_with_one_rating_says_nothing():
    rated = [[0, 0], [1, 1], [0, 1], [2, 2]]
    assert nominal([*rated, [2, np.nan], [np.nan, np.nan]]).value == nominal(rated).value
    assert nominal([*rated, [2, np.nan], [np.nan, np.nan]]).n == 4


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e155])
def test_the_scale_changes_nothing(scale):
    rated = np.array([[1.0, 2], [3, 3], [5, 4], [2, 2]])
    assert numbers(scale * rated).value == pytest.approx(numbers(rated).value)
    assert numbers(np.full((4, 2), scale)).method == NO_SPREAD


def test_a_shift_changes_nothing_even_of_large_numbers():
    rated = np.array([[1.0, 2], [3, 3], [5, 4], [2, 2]])
    assert numbers(rated + 1e7).value == pytest.approx(numbers(rated).value, abs=1e-9)


def test_all_alike_has_no_alpha():
    for found in (nominal([[1, 1], [1, 1]]), numbers([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]])):
        assert (found.value, found.method) == (None, NO_SPREAD)


def test_no_two_ratings_of_anything_have_no_alpha():
    for found in (nominal([[1, np.nan]]), numbers([[np.nan, 1]]), nominal(np.zeros((0, 2)))):
        assert (found.value, found.n, found.method) == (None, 0, NO_PAIRS)


def test_full_agreement_is_one_and_below_chance_is_negative():
    assert nominal([[0, 0], [1, 1]]).value == 1
    assert nominal([[0, 1], [1, 0], [0, 1]]).value < 0


def test_by_group_intervals_do_not_narrow_when_items_repeat():
    groups = [str(k % 180) for k in range(720)]
    by_group = nominal(np.tile(example(), (4, 1)), units(720, groups))
    once = nominal(example())
    assert by_group.high - by_group.low == pytest.approx(once.high - once.low, rel=0.15)
