"""The soft win rate, from merged probabilities."""

from dataclasses import replace

import pytest
from scipy.stats import ttest_1samp

from judgecli.analysis import summarise
from judgecli.analysis.soft import soft_win_rate
from judgecli.types import DecidedBy
from tests.analysis.made_up import record, verdict

pytestmark = pytest.mark.filterwarnings("error")


def soft_verdict(p_b: float, p_tie: float, case="BB"):
    merged = verdict("q", case)
    return replace(merged, p_a=1 - p_b - p_tie, p_tie=p_tie, p_b=p_b)


def test_a_tie_counts_half():
    assert soft_win_rate([soft_verdict(0.375, 0.175)]).value == pytest.approx(1 - 0.5375)


def test_interval_is_students():
    verdicts = [soft_verdict(p, 0.1) for p in (0.2, 0.5, 0.55, 0.8)]
    expected = ttest_1samp([0.25, 0.55, 0.6, 0.85], 0).confidence_interval(0.95)
    estimate = soft_win_rate(verdicts)
    assert estimate.n == 4
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_interval_stays_within_0_and_1():
    estimate = soft_win_rate([soft_verdict(1, 0), soft_verdict(0.5, 0)])
    assert (estimate.low, estimate.value, estimate.high) == (0, 0.75, 1)


@pytest.mark.parametrize("verdicts", [[soft_verdict(0.6, 0)], [soft_verdict(0.6, 0)] * 5])
def test_without_spread_there_is_no_interval(verdicts):
    estimate = soft_win_rate(verdicts)
    assert estimate.value == pytest.approx(0.6)
    assert estimate.low is estimate.high is None


def test_failed_ruled_and_hard_only_pairs_do_not_count():
    ruled, failed = soft_verdict(1, 0, DecidedBy.EQUAL), soft_verdict(1, 0, "uu")
    assert soft_win_rate([soft_verdict(0.5, 0), ruled, failed, verdict("q", "AA")]).n == 1


def test_without_probabilities_there_is_no_value():
    soft = summarise(record(["uu"])).soft
    for estimate in (soft.win_rate, soft.mass, soft.p_unopened):
        assert (estimate.value, estimate.n, estimate.method) == (None, 0, "no probabilities")


def test_mass_is_a_mean_over_judgments():
    soft = summarise(record(["BB", "Bu"])).soft
    assert (soft.mass.value, soft.mass.n) == (pytest.approx(0.98), 3)
    assert (soft.p_unopened.value, soft.p_unopened.n) == (pytest.approx(0.01), 3)
