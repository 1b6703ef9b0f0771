"""The CI examples: what they run is run here, as far as a machine without GitHub can."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.judging import write_jsonl

CI = Path(__file__).parents[2] / "examples" / "ci"
N = 60


def write_inputs(folder: Path, *, candidate_wins: bool) -> None:
    rows = [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": f"Answer {n}: {'word ' * (12 + n % 7)}"}
        for n in range(N)
    ]
    better = [{**row, "answer": f"GOOD {row['answer']}"} for row in rows]
    write_jsonl(folder / "a.jsonl", rows if candidate_wins else better)
    write_jsonl(folder / "b.jsonl", better if candidate_wins else rows)
    write_jsonl(
        folder / "rules.jsonl",
        [
            {
                "matches": r"Assistant 1's Answer\]\s*GOOD(?!.*Assistant 2's Answer\]\s*GOOD)",
                "reply": "9 5\n",
            },
            {"matches": r"Assistant 2's Answer\]\s*GOOD", "reply": "5 9\n"},
            {"reply": "7 7\n"},
        ],
    )


def gate(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "BASELINE": "a.jsonl",
        "CANDIDATE": "b.jsonl",
        "JUDGE_MODEL": "scripted:rules.jsonl",
        "JUDGE_OPTIONS": "--prompt judgelm --control 0",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        **more,
    }
    command = ["sh", str(CI / "gate.sh")]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(("candidate_wins", "code", "decision"), [(True, 0, "PASS"), (False, 1, "FAIL")])
def test_the_shell_script_blocks_what_is_worse(
    folder: Path, candidate_wins: bool, code: int, decision: str
) -> None:
    write_inputs(folder, candidate_wins=candidate_wins)
    done = gate(folder)
    assert done.returncode == code, done.stderr
    reports = folder / "judge-report"
    names = {"report.md", "report.html", "report.xml", "report.json", "run.judge.jsonl"}
    assert names <= {path.name for path in reports.iterdir()}
    assert f"gate {decision}" in (folder / "summary.md").read_text(encoding="utf-8")
    report = json.loads((reports / "report.json").read_text(encoding="utf-8"))
    assert report["gate"]["decision"] == decision.lower()
    assert "<testsuite" in (reports / "report.xml").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_the_shell_script_can_ask_for_better(folder: Path) -> None:
    write_inputs(folder, candidate_wins=True)
    done = gate(folder, GATE="better")
    assert done.returncode == 0, done.stderr
    assert "gate PASS (better)" in (folder / "summary.md").read_text(encoding="utf-8")
    write_inputs(folder, candidate_wins=False)
    assert gate(folder, GATE="better", MARGIN="0.2").returncode == 1
    lost = json.loads((folder / "judge-report" / "report.json").read_text(encoding="utf-8"))["pairs"]
    assert {one["outcome"] for one in lost} == {"loss"}


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_an_error_leaves_no_report_of_an_earlier_run(folder: Path) -> None:
    """A green report.xml of yesterday must not be shown as today's."""
    write_inputs(folder, candidate_wins=True)
    assert gate(folder).returncode == 0
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    for wrong, code in (({"CANDIDATE": "missing.jsonl"}, 3), ({"JUDGE_MODEL": "missing.gguf"}, 4)):
        assert gate(folder, **wrong).returncode == code
        assert [path.name for path in (folder / "judge-report").iterdir()] == ["run.judge.jsonl"]
        assert (folder / "summary.md").read_text(encoding="utf-8") == summary


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_the_shell_script_needs_both_files_named(folder: Path) -> None:
    done = gate(folder, BASELINE="")
    assert done.returncode == 2
    assert "BASELINE" in done.stderr


def workflow() -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((CI / "github-workflow.yml").read_text(encoding="utf-8"))


def test_the_workflow_runs_what_is_tested_here() -> None:
    steps = workflow()["jobs"]["gate"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [
        'pip install "$JUDGECLI"',
        'judge pull "$JUDGE_MODEL" --yes',
        "sh ci/gate.sh",
    ]
    for name in ("gate.sh", "github-workflow.yml"):  # both say where both go
        text = (CI / name).read_text(encoding="utf-8")
        assert "to ci/gate.sh" in text
        assert ".github/workflows/judge.yml" in text


def test_weights_are_kept_once_a_model_and_judgments_once_a_run() -> None:
    steps = workflow()["jobs"]["gate"]["steps"]
    kept = {step["name"]: step for step in steps if "actions/cache" in step.get("uses", "")}
    keys = {name: step["with"]["key"] for name, step in kept.items()}
    assert keys["Find the judge"] == keys["Keep the judge"]
    assert "run_id" not in keys["Keep the judge"]
    assert "run_id" in keys["Keep the judgments"] == keys["Find earlier judgments"]
    assert "huggingface" not in kept["Keep the judgments"]["with"]["path"]
    restored = kept["Find earlier judgments"]["with"]["restore-keys"]
    assert keys["Keep the judgments"].startswith(restored)
    assert kept["Keep the judgments"]["if"] == "always()"
    assert workflow()[True]["push"] == {"branches": ["main"]}  # YAML reads `on` as true


def test_steps_that_need_a_report_are_left_out_without_one() -> None:
    steps = {step["name"]: step for step in workflow()["jobs"]["gate"]["steps"] if "name" in step}
    for name in ("Keep the reports", "Show failing pairs"):
        assert steps[name]["if"].startswith("always() && hashFiles(")
