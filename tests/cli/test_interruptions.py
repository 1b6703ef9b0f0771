"""A run that is interrupted loses nothing that was judged, and says so in one line."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import JUDGE, Judge
from tests.judging import prefers, read_rows, script, two_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
RUN = Path("a-vs-b.judge.jsonl")
N_PAIRS = 12


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    """A judge that takes 20 ms over each of 24 prompts, and cannot read one of the pairs."""
    texts = ["GOOD " if n % 3 else "poor " for n in range(N_PAIRS)]
    two_files(folder, [f"{text}{n}" for n, text in enumerate(texts)], ["GOOD seven"] * N_PAIRS)
    rules = [{"id": "q5", "reply": "I cannot."}, *prefers("GOOD")]
    return script(folder, *({**rule, "seconds": 0.02} for rule in rules))


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*JUDGE, "pair", "a.jsonl", "b.jsonl", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(process: subprocess.Popen[str], n_judgments: int) -> None:
    """Wait until the run file holds so many judgments, or the process is done."""
    while process.poll() is None:
        if RUN.exists() and RUN.read_bytes().count(b'"row": "judgment"') >= n_judgments:
            return
        time.sleep(0.002)


def test_an_interrupt_while_judging_is_one_line(judge: Judge, model: tuple[str, ...]) -> None:
    process = start(*model)
    wait_for(process, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    n_rows = len(read_rows(RUN, "judgment"))
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == (
        f"judge: interrupted; {n_rows} of 24 judgments are in {RUN}, and the same command goes on from there"
    )
    assert "Traceback" not in err
    again = judge("pair", "a.jsonl", "b.jsonl", *model)
    assert f"going on in {RUN}: {n_rows} of 24 judgments there" in again.err
    assert again.code == 0


def test_a_second_run_on_the_same_file_is_told_of_the_first(judge: Judge, model: tuple[str, ...]) -> None:
    first = start(*model)
    wait_for(first, 3)
    second = judge("pair", "a.jsonl", "b.jsonl", *model)
    assert (second.code, second.out) == (6, "")
    assert second.sentence.startswith(f"{RUN}: another run is writing it (process {first.pid} on ")
    assert second.sentence.endswith("; wait for that one, or name another with --out")
    assert first.wait(20) == 0
    assert len(read_rows(RUN, "judgment")) == 2 * N_PAIRS
    assert not list(Path().glob("*.lock"))


def test_the_lock_of_a_killed_run_is_replaced_and_said(judge_process: Judge, model: tuple[str, ...]) -> None:
    first = start(*model)
    wait_for(first, 3)
    first.kill()
    first.communicate()
    second = judge_process("pair", "a.jsonl", "b.jsonl", *model)
    assert second.code == 0
    (said,) = (line for line in second.err.splitlines() if line.startswith("warning: "))
    assert said.startswith(f"warning: {RUN}.lock: left by a run that was cut short (process {first.pid} on ")
    assert not list(Path().glob("*.lock"))


def test_an_interrupt_before_judging_is_one_line(judge: Judge, model: tuple[str, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("judgecli.run.pair.load_pairs", interrupted)
        done = judge("pair", "a.jsonl", "b.jsonl", *model)
    assert (done.code, done.out) == (130, "")
    assert done.sentence.startswith("interrupted; ")
    assert not RUN.exists()


def interrupted(_: object) -> None:
    raise KeyboardInterrupt


def test_a_bug_is_said_to_be_one(
    judge: Judge, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("unforeseen [/INST]")

    monkeypatch.setattr("judgecli.run.pair.load_pairs", broken)
    done = judge("pair", "a.jsonl", "b.jsonl", *model)
    assert (done.code, done.out) == (70, "")
    assert "RuntimeError: unforeseen [/INST]" in done.err
    assert done.err.splitlines()[-1] == "judge: this is a bug in judgecli; please report the lines above"
