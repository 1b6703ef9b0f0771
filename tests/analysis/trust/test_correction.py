"""A share corrected by the judge's sensitivity and specificity."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.analysis.trust.correction import Rates, corrected_share


def rates(p: float, n: int, q0: float, n0: int, q1: float, n1: int) -> Rates:
    return Rates(k=round(p * n), n=n, k1=round(q1 * n1), n1=n1, k0=round(q0 * n0), n0=n0)


@pytest.mark.parametrize(
    ("given_rates", "value", "low", "high"),
    [
        (rates(0.4, 1000, 0.7, 200, 0.9, 200), 0.1667, 0.0564, 0.2627),
        (rates(0.58, 400, 0.8, 100, 0.8, 100), 0.6333, 0.5106, 0.7655),
    ],
)
def test_worked_examples(given_rates: Rates, value: float, low: float, high: float) -> None:
    found = corrected_share(given_rates)
    assert found.value is not None
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=5e-5)
    assert found.n == given_rates.n


def test_a_judge_without_errors_is_taken_at_its_word() -> None:
    assert corrected_share(Rates(k=30, n=100, k1=50, n1=50, k0=50, n0=50)).value == pytest.approx(0.3)


@pytest.mark.parametrize(("k0", "k1"), [(50, 50), (40, 50), (0, 100), (60, 40)])
def test_a_judge_no_better_than_chance_corrects_nothing(k0: int, k1: int) -> None:
    found = corrected_share(Rates(k=30, n=100, k1=k1, n1=100, k0=k0, n0=100))
    assert (found.value, found.low, found.high) == (None, None, None)
    assert "no better than chance" in found.method


def test_a_judge_whose_few_labels_leave_no_interval_corrects_nothing() -> None:
    # 1 + 1 of 10 sums to more than 1; with a success and a failure added on both sides, it is 2/3 + 1/6
    found = corrected_share(Rates(k=15, n=30, k1=1, n1=1, k0=1, n0=10))
    assert found.value is None
    assert "no better than chance" in found.method


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"n": 0, "k": 0}, "no decided pairs without a label, and it takes 20"),
        ({"n": 1, "k": 0}, "1 decided pair without a label, and it takes 20"),
        ({"n": 19, "k": 9}, "19 decided pairs without a label, and it takes 20"),
        ({"n1": 0, "k1": 0}, "the candidate in no labelled pair"),
        ({"n0": 0, "k0": 0}, "the baseline in no labelled pair"),
    ],
)
def test_out_of_nothing_comes_nothing(change: dict[str, int], why: str) -> None:
    found = corrected_share(Rates(**{"k": 30, "n": 100, "k1": 50, "n1": 50, "k0": 50, "n0": 50, **change}))
    assert found.value is None
    assert why in found.method


def test_twenty_other_pairs_are_enough_and_are_named() -> None:
    found = corrected_share(Rates(k=9, n=20, k1=50, n1=50, k0=50, n0=50))
    assert found.value == pytest.approx(0.45)
    assert found.method.startswith("20 decided pairs without a label, corrected by")


@given(st.data())
def test_share_and_interval_stay_within_0_and_1(data: st.DataObject) -> None:
    n, n1, n0 = (data.draw(st.integers(1, 60)) for _ in range(3))
    k, k1, k0 = (data.draw(st.integers(0, most)) for most in (n, n1, n0))
    found = corrected_share(Rates(k=k, n=n, k1=k1, n1=n1, k0=k0, n0=n0))
    if found.value is not None:
        assert found.low is not None
        assert found.high is not None
        assert 0 <= found.low <= found.high <= 1
        assert 0 <= found.value <= 1


def test_it_covers_at_its_level() -> None:
    draw, n_covered, n_repetitions, theta, q = np.random.default_rng(0), 0, 1000, 0.63, 0.8
    for _ in range(n_repetitions):
        n_yes = draw.binomial(400, theta)
        found = corrected_share(
            Rates(
                k=draw.binomial(n_yes, q) + draw.binomial(400 - n_yes, 1 - q),
                n=400,
                k1=draw.binomial(100, q),
                n1=100,
                k0=draw.binomial(100, q),
                n0=100,
            )
        )
        assert found.low is not None
        assert found.high is not None
        n_covered += found.low <= theta <= found.high
    assert n_covered / n_repetitions == pytest.approx(0.95, abs=0.0172)
