"""A depth-first walk puts what begins alike next to each other, and changes the order no more than that."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.types import depth_first, n_shared

PATHS = st.lists(st.lists(st.integers(0, 2), max_size=5))


@pytest.mark.parametrize(
    ("paths", "order"),
    [
        ([], []),
        ([()], [0]),
        ([(1, 2), (1, 3), (4,)], [0, 1, 2]),
        ([(1, 2), (4,), (1, 3)], [0, 2, 1]),
        ([(9,), (1, 2), (9,), (1, 2)], [0, 2, 1, 3]),
        # a round-robin: the answers to one question are met again under another pair
        ([(0, 1, 5), (0, 2, 5), (0, 1, 6), (0, 2, 6), (0, 1, 5)], [0, 4, 2, 1, 3]),
        ([(1, 2, 3), (1,), (1, 2), ()], [3, 1, 2, 0]),
    ],
)
def test_the_walk(paths: list[tuple[int, ...]], order: list[int]) -> None:
    assert depth_first(paths) == order


@given(PATHS)
def test_every_path_is_met_once_and_every_beginning_in_one_stretch(paths: list[list[int]]) -> None:
    order = depth_first(paths)
    assert sorted(order) == list(range(len(paths)))
    for depth in range(1, 6):
        beginnings = [tuple(paths[index][:depth]) for index in order if len(paths[index]) >= depth]
        stretches = 1 + sum(left != right for left, right in pairwise(beginnings))
        assert stretches == max(1, len(set(beginnings)))


@given(PATHS, st.sets(st.integers(0, 20)))
def test_what_is_left_of_a_walk_is_a_walk(paths: list[list[int]], left_out: set[int]) -> None:
    walked = [paths[index] for index in depth_first(paths)]
    left = [path for n, path in enumerate(walked) if n not in left_out]
    assert depth_first(left) == list(range(len(left)))


def test_paths_of_any_depth_and_number() -> None:
    deep = [tuple(range(5_000)), (*range(4_999), -1), tuple(range(5_000))]
    assert depth_first(deep) == [0, 2, 1]
    many = [(0, n // 2 % 777, n % 50_000, n) for n in range(100_000)]
    started_s = time.process_time()
    assert len(depth_first(many)) == len(many)
    assert time.process_time() - started_s < 2


@pytest.mark.parametrize(
    ("path", "previous", "n"),
    [((), (1,), 0), ((1, 2), (1, 3), 1), ((1, 2), (1, 2), 2), ((1, 2, 3), (1, 2), 2), ((2, 1), (3, 1), 0)],
)
def test_leading_units_in_common(path: tuple[int, ...], previous: tuple[int, ...], n: int) -> None:
    assert n_shared(path, previous) == n_shared(previous, path) == n
