"""The win rate, its interval and its tests, against published and recomputed numbers."""

from math import erfc, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binomtest

from judgecli.analysis.intervals import tango_interval, tango_z, wilson_interval
from judgecli.analysis.winrate import (
    mcnemar_z,
    sign_exact_p,
    sign_midp,
    sign_test,
    sign_test_exact,
    win_rate,
    worst_case,
)
from judgecli.types import Counts, Failure

pytestmark = pytest.mark.filterwarnings("error")

numbers = st.integers(min_value=0, max_value=300)


def counts(win: int, tie: int, loss: int, failed: int = 0) -> Counts:
    return Counts(
        n_pairs=win + tie + loss + failed,
        n_judgments=2 * (win + tie + loss + failed),
        n_win=win,
        n_tie=tie,
        n_loss=loss,
        n_order_dependent=0,
        n_open=0,
        failures={Failure.UNREADABLE: failed} if failed else {},
    )


@pytest.mark.parametrize(
    ("wins", "losses", "n", "low", "high"),
    [
        (6, 16, 161, -0.1240, -0.0054),
        (3, 0, 3, -0.1230, 1),
        (1, 7, 21, -0.5172, -0.0260),
        (20, 40, 160, -0.21806, -0.03086),
    ],
)
def test_tango_interval_equals_published_examples(wins, losses, n, low, high):
    assert tango_interval(wins, losses, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(
    ("outcomes", "low", "high"),
    [
        ((90, 40, 70), 0.4880, 0.6103),
        ((0, 0, 10), 0, 0.2775),
        ((10, 0, 0), 0.7225, 1),
        ((0, 10, 0), 0.3612, 0.6388),
        ((0, 0, 1), 0, 0.7935),
        ((1, 0, 0), 0.2065, 1),
        ((60, 0, 40), 0.50200, 0.69060),
    ],
)
def test_win_rate_interval(outcomes, low, high):
    estimate = win_rate(counts(*outcomes))
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


def test_a_tie_is_half_a_win():
    estimate = win_rate(counts(90, 40, 70))
    assert estimate.value == 0.55
    assert estimate.n == 200


def test_failures_are_neither_losses_nor_ties_but_bound_the_win_rate():
    with_failures = counts(90, 40, 70, failed=20)
    assert win_rate(with_failures) == win_rate(counts(90, 40, 70))
    bounds = worst_case(with_failures)
    assert (bounds.low, bounds.value, bounds.high) == pytest.approx((110 / 220, 0.55, 130 / 220))
    assert bounds.n == 220


def test_without_failures_the_worst_case_is_the_win_rate():
    bounds = worst_case(counts(90, 40, 70))
    assert bounds.low == bounds.value == bounds.high == 0.55


@given(k=numbers, n=numbers)
def test_without_ties_tango_is_wilson(k, n):
    assume(k <= n)
    assume(n > 0)
    estimate = win_rate(counts(k, 0, n - k))
    assert (estimate.low, estimate.high) == pytest.approx(wilson_interval(k, n), abs=1e-8)


@given(k=numbers, n=numbers)
def test_wilson_interval_equals_scipy(k, n):
    assume(k <= n)
    assume(n > 0)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert wilson_interval(k, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(win=numbers, tie=numbers, loss=numbers)
def test_interval_leaves_out_one_half_exactly_if_mcnemar_rejects(win, tie, loss):
    assume(win + tie + loss > 0)
    z = mcnemar_z(win, loss)
    p = 1.0 if z is None else erfc(abs(z) / sqrt(2))
    assume(abs(p - 0.05) > 1e-9)
    estimate = win_rate(counts(win, tie, loss))
    assert (estimate.low > 0.5 or estimate.high < 0.5) == (p < 0.05)


@given(win=numbers, tie=numbers, loss=numbers)
def test_swapping_the_models_mirrors_the_win_rate(win, tie, loss):
    assume(win + tie + loss > 0)
    one, other = win_rate(counts(win, tie, loss)), win_rate(counts(loss, tie, win))
    assert one.value == pytest.approx(1 - other.value)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-9)
    assert 0 <= one.low <= one.value <= one.high <= 1


@given(win=numbers, tie=numbers, loss=numbers)
def test_score_statistic_at_zero_is_mcnemar(win, tie, loss):
    assume(win + loss > 0)
    assert tango_z(win, loss, win + tie + loss, 0) == pytest.approx(mcnemar_z(win, loss))


def test_score_statistic_of_nothing_decided_is_zero_at_zero():
    assert tango_z(0, 0, 10, 0) == 0


@pytest.mark.parametrize(
    "outcomes", [(0, 10**6, 0), (10**6, 0, 1), (1, 0, 10**6), (10**6 - 1, 1, 0), (0, 1, 10**6 - 1)]
)
def test_interval_holds_the_win_rate_in_very_large_runs(outcomes):
    estimate = win_rate(counts(*outcomes))
    assert 0 <= estimate.low < estimate.value < estimate.high <= 1


@pytest.mark.parametrize(
    ("wins", "losses", "exact", "midp"),
    [(90, 70, 0.13282, 0.11470), (36, 22, 0.0869, 0.0674), (5, 5, 1, 1), (6, 0, 0.03125, 0.015625)],
)
def test_sign_tests(wins, losses, exact, midp):
    assert sign_exact_p(wins, losses) == pytest.approx(exact, abs=5e-5)
    assert sign_midp(wins, losses) == pytest.approx(midp, abs=5e-5)


def test_mid_p_of_a_published_example():
    assert sign_midp(6, 16) == pytest.approx(0.034690, abs=5e-7)


def test_fewest_decided_pairs_that_can_be_significant():
    assert next(n for n in range(1, 20) if sign_exact_p(n, 0) < 0.05) == 6
    assert next(n for n in range(1, 20) if sign_midp(0, n) < 0.05) == 5


@given(wins=numbers, losses=numbers)
def test_exact_sign_test_equals_scipy_and_mid_p_is_never_larger(wins, losses):
    assume(wins + losses > 0)
    assert sign_exact_p(wins, losses) == pytest.approx(binomtest(wins, wins + losses).pvalue)
    assert sign_midp(wins, losses) <= sign_exact_p(wins, losses)


def test_mcnemar_of_the_worked_example():
    z = mcnemar_z(90, 70)
    assert erfc(z / sqrt(2)) == pytest.approx(0.11385, abs=5e-6)


def test_nothing_decided_has_no_evidence_either_way():
    assert sign_exact_p(0, 0) == sign_midp(0, 0) == 1
    assert mcnemar_z(0, 0) is None
    for test in (sign_test, sign_test_exact):
        estimate = test(counts(0, 10, 0))
        assert (estimate.value, estimate.p_value, estimate.n) == (None, None, 0)
        assert estimate.method == "no decided pairs"


@pytest.mark.parametrize("statistic", [win_rate, worst_case, sign_test, sign_test_exact])
def test_no_pairs_give_no_value_and_a_reason(statistic):
    estimate = statistic(counts(0, 0, 0))
    assert (estimate.value, estimate.low, estimate.high, estimate.p_value) == (None, None, None, None)
    assert estimate.method in {"no verdicts", "no decided pairs"}


def test_intervals_of_nothing_are_none():
    assert wilson_interval(0, 0) is None
    assert tango_interval(0, 0, 0) is None
