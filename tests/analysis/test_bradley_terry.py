"""Strengths from points: worked numbers, tables without a maximum, and what must hold of any table."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from judgecli.analysis.bradley_terry import (
    elo_scale,
    is_bounded,
    log_strengths,
    met_groups,
    with_virtual_ties,
)

Array = NDArray[np.float64]


def table(m: int, met: dict[tuple[int, int], tuple[float, float]]) -> Array:
    """Return points, given those of both models for each two that met."""
    points = np.zeros((m, m))
    for (i, j), (of_i, of_j) in met.items():
        points[i, j], points[j, i] = of_i, of_j
    return points


# wins 30:20, 40:10, 33:17, and 10 ties of each two
WORKED = table(3, {(0, 1): (35, 25), (0, 2): (45, 15), (1, 2): (38, 22)})


@st.composite
def bounded_tables(draw: st.DrawFn) -> Array:
    m = draw(st.integers(2, 6))
    half_points = st.integers(1, 40)  # everybody has won something against everybody
    cells = draw(st.lists(half_points, min_size=m * m, max_size=m * m))
    return np.array(cells, dtype=np.float64).reshape(m, m) / 2 * (1 - np.eye(m))


def test_the_worked_example() -> None:
    strengths = log_strengths(WORKED)
    assert strengths == pytest.approx([0.4727, 0.0711, -0.5438], abs=5e-5)
    assert elo_scale(strengths) == pytest.approx([1082, 1012, 906], abs=0.5)


def test_of_two_models_the_strength_is_the_win_rate() -> None:
    a, b = log_strengths(table(2, {(0, 1): (30.5, 10.5)}))
    assert 1 / (1 + np.exp(b - a)) == pytest.approx(30.5 / 41)


def test_ten_to_one_is_four_hundred_points() -> None:
    a, b = elo_scale(log_strengths(table(2, {(0, 1): (10, 1)})))
    assert a - b == pytest.approx(400)
    assert a + b == pytest.approx(2000)


@given(bounded_tables())
def test_each_model_wins_as_many_points_as_its_strength_foretells(points: Array) -> None:
    strengths = log_strengths(points)
    p = 1 / (1 + np.exp(strengths - strengths[:, None]))
    expected = ((points + points.T) * p).sum(axis=1)
    assert expected == pytest.approx(points.sum(axis=1), abs=1e-6)
    assert strengths.sum() == pytest.approx(0, abs=1e-9)


@given(bounded_tables(), st.data())
def test_the_order_of_the_models_does_not_matter(points: Array, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(points))))
    assert log_strengths(points[np.ix_(order, order)]) == pytest.approx(
        log_strengths(points)[order], abs=1e-8
    )


def test_many_tables_at_once_are_each_alone() -> None:
    tables = np.stack([WORKED, WORKED.T, 2 * WORKED, WORKED + 1 - np.eye(3)])
    together = log_strengths(tables)
    assert together == pytest.approx(np.stack([log_strengths(one) for one in tables]))
    assert together[1] == pytest.approx(-together[0])
    assert together[2] == pytest.approx(together[0])


def test_models_that_met_through_others_only_are_compared() -> None:
    chain = table(3, {(0, 1): (3, 1), (1, 2): (3, 1)})
    a, b, c = log_strengths(chain)
    assert a - b == pytest.approx(np.log(3))
    assert b - c == pytest.approx(np.log(3))


def test_strengths_that_are_far_apart_are_found() -> None:
    a, _, c = log_strengths(table(3, {(0, 1): (1e4, 0.5), (1, 2): (1e4, 0.5)}))
    assert a - c == pytest.approx(2 * np.log(2e4))


@pytest.mark.parametrize(
    ("met", "bounded"),
    [
        ({(0, 1): (1, 1), (1, 2): (1, 1)}, True),
        ({(0, 1): (1, 0), (1, 2): (1, 0), (0, 2): (0, 1)}, True),  # a circle
        ({(0, 1): (5, 0), (1, 2): (1, 1), (0, 2): (5, 0)}, False),  # one who never lost
        ({(0, 1): (1, 1), (1, 2): (5, 0), (0, 2): (5, 0)}, False),  # one who never won
        ({(0, 1): (1, 1)}, False),  # one whom nobody met
    ],
)
def test_a_table_has_strengths_if_points_lead_from_each_to_each(
    met: dict[tuple[int, int], tuple[float, float]], bounded: bool
) -> None:
    for order in permutations(range(3)):
        points = table(3, met)[np.ix_(order, order)]
        assert bool(is_bounded(points)) is bounded


def test_a_long_chain_of_points_is_followed_to_its_end() -> None:
    m = 19
    circle = table(m, {(k, (k + 1) % m): (1.0, 0.0) for k in range(m)})
    assert is_bounded(circle)
    circle[m - 1, 0] = 0
    assert not is_bounded(circle)


def test_strengths_without_a_bound_are_refused() -> None:
    with pytest.raises(ValueError, match="without a bound"):
        log_strengths(table(2, {(0, 1): (5, 0)}))


@pytest.mark.parametrize("points", [table(3, {}), table(3, {(0, 1): (5, 0), (0, 2): (5, 0), (1, 2): (1, 1)})])
def test_a_virtual_tie_of_each_two_models_gives_a_bound(points: Array) -> None:
    tied = with_virtual_ties(np.stack([points, WORKED]), np.array([True, False]))
    assert is_bounded(tied).all()
    assert (tied[1] == WORKED).all()
    assert (tied[0] - points).tolist() == [[0, 0.5, 0.5], [0.5, 0, 0.5], [0.5, 0.5, 0]]


def test_who_never_lost_is_still_first_with_virtual_ties() -> None:
    points = table(3, {(0, 1): (5, 0), (0, 2): (5, 0), (1, 2): (1, 1)})
    a, b, c = log_strengths(with_virtual_ties(points, np.array(True)))
    assert a > b == pytest.approx(c)


def test_groups_are_linked_by_any_meeting_whoever_won() -> None:
    points = np.zeros((6, 6))
    points[0, 3] = points[3, 5] = 1.0  # a chain: the first and the last never met
    points[4, 1] = 0.5
    assert met_groups(points) == [(0, 3, 5), (1, 4), (2,)]
    points[1, 2] = points[2, 0] = 1.0
    assert met_groups(points) == [(0, 1, 2, 3, 4, 5)]
    assert met_groups(np.zeros((0, 0))) == []
