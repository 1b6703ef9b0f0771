"""The bets, against the worked example and a formula written out with arrays."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from judgecli.analysis.gate.betting import Bets, Capital, confidence_sequence


def capitals(values, m: float, alpha: float) -> list[float]:
    """Return the capital after each value."""
    bets, capital, path = Bets(alpha), Capital(m), []
    for value in values:
        bet = bets.next()
        capital.settle(bet, value)
        bets.see(value)
        path.append(exp(capital.log_now))
    return path


def by_arrays(x: np.ndarray, m: float, alpha: float) -> np.ndarray:
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    bets = np.sqrt(2 * log(1 / alpha) / (before * t * np.log(1 + t)))
    return np.exp(np.cumsum(np.log1p(np.minimum(bets, 0.5 / m) * (x - m))))


def test_the_worked_example() -> None:
    path = capitals([1, 1, 0.5, 1, 0, 1, 1, 0.5, 1, 1], 0.45, 0.05)
    expected = [1.611, 2.596, 2.740, 4.414, 2.207, 3.556, 5.729, 6.047, 9.743, 15.697]
    assert [round(capital, 3) for capital in path] == expected


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_one_by_one_is_as_all_at_once(alpha) -> None:
    x = np.random.default_rng(0).choice([0, 0.5, 1], p=[0.3, 0.2, 0.5], size=300)
    assert capitals(x, 0.45, alpha) == pytest.approx(by_arrays(x, 0.45, alpha), rel=1e-12)


def test_a_bet_won_once_stays_won() -> None:
    capital = Capital(0.45)
    for value in (1, 1, 1, 0, 0, 0, 0):
        capital.settle(1.0, value)
    assert capital.log_most > capital.log_now
    assert capital.log_most == pytest.approx(3 * np.log(1.55))


def test_no_value_wins_more_than_the_most() -> None:
    capital = Capital(0.45)
    capital.settle(1e9, 1)
    assert capital.log_now == pytest.approx(capital.log_growth)


def test_the_confidence_sequence_ends_where_the_bets_are_won() -> None:
    x = np.random.default_rng(3).choice([0, 0.5, 1], p=[0.2, 0.3, 0.5], size=150).tolist()
    low, high = confidence_sequence(x, 0.01)
    assert low < np.mean(x) < high
    for m, is_refuted in ((low - 1e-4, True), (low + 1e-4, False)):
        assert (max(capitals(x, m, 0.01)) >= 100) is is_refuted
    flipped = [1 - value for value in x]
    for m, is_refuted in ((high + 1e-4, True), (high - 1e-4, False)):
        assert (max(capitals(flipped, 1 - m, 0.01)) >= 100) is is_refuted


def test_it_narrows_and_never_widens() -> None:
    x = np.random.default_rng(4).random(60).tolist()
    ends = [confidence_sequence(x[:n], 0.05) for n in (0, 10, 30, 60)]
    assert ends[0] == pytest.approx((0, 1), abs=1e-6)
    assert all(one[0] <= other[0] and one[1] >= other[1] for one, other in pairwise(ends))


def test_the_bet_is_rarely_won_by_chance() -> None:
    draw = np.random.default_rng(7)
    won = 0
    for _ in range(1000):
        x = draw.choice([1, 0.5, 0], p=[0.3, 0.3, 0.4], size=400)
        won += by_arrays(x, 0.45, 0.05).max() >= 20
    assert won / 1000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)
