"""PPI++: people's mean from some labels and a judge's verdicts on all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from judgecli.analysis.trust.ppi import PoweredMean, power_tuning, powered_estimate, powered_mean
from judgecli.types import Estimate

Array = NDArray[np.float64]
Points = st.sampled_from([0.0, 0.5, 1.0])


def drawn(draw: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Draw what people say, whose mean is 0.55, and a judge who says the same of five in six."""
    people = draw.choice([0, 0.5, 1], p=[0.35, 0.2, 0.45], size=n)
    judge = np.where(draw.random(n) < 0.75, people, draw.choice([0, 0.5, 1], size=n))
    return people, judge


def estimate(labels: Array, judged: Array, others: Array) -> Estimate:
    return powered_estimate("win_rate", powered_mean(labels, judged, others))


@pytest.fixture
def sample() -> tuple[Array, Array, Array]:
    """100 labels and 1,000 other verdicts."""
    draw = np.random.default_rng(5)
    labels, judged = drawn(draw, 100)
    return labels, judged, drawn(draw, 1000)[1]


def test_the_worked_example(sample) -> None:
    mean = powered_mean(*sample)
    assert mean is not None
    assert (round(mean.tuning, 4), round(mean.value, 4)) == (0.7621, 0.5518)
    half = 1.959964 * mean.standard_error
    assert (round(mean.value - half, 4), round(mean.value + half, 4)) == (0.5031, 0.6005)
    assert round(sample[2].mean(), 3) == 0.523


def test_it_is_ppi_pythons(sample) -> None:
    ppi = pytest.importorskip("ppi_py")
    mean = powered_mean(*sample)
    assert mean is not None
    assert mean.value == pytest.approx(ppi.ppi_mean_pointestimate(*sample)[0], abs=1e-12)
    low, high = ppi.ppi_mean_ci(*sample, alpha=0.05)
    half = 1.959963984540054 * mean.standard_error
    assert (mean.value - half, mean.value + half) == pytest.approx((low[0], high[0]), abs=1e-9)
    # Told a tail but no lambda, the package forgets the tail; with lambda it gives the right bound.
    low, _ = ppi.ppi_mean_ci(*sample, alpha=0.1, alternative="larger", lam=mean.tuning)
    assert low[0] == pytest.approx(mean.value - 1.2815515655446004 * mean.standard_error, abs=1e-9)
    assert round(float(low[0]), 4) == 0.52


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(Points, Points), min_size=3, max_size=30).filter(lambda rows: len(set(rows)) > 2),
    st.lists(Points, min_size=2, max_size=60),
)
def test_it_is_ppi_pythons_for_any_verdicts(rows: list[tuple[float, float]], others: list[float]) -> None:
    ppi = pytest.importorskip("ppi_py")
    labels, judged = np.array(rows).T
    mean = powered_mean(labels, judged, np.array(others))
    assert mean is not None
    if np.concatenate([judged, others]).var() > 0:
        assert mean.value == pytest.approx(ppi.ppi_mean_pointestimate(labels, judged, np.array(others))[0])


def test_a_judge_who_is_always_right_is_used_and_one_at_random_is_not() -> None:
    draw = np.random.default_rng(1)
    labels = draw.choice([0, 0.5, 1], size=5000)
    others = draw.choice([0, 0.5, 1], size=500_000)
    assert power_tuning(labels, labels, others) == pytest.approx(1, abs=0.03)
    assert power_tuning(labels, draw.permutation(labels), others) == pytest.approx(0, abs=0.03)
    assert power_tuning(labels, 1 - labels, others) == 0  # not a judge to be turned round


def test_a_judge_helps() -> None:
    draw = np.random.default_rng(2)
    labels, judged = drawn(draw, 150)
    with_judge = estimate(labels, judged, drawn(draw, 3000)[1])
    alone = estimate(labels, judged, np.array([]))
    assert with_judge.high - with_judge.low < 0.75 * (alone.high - alone.low)


def test_without_other_verdicts_it_is_the_mean_of_the_labels() -> None:
    mean = powered_mean(np.array([1, 0, 1, 1.0]), np.array([1, 1, 1, 0.0]), np.array([]))
    assert mean == PoweredMean(value=0.75, standard_error=pytest.approx(0.1875**0.5 / 2), tuning=0.0, n=4)


def test_few_labels_are_given_students_quantile() -> None:
    mean = {n: PoweredMean(value=0.5, standard_error=0.01, tuning=0.5, n=n) for n in (20, 199, 200)}
    widths = {n: one.high - 0.5 for n, one in ((n, powered_estimate("m", m)) for n, m in mean.items())}
    assert widths[20] == pytest.approx(0.02093, abs=1e-5)
    assert widths[199] == pytest.approx(0.01972, abs=1e-5)
    assert widths[200] == pytest.approx(0.0195996, abs=1e-6)


def test_the_interval_stays_within_0_and_1() -> None:
    wide = powered_estimate("m", PoweredMean(value=0.98, standard_error=0.1, tuning=1.0, n=30))
    assert wide.high == 1.0
    beyond = powered_estimate("m", PoweredMean(value=1.02, standard_error=0.01, tuning=1.0, n=30))
    assert (beyond.value, beyond.high) == (1.0, 1.0)


def test_no_labels_give_no_value_and_equal_ones_no_interval() -> None:
    none = estimate(np.array([]), np.array([]), np.array([1.0]))
    assert (none.value, none.n, none.method) == (None, 0, "no labels")
    equal = estimate(np.ones(30), np.ones(30), np.ones(100))
    assert (equal.value, equal.low) == (1.0, None)
    assert "no spread" in equal.method


def test_a_hundred_labels_cover_as_often_as_they_say() -> None:
    draw, n_covered, n_repetitions = np.random.default_rng(3), 0, 1000
    for _ in range(n_repetitions):
        labels, judged = drawn(draw, 100)
        found = estimate(labels, judged, drawn(draw, 500)[1])
        n_covered += found.low <= 0.55 <= found.high
    # 0.95 and two and a half standard errors of 1,000 repetitions on either side
    assert abs(n_covered / n_repetitions - 0.95) <= 0.0172
