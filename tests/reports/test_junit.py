"""The JUnit report: what a CI server counts, and that it can always be parsed."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.types import DecidedBy, Failure, GateDecision, RunRecord
from tests.analysis.graded import record as graded
from tests.analysis.made_up import record
from tests.reports.gates import gated
from tests.reports.runs import COMPLETE, RUNS
from tests.reports.trust_summaries import agrees

EQUAL = DecidedBy.EQUAL
pytestmark = pytest.mark.filterwarnings("error")


def suite(
    run: RunRecord, gate: GateDecision | None = None, problem: str | None = None
) -> ElementTree.Element:
    summary = summarise(run) if gate is None else gated(run, gate)
    root = ElementTree.fromstring(reports.render("junit", run, summary, problem=problem).encode())
    assert root.tag == "testsuites"
    [found] = root
    return found


def cases(found: ElementTree.Element) -> dict[str, str]:
    """Return how each test case came out: passed, or the tag within it."""
    tags = ("failure", "error", "skipped")
    return {
        case.attrib["name"]: next((child.tag for child in case if child.tag in tags), "passed")
        for case in found.iter("testcase")
    }


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_counts_are_those_of_the_cases(run):
    found = suite(run)
    ends = list(cases(found).values())
    assert len(list(found.iter("testcase"))) == int(found.attrib["tests"])
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(found.attrib[attribute]) == sum(
            case.find(tag) is not None for case in found.iter("testcase")
        )
    assert ends


def test_without_failures_everything_passes():
    assert cases(suite(COMPLETE)) == {"the run has a result": "passed"}


def test_failures_that_do_not_fail_the_command_are_skipped():
    found = suite(record(["BB", "uu", "ll"]))
    assert cases(found) == {"the run has a result": "passed", "q2": "skipped", "q3": "skipped"}
    assert (found.attrib["failures"], found.attrib["errors"]) == ("0", "0")


def test_failures_that_fail_it_are_errors_with_their_reasons():
    found = suite(record(["BB", "uu", "ll"]), problem="2 of 3 pairs failed")
    assert cases(found) == {"the run has a result": "error", "q2": "error", "q3": "error"}
    judged = found.find("testcase[@name='the run has a result']/error")
    assert judged is not None
    assert judged.attrib == {"type": "judging", "message": "2 of 3 pairs failed"}
    error = found.find("testcase[@name='q2']/error")
    assert error is not None
    assert error.attrib == {"type": "unreadable", "message": "q2: unreadable"}


def test_nothing_judged_is_an_error():
    assert cases(suite(record([]))) == {"the run has a result": "error"}
    assert cases(suite(record(["uu"])))["the run has a result"] == "error"
    assert cases(suite(record([".", "B."])))["the run has a result"] == "error"
    assert cases(suite(record([EQUAL, "uu"])))["the run has a result"] == "error"  # a rule's, and a failure
    assert cases(suite(record([EQUAL, EQUAL])))["the run has a result"] == "passed"


def test_a_gate_that_passed_keeps_the_report_green():
    found = suite(record([*["BB"] * 3, "AA", "uu"]), GateDecision.PASS)
    assert cases(found) == {"the run has a result": "passed", "gate": "passed", "q5": "skipped"}
    assert found.attrib["failures"] == found.attrib["errors"] == "0"
    said = found.find("testcase[@name='gate']/system-out")
    assert said is not None
    assert said.text
    assert said.text.startswith("gate PASS (")


def test_a_gate_that_failed_names_the_pairs_that_were_lost():
    found = suite(record(["BB", "AA", "AB", "uu"]), GateDecision.FAIL)
    assert cases(found) == {
        "the run has a result": "passed",
        "gate": "failure",
        "q4": "error",
        "q2": "failure",
    }


def test_an_inconclusive_gate_is_an_error():
    found = suite(record(["BB", "AA"]), GateDecision.INCONCLUSIVE)
    assert cases(found)["gate"] == "error"
    assert found.attrib["failures"] == "0"


def test_answers_that_were_graded_fail_one_by_one():
    found = suite(graded([7, "u", 8]))
    assert cases(found) == {"the run has a result": "passed", "q2 A": "skipped"}


def test_the_reports_words_are_in_it():
    found = suite(COMPLETE)
    properties = {one.attrib["name"]: one.attrib["value"] for one in found.iter("property")}
    assert properties["headline"] == "candidate gpt35 better: win rate 68.8% [54.8, 79.8], n=40"
    assert properties["judge"].startswith("judgelm-7b, ")
    said = found.findtext("system-out")
    assert said
    assert "win: 24\n" in said
    assert "consistency  92.1%" in said
    assert found.attrib["timestamp"] == "2025-01-02T03:04:05"


def test_characters_that_xml_forbids_are_replaced():
    forbidden = "a\x00\x08\x1b\ufffe\ud800 b"
    made = record(["uu"])
    made = replace(
        made,
        items=(replace(made.items[0], id=forbidden),),
        verdicts=(replace(made.verdicts[0], item_id=forbidden, failure=Failure.ENGINE, detail=forbidden),),
        header={**made.header, "started_at": forbidden},
    )
    found = suite(made)
    assert "a\\x00\\x08\\x1b\\ufffe\\ud800 b" in cases(found)
    assert "timestamp" not in found.attrib


def test_a_failed_gate_lists_the_pairs_that_the_candidate_did_not_answer():
    made = record(["BB", "AA"])
    summary = replace(gated(made, GateDecision.FAIL), lacking=("q8", "q9"))
    [found] = ElementTree.fromstring(reports.render("junit", made, summary).encode())
    assert {name for name, end in cases(found).items() if end == "failure"} == {"gate", "q2", "q8", "q9"}


def test_what_only_compares_is_never_red():
    summary = agrees()
    root = ElementTree.fromstring(reports.render("junit", record(["uu"]), summary).encode())
    assert (root.attrib["failures"], root.attrib["errors"]) == ("0", "0")
