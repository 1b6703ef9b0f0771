"""The result by category."""

from dataclasses import replace

import pytest

from judgecli.analysis.parts import split_by_category, values_of
from judgecli.types import RunRecord
from tests.analysis.made_up import pair, record


def sorted_run(cases: list[str], categories: list[object], field: str = "category") -> RunRecord:
    pairs = [
        replace(pair(f"q{n}"), metadata={} if name is None else {field: name})
        for n, name in enumerate(categories, 1)
    ]
    return record(cases, pairs=pairs)


def test_each_category_has_its_own_win_rate_the_largest_first():
    made = sorted_run(["BB", "BB", "AA", "AA", "TT", "uu"], ["b", "b", "a", "a", "a", "b"])
    field, parts = split_by_category(made)
    assert field == "category"
    assert [(part.name, part.counts.n_pairs, part.win_rate.value) for part in parts] == [
        ("a", 3, pytest.approx(1 / 6)),
        ("b", 3, 1.0),
    ]
    assert parts[1].counts.n_failed == 1
    assert parts[0].win_rate.low is not None


def test_a_pair_with_two_values_counts_in_each():
    made = sorted_run(["BB", "AA", "AA", "AA"], [["x", "y"], "x", "x", "y"], field="capability")
    field, parts = split_by_category(made)
    assert field == "capability"
    assert [(part.name, part.win_rate.n) for part in parts] == [("x", 3), ("y", 2)]


@pytest.mark.parametrize(
    "categories",
    [
        [None, None, None, None],  # no such field
        ["a", "a", "a", "a"],  # one value
        ["a", "b", "c", "d"],  # as many as pairs
    ],
)
def test_there_are_no_parts_where_a_field_sorts_nothing(categories):
    assert split_by_category(sorted_run(["BB"] * 4, categories)) == (None, ())


def test_too_many_values_are_no_categories():
    assert split_by_category(sorted_run(["BB"] * 60, [n // 2 for n in range(60)])) == (None, ())
    field, parts = split_by_category(sorted_run(["BB"] * 48, [n // 2 for n in range(48)]))
    assert (field, len(parts)) == ("category", 24)


def test_values_are_texts():
    assert values_of({"group": 3}, "group") == ("3",)
    assert values_of({"group": ["a", 1]}, "group") == ("a", "1")
    assert values_of({"group": None}, "group") == values_of({}, "group") == ()
