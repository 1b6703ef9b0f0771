"""The main job on the example files with the demo weights, as the README's first command runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import demo_weights

pytestmark = pytest.mark.demo
EXAMPLES = Path(__file__).parents[1] / "examples"


def judge(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, with a home and caches of its own."""
    demo_weights()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "JUDGE_"))
    }
    environment |= {
        "HOME": str(folder),
        "JUDGE_CACHE_DIR": str(folder / "cache"),
        "NO_COLOR": "1",
        "COLUMNS": "80",
    }
    command = [sys.executable, "-m", "judgecli", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def test_readmes_first_command(tmp_path: Path) -> None:
    files = [str(EXAMPLES / name) for name in ("baseline.jsonl", "candidate.jsonl")]
    done = judge(
        "pair", *files, "--reference", str(EXAMPLES / "references.jsonl"), "--model", "demo", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "demo judge" in done.stdout
    assert "judge pull judgelm-7b" in done.stdout
    assert "12 comparisons (22 judgments)" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    run_file = tmp_path / "baseline-vs-candidate.judge.jsonl"
    judgments = [row for row in rows(run_file) if row["row"] == "judgment"]
    assert len(judgments) == 22
    assert sum(row["mass"] > 0.5 for row in judgments) >= 0.95 * len(judgments)  # type: ignore[operator]
    assert all(row["winner"] and row["failure"] is None for row in judgments)
    again = judge("report", str(run_file), folder=tmp_path)
    assert (again.returncode, again.stdout) == (0, done.stdout)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("grade candidate.jsonl --reference references.jsonl", "mean score"),
        ("grade candidate.jsonl --rubric rubric.toml", "rubric rubric.toml"),
        ("rank baseline.jsonl candidate.jsonl third.jsonl", "every two models"),
        ("pair chat-baseline.jsonl chat-candidate.jsonl", "the last turn of 2 conversations"),
        ("pair baseline.jsonl candidate.jsonl --cot", "reasons first"),
        ("pair baseline.jsonl candidate.jsonl --aspect safety", "aspect safety"),
        ("pair baseline.jsonl candidate.jsonl --shots shots.jsonl", "shots shots.jsonl"),
    ],
)
def test_other_commands_on_the_examples(tmp_path: Path, command: str, said: str) -> None:
    arguments = [str(EXAMPLES / word) if "." in word else word for word in command.split()]
    done = judge(*arguments, "--limit", "2", "--model", "demo", "--min-mass", "0.2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert said in " ".join(done.stdout.split())
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_judgelm_prompt_with_reasons_on_weights_that_do_not_know_it(tmp_path: Path) -> None:
    """A model without the training keeps to the grammar, and its mass says that it did not want to."""
    options = ("--prompt", "judgelm", "--limit", "2", "--format", "json")
    files = (str(EXAMPLES / "pairs.jsonl"),)
    low = judge("pair", *files, "--model", "demo", *options, folder=tmp_path)
    assert low.returncode == 5
    assert "nothing was judged" in low.stderr
    counts = json.loads(low.stdout)["counts"]
    assert (counts["verdicts"], counts["failures"]) == (0, {"low_mass": 2})
    # a context just above the prompts leaves some tokens for reasons, which end with it
    unguarded = ("--min-mass", "0", "--reasons", "--n-ctx", "360")
    forced = judge("pair", *files, "--model", "demo", *options, *unguarded, "-o", "b.jsonl", folder=tmp_path)
    assert forced.returncode == 0, forced.stderr
    judgments = [row for row in rows(tmp_path / "b.jsonl") if row["row"] == "judgment"]
    assert len(judgments) == 4
    for row in judgments:
        first = row["text"].split("\n")[0]  # type: ignore[attr-defined]
        scores = sorted(float(score) for score in first.split(" "))
        assert sorted(row["scores"].values()) == scores  # type: ignore[type-var]
        assert len(row["text"]) > len(first) + 1  # type: ignore[arg-type]
        assert row["flags"] == ["reasons cut"]


def test_llama_cpp_python_416_and_471_long_answers_need_no_option(tmp_path: Path) -> None:
    """Two answers of 700 words get a context of their size, and --parallel changes no verdict."""
    words = "The committee met on Tuesday and agreed to postpone the vote. " * 64
    rows_of = [
        {"id": "q1", "question": "What happened?", "answer_a": words, "answer_b": f"{words} Nothing else."}
    ]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, rows_of)) + "\n", encoding="utf-8")
    judgments = []
    for name, more in (("one.jsonl", ()), ("two.jsonl", ("--parallel", "2"))):
        done = judge(
            "pair", str(pairs), "--model", "demo", "--orders", "ab", "-o", name, *more, folder=tmp_path
        )
        assert done.returncode == 0, done.stderr
        header, *_, judgment = rows(tmp_path / name)
        assert judgment["n_prompt_tokens"] > 1400  # type: ignore[operator]
        assert judgment["n_prompt_tokens"] < header["backend"]["n_ctx"] == 2048  # type: ignore[index, operator]
        assert "context 2,048 of 8,192 tokens" in done.stderr
        judgments.append({key: value for key, value in judgment.items() if key != "elapsed_s"})
    assert judgments[0] == judgments[1]
