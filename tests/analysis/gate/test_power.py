"""Sample sizes and the smallest margin, against the table and exact power."""

from bisect import bisect_left
from math import ceil, inf, nan

import numpy as np
import pytest
from scipy.stats import binom, multinomial, norm

from judgecli.analysis import gate_power
from judgecli.analysis.gate.exact import p_above, rejection
from judgecli.analysis.gate.power import n_for_half_width, n_to_prove, smallest_margin, smallest_win_rate
from judgecli.analysis.intervals import tango_z
from judgecli.errors import UsageError
from judgecli.types import GateKind

TIES = (0, 0.3, 0.6)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        (0.52, (4904, 3432, 1960)),
        (0.55, (783, 548, 312)),
        (0.60, (194, 135, 77)),
        (0.65, (85, 59, 33)),
        (0.70, (47, 32, 18)),
    ],
)
def test_pairs_to_detect_a_difference_on_two_sides(truth, expected) -> None:
    needed = [n_to_prove(0.5, truth, t, alpha=0.025, power=0.8) for t in TIES]
    assert tuple(map(ceil, needed)) == expected


@pytest.mark.parametrize(
    ("margin", "truth", "expected"),
    [
        (0.03, 0.5, (1714, 1199, 683)),
        (0.05, 0.5, (615, 429, 244)),
        (0.10, 0.5, (151, 105, 58)),
        (0.05, 0.55, (154, 107, 61)),
    ],
)
def test_pairs_to_show_no_worse(margin, truth, expected) -> None:
    found = [gate_power(GateKind.NO_WORSE, margin, tie_rate=t, truth=truth).n_needed for t in TIES]
    assert tuple(found) == expected


@pytest.mark.parametrize(("half", "expected"), [(0.05, (385, 269, 154)), (0.03, (1068, 747, 427))])
def test_pairs_for_an_interval(half, expected) -> None:
    assert tuple(n_for_half_width(half, t) for t in TIES) == expected


@pytest.mark.parametrize(("tie_rate", "n", "power"), [(0.3, 105, 0.800), (0, 151, 0.792), (0.6, 58, 0.778)])
def test_exact_power_is_near_what_was_planned(tie_rate, n, power) -> None:
    outcomes = np.array([(w, n - w - k, k) for w in range(n + 1) for k in range(n + 1 - w)])
    passes = [tango_z(int(w), int(k), n, -0.2) >= norm.ppf(0.95) for w, _, k in outcomes]
    p = ((1 - tie_rate) / 2, tie_rate, (1 - tie_rate) / 2)
    assert multinomial.pmf(outcomes[passes], n, p).sum() == pytest.approx(power, abs=1e-3)


def test_the_smallest_margin_that_200_pairs_prove() -> None:
    margins = [gate_power(GateKind.NO_WORSE, 0.05, tie_rate=t, n=200).smallest_margin for t in (0, 0.2)]
    assert [round(100 * margin, 1) for margin in margins] == [8.7, 7.8]
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.2, n=200).n_needed == 491
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.2, n=200).n_more == 291


def test_the_smallest_margin_needs_as_many_pairs_as_there_are() -> None:
    margin = smallest_margin(350, 0.25, truth=0.49, alpha=0.05, power=0.9)
    needed = n_to_prove(0.5 - margin, 0.49, 0.25, alpha=0.05, power=0.9)
    assert needed == pytest.approx(350, rel=1e-6)


@pytest.mark.parametrize("tie_rate", [0, 0.3, 0.9])
def test_the_smallest_win_rate_needs_as_many_pairs_as_there_are(tie_rate) -> None:
    truth = smallest_win_rate(350, tie_rate, alpha=0.05, power=0.9)
    assert n_to_prove(0.5, truth, tie_rate, alpha=0.05, power=0.9) == pytest.approx(350, rel=1e-6)
    plan = gate_power(GateKind.BETTER, 0.05, tie_rate=tie_rate, n=700, power=0.9, deff=2)
    assert (plan.smallest_win_rate, plan.smallest_margin) == (pytest.approx(truth), None)
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=tie_rate, n=700).smallest_win_rate is None


@pytest.mark.parametrize("tie_rate", [0.9, 0.95, 0.99, 1.0])
@pytest.mark.parametrize("truth", [0.5, 0.502])
def test_the_greater_the_margin_the_fewer_pairs_whatever_the_ties(tie_rate, truth) -> None:
    margins = np.linspace(0.005, 0.49, 200)
    needed = [n_to_prove(0.5 - m, truth, tie_rate, alpha=0.05, power=0.8) for m in margins]
    if 1 - tie_rate < 2 * truth - 1:  # no win rate lies so far from one half
        assert set(needed) == {None}
    else:
        assert needed == sorted(needed, reverse=True)
        assert smallest_margin(needed[50], tie_rate, truth=truth, alpha=0.05, power=0.8) == pytest.approx(
            margins[50]
        )


