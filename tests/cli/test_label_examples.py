"""The commands that hold a judge against people, on the example files."""

import json
from pathlib import Path

from tests.conftest import Judge
from tests.judging import prefers, script

EXAMPLES = Path(__file__).parents[2] / "examples"
VERDICTS, ANNOTATORS = EXAMPLES / "verdicts.jsonl", EXAMPLES / "annotators.jsonl"


def test_verdicts_agree_with_most_people(judge: Judge) -> None:
    report = judge("agree", VERDICTS, ANNOTATORS, "--by", "kind", "--format", "json").report
    assert (report["compared"]["n"], report["annotators"]["n"]) == (196, 3)
    assert 0.75 < report["agreement"]["accuracy"]["value"] < 0.85
    assert len(report["splits"]["parts"]) == 4


def test_the_judge_may_stand_in_for_an_annotator(judge: Judge) -> None:
    report = judge("validate", VERDICTS, ANNOTATORS, "--format", "json").report
    assert report["passes"] is True
    assert [test["n"] for test in report["tests"]] == [197, 197, 197]


def test_a_threshold_is_certified_and_no_stricter_one(judge: Judge, folder: Path) -> None:
    command = ("calibrate", VERDICTS, ANNOTATORS, "-o", "cal.json")
    assert judge(*command).code == 0
    assert 0.5 < json.loads(Path("cal.json").read_text(encoding="utf-8"))["threshold"] < 0.8
    assert judge(*command, "--agree", 0.98).code == 0
    assert json.loads(Path("cal.json").read_text(encoding="utf-8"))["threshold"] is None


def test_labels_of_the_examples_are_of_its_pairs(judge: Judge, folder: Path) -> None:
    pairs, labels = EXAMPLES / "pairs.jsonl", EXAMPLES / "labels.jsonl"
    done = judge("agree", pairs, labels, *script(folder, *prefers("Sunlight")), "--format", "json")
    assert done.code == 0
    assert done.report["compared"]["n"] == 12
    assert done.report["compared"]["n_not_in_run"] == 0
    few = judge("report", "pairs.judge.jsonl", "--labels", labels)
    assert (few.code, "needs 20" in few.sentence) == (3, True)
