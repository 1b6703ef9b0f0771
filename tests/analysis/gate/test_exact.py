"""The exact unconditional test, against the worked numbers and a full enumeration."""

import time

import numpy as np
import pytest
from scipy.special import gammaln, xlogy
from scipy.stats import binomtest, norm
from scipy.stats import multinomial as trinomial

from judgecli.analysis.gate.exact import MAX_EXACT, Rejection, exact_p, item_test, p_above
from judgecli.analysis.intervals import tango_z
from judgecli.types import GateDecision


def enumerated(wins: int, losses: int, n: int, threshold: float, ties: np.ndarray) -> float:
    """Sum the probability of every outcome that Tango's score orders at or beyond the one observed."""
    delta = 2 * threshold - 1
    observed = tango_z(wins, losses, n, delta)
    outcomes = np.array([(w, n - w - k, k) for w in range(n + 1) for k in range(n + 1 - w)])
    extreme = outcomes[[tango_z(int(w), int(k), n, delta) >= observed - 1e-9 for w, _, k in outcomes]]
    chances = np.stack([(1 - ties + delta) / 2, ties, (1 - ties - delta) / 2]).clip(0, 1)
    ways = gammaln(n + 1) - gammaln(extreme + 1).sum(axis=1)
    logs = ways[:, None] + xlogy(extreme[:, :, None], chances[None]).sum(axis=1)
    return float(np.exp(logs).sum(axis=0).max())


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "threshold", "p"),
    [(90, 40, 70, 0.45, "0.00082"), (76, 40, 84, 0.45, "0.178"), (40, 25, 35, 0.45, "0.0441")],
)
def test_the_worked_numbers(wins, ties, losses, threshold, p) -> None:
    found = p_above(wins, losses, wins + ties + losses, threshold)
    assert f"{found:.{len(p) - 2}f}" == p


@pytest.mark.parametrize(
    ("wins", "losses", "z", "p"), [(90, 70, 3.172, 0.0008), (76, 84, 0.954, 0.170), (70, 90, 0, 0.5)]
)
def test_tangos_score_of_the_worked_numbers(wins, losses, z, p) -> None:
    assert tango_z(wins, losses, 200, -0.1) == pytest.approx(z, abs=5e-4)
    assert norm.sf(tango_z(wins, losses, 200, -0.1)) == pytest.approx(p, abs=5e-4)


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "decisions"),
    [
        (90, 40, 70, (GateDecision.PASS, GateDecision.PASS)),
        (76, 40, 84, (GateDecision.INCONCLUSIVE, GateDecision.PASS)),
        (70, 40, 90, (GateDecision.INCONCLUSIVE, GateDecision.INCONCLUSIVE)),
        (45, 30, 125, (GateDecision.FAIL, GateDecision.FAIL)),
    ],
)
def test_the_gate_at_margins_of_5_and_10_points(wins, ties, losses, decisions) -> None:
    tests = [item_test(wins, losses, wins + ties + losses, 0.5 - margin) for margin in (0.05, 0.10)]
    assert tuple(one.decide(0.05) for one in tests) == decisions


def test_bounds_are_tangos_for_display() -> None:
    test = item_test(90, 70, 200, 0.45)
    assert (test.theta, round(test.lower, 4), round(test.upper, 4)) == (0.55, 0.4980, 0.6008)
    assert round(item_test(76, 84, 200, 0.45).lower, 4) == 0.4285


@pytest.mark.parametrize("threshold", [0.45, 0.5, 0.3, 0.55])
@pytest.mark.parametrize("n", [1, 7, 20])
def test_it_is_the_sum_over_all_outcomes(n, threshold) -> None:
    ties = np.linspace(0, 1 - abs(2 * threshold - 1), 2001)
    draw = np.random.default_rng(n)
    for wins, _, losses in [*draw.multinomial(n, [0.4, 0.2, 0.4], size=6), (n, 0, 0), (0, n, 0), (0, 0, n)]:
        p = p_above(int(wins), int(losses), n, threshold)
        assert p == pytest.approx(enumerated(wins, losses, n, threshold, ties), abs=2e-5)
        assert p >= enumerated(wins, losses, n, threshold, ties) - 1e-7


@pytest.mark.parametrize(("n", "size"), [(20, 0.0407), (30, 0.0463)])
def test_the_error_stays_under_alpha_whatever_the_tie_rate(n, size) -> None:
    outcomes = np.array([(w, n - w - k, k) for w in range(n + 1) for k in range(n + 1 - w)])
    rejected = outcomes[[p_above(int(w), int(k), n, 0.45) <= 0.05 for w, _, k in outcomes]]
    sizes = [
        trinomial.pmf(rejected, n, (0.45 - t / 2, t, 0.55 - t / 2)).sum() for t in np.linspace(0, 0.9, 31)
    ]
    assert max(sizes) == pytest.approx(size, abs=1.5e-3)
    assert max(sizes) <= 0.05


def test_without_ties_it_is_no_surer_than_the_binomial_test() -> None:
    exact = binomtest(60, 100, 0.45, alternative="greater").pvalue
    assert p_above(60, 40, 100, 0.45) >= exact


def test_both_sides_mirror_each_other() -> None:
    test, mirrored = item_test(30, 50, 100, 0.45), item_test(50, 30, 100, 0.55)
    assert (test.p_above, test.p_below) == pytest.approx((mirrored.p_below, mirrored.p_above), rel=1e-9)


def test_beyond_1000_it_is_tangos() -> None:
    n = MAX_EXACT + 1
    assert p_above(450, 400, n, 0.45) == pytest.approx(norm.sf(tango_z(450, 400, n, -0.1)))
    assert item_test(450, 400, n, 0.45).method == "Tango score test"
    assert p_above(430, 440, MAX_EXACT, 0.45) == pytest.approx(p_above(430, 440, n, 0.45), rel=0.1)


def test_nothing_is_no_test() -> None:
    test = item_test(0, 0, 0, 0.45)
    assert (test.n, test.theta, test.p_above, test.method) == (0, None, None, "no verdicts")
    assert test.decide(0.05) is GateDecision.INCONCLUSIVE


@pytest.mark.parametrize("outcome", [(0, 0), (200, 0), (0, 200), (1, 0), (0, 1)])
def test_outcomes_at_the_ends_have_a_p_value(outcome) -> None:
    for threshold in (0.45, 0.5):
        test = item_test(*outcome, 200, threshold)
        assert 0 <= test.p_above <= 1
        assert 0 <= test.p_below <= 1


def test_it_is_fast() -> None:
    exact_p.cache_clear()
    started_s = time.perf_counter()
    p_above(90, 70, 200, 0.45)
    p_above(430, 440, 1000, 0.45)
    assert time.perf_counter() - started_s < 2  # 0.03 s on a quiet machine


@pytest.mark.parametrize(("n", "threshold"), [(25, 0.45), (25, 0.55), (40, 0.5)])
def test_what_is_rejected_is_known_from_few_p_values(n, threshold) -> None:
    outcomes = [(w, k) for w in range(n + 1) for k in range(n + 1 - w)]
    np.random.default_rng(0).shuffle(outcomes)
    known = Rejection(n, threshold, 0.04)
    assert all(
        known.holds(int(w), int(k)) == (p_above(int(w), int(k), n, threshold) <= 0.04) for w, k in outcomes
    )