def test_exact_power_where_a_loss_by_the_margin_would_take_more_decided_pairs() -> None:
    """95% ties: the planned number is too small by what the exact test costs, and of the right size."""
    n, tie_rate, margin = 94, 0.95, 0.03
    assert gate_power(GateKind.NO_WORSE, margin, tie_rate=tie_rate).n_needed == n
    outcomes = [(wins, losses) for wins in range(14) for losses in range(14)]
    passing = [(w, n - w - k, k) for w, k in outcomes if p_above(w, k, n, 0.5 - margin) <= 0.05]
    p = ((1 - tie_rate) / 2, tie_rate, (1 - tie_rate) / 2)
    assert 0.6 < multinomial.pmf(np.array(passing), n, p).sum() < 0.8
    assert p_above(5, 5, 200, 0.5 - margin) < 0.0025


def test_groups_need_more_pairs_by_the_design_effect() -> None:
    alone = gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.3, n=429)
    grouped = gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.3, n=858, deff=2)
    assert grouped.n_needed == 858
    assert grouped.smallest_margin == pytest.approx(alone.smallest_margin)


def test_what_no_number_of_pairs_proves_is_none() -> None:
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.3, truth=0.45).n_needed is None
    assert gate_power(GateKind.BETTER, 0.05, tie_rate=0.3, truth=0.5).n_needed is None
    assert gate_power(GateKind.BETTER, 0.05, tie_rate=0.9, truth=0.6).n_needed is None
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.9, truth=0.6).n_needed is None
    assert gate_power(GateKind.BETTER, 0.05, tie_rate=1, n=50).smallest_win_rate is None
    nothing = gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.3, n=0)
    assert (nothing.smallest_margin, nothing.n_more) == (None, 429)
    assert gate_power(GateKind.NO_WORSE, 0.05, tie_rate=0.3).n_more is None


@pytest.mark.parametrize("kind", GateKind)
def test_a_gate_s_own_minimum_is_needed_and_fewer_prove_nothing(kind) -> None:
    assert gate_power(kind, 0.4, tie_rate=0.3, truth=0.8).n_needed == 30
    assert gate_power(kind, 0.4, tie_rate=0.3, truth=0.8, power=1e-300).n_needed == 30
    few = gate_power(kind, 0.05, tie_rate=0.3, n=29)
    assert (few.smallest_margin, few.smallest_win_rate) == (None, None)
    enough = gate_power(kind, 0.05, tie_rate=0.3, n=30)
    assert enough.smallest_margin or enough.smallest_win_rate


@pytest.mark.parametrize("tie_rate", np.linspace(0, 1, 11))
@pytest.mark.parametrize("truth", [0, 0.3, 0.9, 1])
def test_it_never_breaks_at_the_ends(tie_rate, truth) -> None:
    for kind in GateKind:
        power = gate_power(kind, 0.05, tie_rate=float(tie_rate), n=50, truth=truth)
        assert power.n_needed is None or power.n_needed >= 30


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"margin": 0}, "--margin"),
        ({"tie_rate": 1.5}, "--ties"),
        ({"truth": 1.2}, "--truth"),
        ({"power": 1}, "--power"),
        ({"deff": 0}, "--deff"),
        ({"deff": inf}, "--deff"),
        ({"deff": nan}, "--deff"),
        ({"truth": nan}, "--truth"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(changes, option) -> None:
    given = {"margin": 0.05, "tie_rate": 0.3, **changes}
    with pytest.raises(UsageError, match=option):
        gate_power(GateKind.NO_WORSE, given.pop("margin"), **given)


@pytest.mark.parametrize(
    ("margin", "ties", "n", "tabulated"),
    [(0.05, 0.6, 244, 0.795), (0.1, 0.0, 151, 0.792), (0.1, 0.3, 105, 0.800), (0.1, 0.6, 58, 0.778)],
)
def test_the_exact_test_has_the_tabulated_power(margin, ties, n, tabulated) -> None:
    """Tango's power for equal models by enumeration, and the exact test's, which is within 2 points."""
    plan = gate_power(GateKind.NO_WORSE, margin, tie_rate=ties)
    assert plan.n_needed == n
    assert exact_power(n, ties, 0.5 - margin) == pytest.approx(tabulated, abs=0.02)


def exact_power(n: int, ties: float, threshold: float) -> float:
    """Return how often n pairs of equal models pass: the sum over all outcomes that do."""
    rule, total = rejection(n, threshold, 0.05), 0.0
    for decided in range(n + 1):
        least = bisect_left(range(decided + 1), 1, key=lambda wins: rule.holds(wins, decided - wins))
        total += binom.pmf(decided, n, 1 - ties) * binom.sf(least - 1, decided, 0.5)
    return float(total)
