"""Lengths of the answers, and whether verdicts go with them."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from judgecli.analysis import summarise
from judgecli.analysis.lengths import correlation_p, mean_ranks, spearman
from judgecli.types import DecidedBy
from tests.analysis.made_up import pair, record

pytestmark = pytest.mark.filterwarnings("error")

values = st.lists(st.integers(min_value=0, max_value=8), min_size=3, max_size=40)


@given(x=values)
def test_equal_values_share_their_mean_rank(x):
    assert mean_ranks(x).tolist() == rankdata(x).tolist()


@given(pairs=st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 0.5, 1])), min_size=4, max_size=40))
def test_correlation_and_p_equal_scipy(pairs):
    x, y = zip(*pairs, strict=True)
    assume(len(set(x)) > 1)
    assume(len(set(y)) > 1)
    expected = spearmanr(x, y)
    rho = spearman(x, y)
    assert rho == pytest.approx(expected.statistic, abs=1e-12)
    assume(abs(rho) < 0.999999)
    assert correlation_p(rho, len(x)) == pytest.approx(expected.pvalue, abs=1e-9)


def test_perfect_correlation_has_a_p_value_of_zero():
    assert correlation_p(1.0, 20) == correlation_p(-1.0, 20) == 0


def test_candidate_that_wins_when_longer():
    longer = [pair(f"q{n}", "a", "b" * (n + 1)) for n in range(1, 7)]
    shorter = [pair(f"q{n}", "a" * n, "b") for n in range(7, 13)]
    summary = summarise(record(["BB"] * 6 + ["AA"] * 6, pairs=longer + shorter))
    assert summary.lengths.correlation.value > 0.8
    assert summary.lengths.correlation.p_value < 0.01
    assert summary.lengths.candidate_longer.value == 0.5


def test_few_pairs_have_a_correlation_but_no_p_value():
    pairs = [pair("q1", "aaa", "b"), pair("q2", "aa", "b"), pair("q3", "a", "bb")]
    estimate = summarise(record(["AA", "TT", "BB"], pairs=pairs)).lengths.correlation
    assert (estimate.value, estimate.p_value, estimate.n) == (pytest.approx(1), None, 3)


@pytest.mark.parametrize(
    ("cases", "reason"),
    [
        (["BB", "AA"], "fewer than three judged pairs"),
        (["BB"] * 5, "verdicts or lengths do not vary"),
        (["BB", "AA", "TT"], "verdicts or lengths do not vary"),
        ([DecidedBy.EMPTY_A] * 5, "fewer than three judged pairs"),
    ],
)
def test_correlation_that_is_not_defined_says_why(cases, reason):
    estimate = summarise(record(cases)).lengths.correlation
    assert (estimate.value, estimate.p_value, estimate.method) == (None, None, reason)


def test_no_pairs():
    lengths = summarise(record([])).lengths
    assert lengths.candidate_longer.value is None
    assert lengths.candidate_longer.method == "no pairs"
