"""The JSON report."""

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.reports import json as json_report
from tests.analysis.made_up import header, record
from tests.reports.runs import COMPLETE, RUNS

pytestmark = pytest.mark.filterwarnings("error")

ESTIMATES = {
    "win_rate",
    "worst_case",
    "sign_test",
    "sign_test_exact",
    "consistency",
    "prefers_first",
    "prefers_second",
    "lean",
    "hard_flips",
    "position_effect",
    "soft_win_rate",
    "mass",
    "p_unopened",
    "stronger_mass",
    "stronger_p_unopened",
    "candidate_longer",
    "length_correlation",
}


def reject(constant):
    pytest.fail(f"{constant} is not JSON")


def parsed(run):
    text = reports.render("json", run, summarise(run))
    assert text.isascii()
    return json.loads(text, parse_constant=reject)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_every_run_is_one_strict_object_with_the_same_names(run):
    report = parsed(run)
    assert report.keys() == parsed(COMPLETE).keys()
    assert report["estimates"].keys() == ESTIMATES
    for name, estimate in report["estimates"].items():
        assert estimate.keys() == {"name", "value", "low", "high", "n", "p_value", "method"}
        assert estimate["name"] == name
        assert estimate["method"]


def test_every_name_is_documented():
    for name in [*parsed(COMPLETE), *ESTIMATES]:
        assert name in (json_report.__doc__ or "") + (
            import_module("judgecli.reports.pair.facts").__doc__ or ""
        )


def test_values():
    report = parsed(COMPLETE)
    assert report["conclusion"] == "candidate_better"
    assert report["counts"] == {
        "pairs": 40,
        "judgments": 76,
        "verdicts": 40,
        "win": 24,
        "tie": 4,
        "loss": 9,
        "order_dependent": 3,
        "failed": 0,
        "open": 0,
        "cached": 0,
        "failures": {},
        "without_judge": {"equal answers": 1, "empty candidate answer": 1},
    }
    assert report["estimates"]["win_rate"]["value"] == pytest.approx(0.6875)
    assert report["position_table"] == [[8, 0, 2], [1, 3, 0], [0, 0, 24]]
    assert report["candidate"]["model"] == "gpt35"
    assert report["header"] == header()


def test_absence_is_null_with_a_reason():
    report = parsed(RUNS["all unreadable"])
    assert report["conclusion"] == "no_verdicts"
    assert report["estimates"]["win_rate"] == {
        "name": "win_rate",
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "p_value": None,
        "method": "no verdicts",
    }
    assert report["counts"]["failures"] == {"unreadable": 4}


def test_one_order_has_no_position_table():
    report = parsed(RUNS["one order"])
    assert report["position_table"] is None
    assert report["estimates"]["consistency"]["method"] == "not measured (one order)"


def test_warnings_carry_a_code_a_sentence_and_the_limit():
    report = parsed(RUNS["partial"])
    partial, few = report["warnings"]
    assert partial["code"] == "partial"
    assert few == {
        "code": "few_pairs",
        "text": "only 7 pairs (under 30): take the result as a hint.",
        "value": 7,
        "limit": 30,
    }
    assert report["partial"] is True


def test_mixed_references_are_reported_apart():
    first, second = parsed(RUNS["mixed references"])["by_reference"]
    assert (first["name"], first["counts"]["pairs"]) == ("with reference", 2)
    assert second["estimates"]["win_rate"]["value"] == 0


def test_a_header_with_what_json_lacks_still_gives_json():
    odd = {**header(), "x": float("nan"), "y": [float("inf"), Path("a")], "z": ("t", True), 3: "key"}
    report = parsed(replace(record(["BB"]), header=odd))
    assert report["header"]["x"] is None
    assert report["header"]["y"] == [None, "a"]
    assert report["header"]["z"] == ["t", True]
    assert report["header"]["3"] == "key"
