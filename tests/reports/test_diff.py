"""Reports on the difference between two runs, in every format."""

import json
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len

from judgecli import reports
from judgecli.analysis import compare_runs
from judgecli.types import DiffSummary, RunRecord
from tests.analysis.made_up import pair, record
from tests.reports.html.hostile import ATTACK, attacking
from tests.reports.runs import HOSTILE, everything_at_once
from tests.reports.said import documented, every_name, flat, parsed, text

pytestmark = pytest.mark.filterwarnings("error")

BEFORE = ["AA"] * 20 + ["TT"] * 10 + ["BB"] * 30
AFTER = ["BB"] * 12 + ["AA"] * 8 + ["TT"] * 10 + ["BB"] * 29 + ["uu"]


def made(first: RunRecord, second: RunRecord, names: tuple[str, str] = ("old", "new")):
    return second, compare_runs(first, second, names)


REVISED = record(AFTER, pairs=[pair(f"q{n}", b=f"revised {n}") for n in range(1, 61)])
RUNS: dict[str, tuple[RunRecord, DiffSummary]] = {
    "two versions": made(record(BEFORE), REVISED),
    "two judges": made(record(BEFORE), record(AFTER, model={"name": "other", "sha256": "1" * 64})),
    "nothing compared": made(record(["uu"]), record(["BB"])),
    "nothing shared": made(record([]), record([])),
    "partial": made(record(["BB", ".."]), record([".."] * 2)),
    "everything at once": made(everything_at_once(), everything_at_once(), (HOSTILE, HOSTILE)),
    "attacks": made(attacking(), attacking(9), (ATTACK, ATTACK)),
}


@pytest.mark.parametrize(("run", "summary"), RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("form", ["terminal", "markdown", "json", "junit", "html"])
def test_every_difference_renders_in_every_format(form, run, summary):
    said = text(run, summary, form)
    assert said.endswith("\n")
    assert "\x1b" not in said
    assert "None" not in said
    if form == "markdown":
        assert len(said.splitlines()) < 60


@pytest.mark.parametrize("width", [30, 40, 80])
@pytest.mark.parametrize(("run", "summary"), RUNS.values(), ids=RUNS)
def test_no_line_is_wider_than_the_terminal(run, summary, width):
    assert max(map(cell_len, text(run, summary, width=width).splitlines())) <= width


def test_two_versions_are_told_by_their_paired_difference():
    said = flat(*RUNS["two versions"], width=100)
    assert said.startswith("old to new: win rate +20.3 points [")
    assert "], better, n=59" in said
    assert "question in 60 of 60, A's answer in 60 of 60, B's answer in 0 of 60" in said
    assert "first second A tie B A 8 0 12 tie 0 10 0 B 0 0 29" in said
    assert "changed 13 of 60 pairs" in said
    assert "q1: loss to win" in said


def test_two_judges_are_told_by_their_agreement():
    said = flat(*RUNS["two judges"], width=100)
    assert said.startswith("old to new: the judges agree on 79.7% [")
    assert "all questions and answers, but not the judge" in said
    assert "judge other, " in said


def test_nothing_to_compare_says_so():
    assert flat(*RUNS["nothing compared"]).startswith(
        "old to new: nothing to compare, no item with a verdict"
    )


def test_json_has_documented_names():
    run, summary = RUNS["two versions"]
    report = parsed(run, summary)
    assert every_name(report) - {"first", "second"} <= documented("diff")
    assert (report["about"], report["mode"]) == ("diff", "pair")
    assert report["estimates"]["difference"]["value"] == pytest.approx(12 / 59)
    assert report["changed"][0] == {
        "id": "q1",
        "before": "loss",
        "after": "win",
        "same_question": True,
        "same_a": True,
        "same_b": False,
    }
    assert report["runs"]["first"]["name"] == "old"


def test_the_page_lists_items_with_both_versions_of_an_answer():
    page = text(*RUNS["two versions"], "html")
    found = re.search(r'id="index">(.*?)</script>', page)
    assert found
    index = json.loads(found[1])
    assert {one["key"]: one["n"] for one in index["filters"]} == {
        "changed": 13,
        "for B": 12,
        "failures": 1,
        "other answers": 60,
        "same": 47,
    }
    chunk = re.search(r'id="texts-0">(.*?)</script>', page)
    assert chunk
    answers = json.loads(chunk[1])[0]["answers"]
    assert [label for label, _, _ in answers] == ["B first", "B second", "A"]
    assert [body for _, _, body in answers] == ["a longer one", "revised 1", "short"]


def test_a_run_file_name_is_not_markup():
    run, summary = RUNS["two versions"]
    page = reports.render("html", run, replace(summary, names=("<script>alert(1)</script>", "b")))
    assert "<script>alert" not in page
