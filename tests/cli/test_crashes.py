"""SIGKILL at any moment: no row lost, none doubled, and the run ends like one that was left alone."""

import json
import random
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Judge
from tests.judging import Row, prefers, read_rows, script, two_files
from tests.processes import start_judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
RUN = Path("run.jsonl")
N_PAIRS, N_KILLS = 12, 25
SLOW = {"seconds": 0.01}


@pytest.fixture
def single(folder: Path) -> tuple[str, ...]:
    """A judge that cannot read one of the pairs."""
    texts = ["GOOD " if n % 3 else "poor " for n in range(N_PAIRS)]
    two_files(folder, [f"{text}{n}" for n, text in enumerate(texts)], ["GOOD seven"] * N_PAIRS)
    rules: list[Row] = [{"id": "q5", "reply": "I cannot."}, *prefers("GOOD")]
    return script(folder, *({**rule, **SLOW} for rule in rules))


@pytest.fixture
def cascade(folder: Path) -> tuple[str, ...]:
    """A judge whose verdicts mostly depend on the order, and a stronger one for those and for failures."""
    two_files(folder, [f"GOOD {n}" for n in range(N_PAIRS)], ["poor"] * N_PAIRS)
    rules: list[Row] = [
        {"id": "q5", "reply": "I cannot."},
        *({"id": f"q{n}", **rule} for n in (1, 2, 3) for rule in prefers("GOOD")),
        {"reply": "9 3"},
    ]
    stronger = script(folder, *({**rule, **SLOW} for rule in prefers("GOOD")), name="stronger.jsonl")
    first = script(folder, *({**rule, **SLOW} for rule in rules))
    return (*first, "--escalate", stronger[1], "--order-dependent", "--failed")


@pytest.mark.filterwarnings("ignore:.*left by a run that was cut short")
@pytest.mark.parametrize("kind", ["single", "cascade"])
def test_killed_again_and_again_a_run_ends_like_one_that_was_left_alone(
    judge: Judge, folder: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    command = ["pair", "a.jsonl", "b.jsonl", *request.getfixturevalue(kind)]
    assert judge(*command, "--out", "whole.jsonl").code == 0
    whole = judged(Path("whole.jsonl"))
    uninterrupted = judge("report", "whole.jsonl", "--format", "json").report
    chance = random.Random(7)
    n_killed, n_between = 0, 0
    while n_killed < N_KILLS:
        before = whole_lines(RUN)
        process = start_judge(folder, *command, "--out", RUN)
        wait(process, before.count(b"\n") + chance.randint(1, 8))
        process.join(chance.uniform(0, 0.02))
        process.kill()
        process.join()
        after = whole_lines(RUN)
        assert after.startswith(before)  # no row lost
        if process.exitcode == 0:
            assert judged(RUN) == whole
            RUN.unlink()
            continue
        assert process.exitcode == -9, (folder / "stderr.txt").read_text(encoding="utf-8")
        n_killed += 1
        n_between += len(before) < len(after) and b'"judgment"' in before
        if after.count(b"\n") > N_PAIRS:  # the plan is there
            assert judge("report", RUN, "--format", "json").code == 0
    assert n_between > N_KILLS / 5  # many of them killed a run that had been killed before, on its way
    done = judge(*command, "--out", RUN, "--format", "json")
    assert judged(RUN) == whole
    for part in ("counts", "estimates", "flags", "notes"):
        assert done.report[part] == uninterrupted[part]
    assert not list(folder.glob("*.lock"))


def wait(process: BaseProcess, n_lines: int) -> None:
    """Wait until the run file has so many lines, or the process is done."""
    while process.is_alive() and whole_lines(RUN).count(b"\n") < n_lines:
        time.sleep(0.001)


def whole_lines(path: Path) -> bytes:
    content = path.read_bytes() if path.exists() else b""
    return content[: content.rfind(b"\n") + 1]


def judged(path: Path) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return each judgment, seconds aside; none of them is there twice."""
    rows = [{**row, "elapsed_s": None} for row in read_rows(path, "judgment")]
    found = {(row["item_id"], row["order"], row["judge"]): row for row in rows}
    assert len(found) == len(rows), json.dumps(rows)
    return found
