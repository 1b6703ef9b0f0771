"""What gates promise, in small seeded simulations; `tests.bench.simulate_gates` has the large ones."""

from math import sqrt
from statistics import fmean

import numpy as np
import pytest

from judgecli.types import GateDecision, GateOptions
from tests.bench.simulate_gates import by_group, decide, decide_early, outcomes

PASS = GateDecision.PASS


def tolerated(share: float, n: int) -> float:
    return share + 2 * sqrt(share * (1 - share) / n)


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_a_candidate_at_the_margin_passes_in_5_percent_of_runs(ties) -> None:
    draw = np.random.default_rng(0)
    runs = [outcomes(draw, 200, 0.45, ties) for _ in range(1000)]
    assert fmean(decide(values, 0.45) is PASS for values in runs) <= tolerated(0.05, 1000)


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_so_it_does_where_it_may_stop_early(ties) -> None:
    draw = np.random.default_rng(0)
    options = GateOptions(early_stop=True)
    runs = [outcomes(draw, 100, 0.45, ties) for _ in range(500)]
    assert fmean(decide_early(values, options)[0] is PASS for values in runs) <= tolerated(0.05, 500)


def test_and_where_pairs_are_grouped() -> None:
    assert by_group(np.random.default_rng(0), 300, 0.05, 20, 0.3) <= tolerated(0.05, 300)


@pytest.mark.parametrize(("n", "ties"), [(105, 0.3), (151, 0.0)])
def test_the_planned_number_of_pairs_has_the_planned_power(n, ties) -> None:
    draw = np.random.default_rng(0)
    passed = fmean(decide(outcomes(draw, n, 0.5, ties), 0.4) is PASS for _ in range(2000))
    assert abs(passed - 0.8) <= 0.02 + 2 * sqrt(0.16 / 2000)


def test_a_better_candidate_needs_at_most_a_third_of_the_pairs() -> None:
    draw = np.random.default_rng(0)
    options = GateOptions(early_stop=True)
    runs = [decide_early(outcomes(draw, 429, 0.6, 0.3), options) for _ in range(60)]
    assert all(decision is PASS for decision, _ in runs)
    assert fmean(unit for _, unit in runs) <= 429 / 3
