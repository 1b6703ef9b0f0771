"""What the list of a page holds: rows and columns, filters, groups, and the texts of an item."""

import json
from dataclasses import replace

import pytest

from judgecli.analysis import compare_runs
from judgecli.reports.html import items
from tests.analysis.made_up import pair, record
from tests.analysis.ranked import by_pairs
from tests.reports.html.read import KINDS, page
from tests.reports.runs import COMPLETE, RUNS
from tests.reports.trust_summaries import run, validation

pytestmark = pytest.mark.filterwarnings("error")


def test_texts_are_in_chunks_so_that_a_page_need_not_read_them_all():
    found = page(record(["BB"] * 250))
    assert [len(json.loads(block)) for name, block in found.blocks.items() if name != "index"] == [
        100,
        100,
        50,
    ]


def test_marks_tell_which_filters_a_row_passes():
    index = page(record(["BB", "AA", "uu", "BB"])).index
    assert [one["key"] for one in index["filters"]] == ["wins", "losses", "failures"]
    assert index["marks"] == [1, 2, 4, 1]
    assert index["tones"] == ["good", "bad", "failed", "good"]


def test_groups_are_those_of_the_first_field_that_has_several_values():
    names = {"q1": "b", "q2": "a", "q3": "b"}
    pairs = [replace(pair(one), metadata={"category": name}) for one, name in names.items()]
    index = page(record(["BB"] * 3, pairs=pairs)).index
    assert (index["field"], index["values"], index["groups"]) == ("category", ["a", "b"], [[1], [0], [1]])
    assert page(record(["BB"] * 3)).index["field"] is None


def test_groups_are_those_of_the_chart():
    named = [{"category": f"c{n}", "group": f"g{n % 2}"} for n in range(1, 61)]
    pairs = [replace(pair(f"q{n}"), metadata=one) for n, one in enumerate(named, 1)]
    found = page(record(["BB"] * 60, pairs=pairs))
    assert "Win rate by group" in found.words
    assert (found.index["field"], found.index["values"]) == ("group", ["g0", "g1"])


def test_groups_that_look_the_same_have_other_names():
    named = ["a\x07", "a\\x07", "", "b"]
    pairs = [replace(pair(f"q{n}"), metadata={"category": name}) for n, name in enumerate(named, 1)]
    index = page(record(["BB"] * 4, pairs=pairs)).index
    assert index["values"] == ["(empty)", "a\\x07", "a\\x07 (2)", "b"]
    assert index["groups"] == [[1], [2], [0], [3]]


def test_columns_of_scores_and_probabilities_are_there_where_the_judge_gives_them():
    plain = [one["name"] for one in page(COMPLETE).index["columns"]]
    assert plain == ["pair", "verdict", "length", "instruction"]
    soft = [one["name"] for one in page(RUNS["with probabilities"]).index["columns"]]
    assert "P(B)" in soft


def test_a_ranking_lists_points_and_a_joint_one_scores():
    ranked, joint = page(*KINDS["rank"]).index, page(*KINDS["joint"]).index
    assert ranked["rows"][0][2:5] == [1.0, 1.5, 0.5]
    assert joint["rows"][0][2:5] == [8.0, 6.0, 4.0]
    assert [one["key"] for one in ranked["filters"]] == ["failures", "flips", "open"]


def test_a_ranking_of_many_models_lists_the_best_and_shows_all_in_a_table():
    cases = {f"A{other}": ["AA"] for other in "BCDEFG"} | {"BC": ["BB"], "DE": ["AB"], "FG": ["uu"]}
    found = page(by_pairs(cases))
    assert [one["name"] for one in found.index["columns"]] == ["item", "result", "best", "instruction"]
    assert found.index["rows"][0][2] == "A 6, C 1, D 0.5"
    [texts] = found.texts
    assert texts["verdict"] == ["failures"]
    assert texts["table"]["header"] == [
        "model",
        "points",
        "better than",
        "worse than",
        "order-dependent",
        "no verdict",
    ]
    rows = {row[0]: row[1:] for row in texts["table"]["rows"]}
    assert list(rows) == ["A alpaca", "C cohere", "D", "E", "B bison", "F", "G"]
    assert rows["A alpaca"] == ["6", "B C D E F G", "-", "-", "-"]
    assert rows["C cohere"] == ["1", "B", "A", "-", "-"]
    assert rows["E"] == ["0.5", "-", "A", "D", "-"]
    assert rows["G"] == ["0", "-", "A", "-", "F"]


def test_a_joint_ranking_shows_mean_scores_in_a_table():
    [first, *_] = page(*KINDS["joint"]).texts
    assert first["table"]["rows"][0] == ["A alpaca", "8"]
    assert [label for label, _, _ in first["answers"]] == ["A alpaca", "B bison", "C cohere"]


def test_grades_are_listed_with_their_results():
    index = page(*KINDS["grade"]).index
    assert [row[1] for row in index["rows"]] == [
        "graded",
        "graded",
        "unreadable",
        "empty answer",
        "not judged",
    ]


def test_failures_have_filters_of_their_own_where_they_are_of_two_kinds():
    one_kind = [one["key"] for one in page(record(["BB", "uu"])).index["filters"]]
    assert one_kind == ["wins", "failures"]
    index = page(record(["BB", "uu", "ll", "uu"])).index
    assert {one["key"]: one["n"] for one in index["filters"]} == {
        "wins": 1,
        "failures": 3,
        "too long": 1,
        "unreadable": 2,
    }
    assert index["marks"] == [1, 2 + 8, 2 + 4, 2 + 8]


def test_two_runs_tell_failures_of_the_one_and_of_the_other_apart():
    first, second = record(["BB", "uu", "uu"]), record(["uu", "BB", "uu"])
    index = page(second, compare_runs(first, second, ("old", "new"))).index
    assert {one["key"]: one["n"] for one in index["filters"]} == {
        "changed": 2,
        "failures": 3,
        "same": 1,
        "now failed": 1,
        "no longer failed": 1,
        "failed in both": 1,
    }


def test_a_report_without_a_list_has_none():
    assert items.table_of(run(), validation()) is None
