"""From what confidence on verdicts are certified: the bound on the risk, and the walk down the thresholds."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from judgecli.analysis.trust.certify import GRID, MIN_ITEMS, certified, fixed_sequence, risk_bound
from judgecli.types import Step


@pytest.mark.parametrize(
    ("k", "n", "bound"), [(7, 100, 0.114903), (2, 50, 0.103), (14, 200, 0.0991), (3, 37, 0.1717)]
)
def test_the_bound_at_nine_in_ten(k: int, n: int, bound: float) -> None:
    assert round(risk_bound(k, n, 0.1), len(str(bound)) - 2) == bound


@pytest.mark.parametrize(("risk", "delta", "n"), [(0.1, 0.1, 22), (0.2, 0.1, 11), (0.1, 0.05, 29)])
def test_so_many_items_without_an_error_are_the_fewest_that_certify(
    risk: float, delta: float, n: int
) -> None:
    assert next(n for n in count(1) if risk_bound(0, n, delta) <= risk) == n


@pytest.mark.parametrize(("k", "n"), [(5, 5), (1, 1), (0, 0)])
def test_where_all_are_wrong_or_there_are_none_the_risk_may_be_anything(k: int, n: int) -> None:
    assert risk_bound(k, n, 0.1) == 1.0


@given(n=st.integers(1, 500), data=st.data(), delta=st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_the_bound_is_scipys_for_every_count(n: int, data: st.DataObject, delta: float) -> None:
    k = data.draw(st.integers(0, n - 1))
    bound = risk_bound(k, n, delta)
    assert bound == pytest.approx(binomtest(k, n).proportion_ci(1 - 2 * delta, "exact").high, abs=1e-9)
    assert binom.cdf(k, n, bound) == pytest.approx(delta, abs=1e-9)


def test_the_grid_is_fixed_and_falls_to_where_three_outcomes_are_alike() -> None:
    assert GRID[:3] == (0.99, 0.975, 0.95)
    assert GRID[-1] == 0.35
    assert list(GRID) == sorted(set(GRID), reverse=True)


def steps(*blocks: tuple[float, int, int], agree: float = 0.8) -> tuple[Step, ...]:
    """Test blocks of a confidence, how many items have it, and how many of them are wrong."""
    confidences = [confidence for confidence, n, _ in blocks for _ in range(n)]
    wrong = [place < k for _, n, k in blocks for place in range(n)]
    return fixed_sequence(confidences, wrong, agree=agree, confidence=0.9)


def test_the_lowest_threshold_before_the_first_failure_is_certified() -> None:
    walked = steps((0.96, 50, 2), (0.81, 50, 4), (0.7, 50, 30))
    assert certified(walked) == 0.725
    assert walked[0] == Step(threshold=0.95, n=50, k=2, bound=risk_bound(2, 50, 1 - 0.9), passed=True)
    last = walked[-1]
    assert (last.threshold, last.n, last.k, last.passed) == (0.7, 150, 36, False)
    assert all(step.passed for step in walked[:-1])


def test_nothing_is_tested_after_a_failure() -> None:
    # a hundred right ones further down would make the whole pass again
    walked = steps((0.96, 40, 12), (0.8, 100, 0))
    assert [step.passed for step in walked] == [False]
    assert risk_bound(12, 140, 0.1) < 0.2
    assert certified(walked) is None


def test_thresholds_with_too_few_items_are_passed_over() -> None:
    walked = steps((0.995, MIN_ITEMS - 1, 20), (0.9, 300, 0))
    assert walked[0].threshold == 0.9
    assert certified(walked) == 0.35


def test_an_item_at_a_threshold_counts_there() -> None:
    assert steps((0.9, 40, 0))[0].threshold == 0.9


def test_where_no_threshold_has_enough_items_nothing_is_certified() -> None:
    assert steps((0.9, MIN_ITEMS - 1, 0)) == ()
    assert certified(()) is None


@pytest.mark.parametrize("slope", [0.0, 0.4])
def test_what_is_certified_holds_in_nine_of_ten_repetitions(slope: float) -> None:
    """The agreement at a confidence c is 0.72 + slope (c - 2/3); with no slope every threshold is too low."""
    draw, n_failed, n_repetitions = np.random.default_rng(4), 0, 600
    for _ in range(n_repetitions):
        c = draw.uniform(1 / 3, 1, 100)
        wrong = draw.random(100) > 0.72 + slope * (c - 2 / 3)
        threshold = certified(fixed_sequence(c, wrong, agree=0.75, confidence=0.9))
        if threshold is not None:
            middle = (threshold + 1) / 2
            n_failed += 0.72 + slope * (middle - 2 / 3) < 0.75
    # 0.1 and two standard errors of 600 repetitions
    assert n_failed / n_repetitions <= 0.1 + 2 * 0.0122
    assert n_failed > 0  # it is a guarantee, not an impossibility
