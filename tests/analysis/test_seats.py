"""What a seat does to a score, measured within answers: made-up effects are found, and no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecli.analysis.seats import seat_effects, seat_of, seat_test

QUALITY = np.array([6.0, 5.0, 3.0, 8.0])
EFFECT = np.array([1.0, 0.5, -0.5, -1.0])


def scores(n: int, n_rotations: int, *, noise: float = 0.0, effect: float = 1.0) -> np.ndarray:
    """Return scores of four answers of fixed quality, moved by the seat, with noise."""
    seats = seat_of(n_rotations, 4)
    random = np.random.default_rng(7)
    moved = QUALITY + effect * EFFECT[seats]
    return np.asarray(moved + noise * random.normal(size=(n, n_rotations, 4)))


def test_each_rotation_moves_every_answer_on_by_a_seat() -> None:
    assert seat_of(3, 3).tolist() == [[0, 1, 2], [2, 0, 1], [1, 2, 0]]  # ABC, BCA, CAB


@pytest.mark.parametrize("n_rotations", [2, 3, 4])
def test_effects_are_found_whatever_the_answers_are_worth(n_rotations: int) -> None:
    effects, _ = seat_effects(scores(5, n_rotations))
    assert [one.seat for one in effects] == [1, 2, 3, 4]
    assert [one.effect.value for one in effects] == pytest.approx(EFFECT.tolist())


def test_with_every_rotation_effects_are_the_seats_means() -> None:
    given_scores = scores(30, 4, noise=1.0)
    effects, _ = seat_effects(given_scores)
    mean = float(given_scores.mean())
    for one in effects:
        assert one.mean.value is not None
        assert one.effect.value == pytest.approx(one.mean.value - mean)
        assert one.effect.low is not None
        assert one.effect.low < one.effect.value < (one.effect.high or 0)


def test_seats_that_matter_are_told_from_those_that_do_not() -> None:
    assert (seat_test(scores(20, 4, noise=0.5)).p_value or 1) < 0.001
    assert (seat_test(scores(20, 4, noise=0.5, effect=0.0)).p_value or 0) > 0.05


def test_scores_that_never_change_show_no_effect() -> None:
    effects, test = seat_effects(scores(10, 4, effect=0.0))
    assert [one.effect.value for one in effects] == pytest.approx([0, 0, 0, 0], abs=1e-12)
    assert test.p_value == 1
    assert test.value == pytest.approx(0, abs=1e-12)


def test_one_item_cannot_prove_that_seats_matter() -> None:
    assert (seat_test(scores(1, 4)).p_value or 0) > 0.03  # its rotations have 4 * 3 * 2 orders


def test_one_rotation_measures_nothing() -> None:
    effects, test = seat_effects(scores(10, 1))
    assert {one.effect.value for one in effects} == {None}
    assert {one.effect.method for one in effects} == {"not measured (one rotation)"}
    assert (test.value, test.method) == (None, "not measured (one rotation)")


def test_no_scores_measure_nothing() -> None:
    effects, test = seat_effects(np.zeros((0, 3, 3)))
    assert {one.mean.value for one in effects} == {None}
    assert (test.value, test.n, test.method) == (None, 0, "no scores")


@settings(deadline=None, max_examples=20)
@given(st.integers(2, 6), st.data())
def test_what_all_answers_of_a_rotation_have_in_common_is_no_effect(m: int, data: st.DataObject) -> None:
    n_rotations = data.draw(st.integers(2, m))
    moods = data.draw(st.lists(st.integers(-5, 5), min_size=n_rotations, max_size=n_rotations))
    quality = data.draw(st.lists(st.integers(1, 10), min_size=m, max_size=m))
    one = np.array(quality, dtype=float) + np.array(moods, dtype=float)[:, None]
    effects, _ = seat_effects(np.stack([one, one]))
    assert [each.effect.value for each in effects] == pytest.approx([0] * m, abs=1e-9)
