"""What neighbouring projects let through. Each test is named after a public report."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Judge
from tests.gating import BETTER, COMMAND, KNOWS, WORSE, inputs
from tests.judging import script

GATE = (*COMMAND, "--gate", "no-worse", "-r", "report.xml")
UNREADABLE = {"id": "q1", "reply": "I cannot rate these."}


def failures(folder: Path) -> int:
    """Return how many failures and errors the JUnit report counts."""
    suites = ElementTree.parse(folder / "report.xml").getroot().iter("testsuite")
    return sum(int(suite.get("failures", 0)) + int(suite.get("errors", 0)) for suite in suites)


def test_deepeval_770_a_candidate_that_loses_turns_the_workflow_red(judge: Judge, folder: Path) -> None:
    inputs(folder, *WORSE)
    done = judge(*GATE)
    assert done.code == 1
    assert failures(folder) > 0
    assert done.sentence.startswith("gate FAIL (no worse by 5 points): win rate bound 3.")
    assert "under 45.0%" in done.sentence
    inputs(folder, *BETTER)
    assert judge(*GATE, "--fresh").code == 0
    assert failures(folder) == 0


def test_fastchat_pr_2074_a_failed_judgment_is_no_verdict_of_a_gate(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER, rules=[UNREADABLE, *KNOWS])
    done = judge(*GATE, "--format", "json")
    assert (done.code, done.report["gate"]["counts"]["n_failed"]) == (0, 1)
    done = judge(*GATE, "--max-failures", 0)
    assert done.code == 5
    assert failures(folder) > 0
    assert "failures 1.2% (at most 0%)" in done.sentence


def test_inspect_ai_4026_unreadable_verdicts_pass_no_gate(judge: Judge, folder: Path) -> None:
    for reply in ("**Answer: Assistant 1 is better**", "", '{"reason":"fine"}'):
        inputs(folder, *BETTER, rules=[{"reply": reply}])
        done = judge(*GATE, "--fresh")
        assert done.code == 5
        assert "\nno verdicts: " in done.out
        assert failures(folder) > 0


@pytest.mark.parametrize("rule", [{"error": "too_long"}, {"reply": "no"}])
def test_promptfoo_345_a_gate_over_nothing_does_not_pass(judge: Judge, folder: Path, rule: dict) -> None:
    inputs(folder, *BETTER, rules=[rule])
    assert judge(*GATE).code == 5
    assert failures(folder) > 0


def test_promptfoo_345_a_gate_over_empty_files_does_not_pass(judge: Judge, folder: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text("", encoding="utf-8")
    assert judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "--gate", "no-worse").code == 3
