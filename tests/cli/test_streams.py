"""Streams that are closed, full, or read by somebody who has enough; a caller with next to nothing."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import JUDGE, Judge
from tests.judging import last_rows, script, two_files

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a shell's redirections")
RUN = Path("a-vs-b.judge.jsonl")


@pytest.fixture
def pair(folder: Path) -> str:
    """A command line that judges two pairs."""
    two_files(folder, ["x", "x"], ["y", "y"])
    return " ".join([*JUDGE, "pair", "a.jsonl", "b.jsonl", *script(folder, "9 3")])


def shell(line: str) -> tuple[int, str, str]:
    """Return the exit code of the first command of a pipe, stdout and stderr."""
    result = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


def test_a_reader_that_has_enough_ends_it_quietly(pair: str) -> None:
    code, out, err = shell(f"{pair} -q | head -1")
    assert (code, err) == (0, "")
    assert out.startswith("no difference shown")
    code, out, err = shell(f"{pair} -q --fresh | true")
    assert (code, out, err) == (0, "", "")
    assert len(last_rows(RUN)) == 4


def test_a_reader_that_has_enough_of_stderr_changes_nothing(pair: str) -> None:
    code, _, _ = shell(f"{pair} 2>&1 >report.txt | true")
    assert code == 0
    assert Path("report.txt").read_text(encoding="utf-8").startswith("no difference shown")
    assert len(last_rows(RUN)) == 4


def test_a_closed_stderr_changes_nothing(pair: str) -> None:
    code, out, err = shell(f"{pair} 2>&-")
    assert (code, err) == (0, "")
    assert out.startswith("no difference shown")


def test_a_closed_stdout_is_refused_before_anything_is_judged(pair: str) -> None:
    code, out, err = shell(f"{pair} >&-")
    assert (code, out) == (6, "")
    assert err == "judge: stdout is closed, so the result cannot be written; redirect it to a file\n"
    assert not RUN.exists()


def test_a_closed_stdin_is_an_empty_one(pair: str) -> None:
    assert shell(f"{pair} <&-")[0] == 0
    code, _, err = shell(f"{pair.replace('a.jsonl', '-')} <&-")
    assert code == 3
    assert err.startswith("judge: stdin: empty")


def test_all_streams_closed(pair: str) -> None:
    assert shell(f"{pair} <&- >&- 2>&-") == (6, "", "")
    assert shell(f"{pair} --help <&- 2>&-")[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_stdout(pair: str) -> None:
    code, _, err = shell(f"{pair} >/dev/full")
    assert code == 6
    assert err.splitlines()[-1].startswith("judge: stdout: cannot be written (No space left on device)")
    assert "Exception" not in err
    assert len(last_rows(RUN)) == 4


def test_a_full_disk_under_the_run_file(pair: str, judge: Judge) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    result = subprocess.run(
        pair.split(), capture_output=True, text=True, timeout=60, check=False, preexec_fn=small_files
    )
    assert (result.returncode, result.stdout) == (6, "")
    last = result.stderr.splitlines()[-1]
    assert last == f"judge: {RUN}: cannot write the run file (File too large); name another with --out"
    assert RUN.stat().st_size == 3000
    assert shell(pair)[0] == 0
    assert len(last_rows(RUN)) == 4


def test_a_caller_without_home_or_path(pair: str, folder: Path) -> None:
    result = subprocess.run(
        pair.split(), capture_output=True, text=True, timeout=60, check=False, env={"LANG": "C"}
    )
    assert (result.returncode, result.stderr.count("\n")) == (0, 4)
    assert sorted(path.name for path in folder.iterdir()) == [RUN.name, "a.jsonl", "b.jsonl", "judge.jsonl"]


def test_forty_columns(pair: str, folder: Path) -> None:
    result = subprocess.run(
        pair.split(), capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "40"}
    )
    assert max(map(len, result.stdout.splitlines())) <= 40


def test_the_same_command_as_a_module_and_as_an_entry_point() -> None:
    from importlib.metadata import entry_points

    from judgecli.cli import main

    (command,) = entry_points(group="console_scripts", name="judge")
    assert command.load() is main


def test_help_that_nobody_reads_to_its_end_is_no_error() -> None:
    """Asked often, since it depends on which of the two processes is faster."""
    for _ in range(3):
        assert shell(f"{' '.join([*JUDGE, 'pair', '--help'])} | true") == (0, "", "")
