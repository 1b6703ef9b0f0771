"""The CI examples: what they run is run here, as far as a machine without GitHub can."""

import json
import os
import subprocess
import sys
from pathlib import Path

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
def test_the_shell_script_hands_on_other_errors(folder: Path) -> None:
    write_inputs(folder, candidate_wins=True)
    assert gate(folder, CANDIDATE="missing.jsonl").returncode == 3


def test_the_workflow_runs_what_is_tested_here() -> None:
    text = (CI / "github-workflow.yml").read_text(encoding="utf-8")
    commands = [line.split("run: ", 1)[1] for line in text.splitlines() if "run: " in line]
    assert commands == [
        "pip install judgecli",
        'judge pull "$JUDGE_MODEL" --yes',
        "sh examples/ci/gate.sh",
    ]
    assert "report.xml" in text
