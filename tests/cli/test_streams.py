"""Streams that are closed, full, or read by somebody who has enough; a caller with next to nothing."""

import gzip
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import JUDGE, Judge
from tests.judging import last_rows, script, two_files
from tests.processes import shell

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a shell's redirections")
RUN = Path("a-vs-b.judge.jsonl")


@pytest.fixture
def pair(folder: Path) -> str:
    """A command line that judges two pairs."""
    two_files(folder, ["x", "x"], ["y", "y"])
    return " ".join([*JUDGE, "pair", "a.jsonl", "b.jsonl", *script(folder, "9 3")])


def test_a_reader_that_has_enough_ends_it_quietly(pair: str) -> None:
    code, out, err = shell(f"{pair} -q | head -1")
    assert (code, err) == (0, "")
    assert out.startswith("no difference shown")
    code, out, err = shell(f"{pair} -q --fresh | true")
    assert (code, out, err) == (0, "", "")
    assert len(last_rows(RUN)) == 4


def test_a_reader_that_is_gone_hides_no_verdict(pair: str, folder: Path) -> None:
    code, out, err = shell(f"{pair} -q --gate better -r r.md | true")
    assert (code, out) == (5, "")
    assert err.startswith("judge: gate INCONCLUSIVE")
    assert Path("r.md").exists()
    script(folder, "I cannot say.")
    code, out, err = shell(f"{pair} -q --fresh -r failed.md | true")
    assert (code, out) == (5, "")
    assert err.startswith("judge: nothing was judged: 2 of 2 pairs failed")
    assert Path("failed.md").exists()
    assert shell(f"{' '.join(JUDGE)} report {RUN} | true") == (0, "", "")
    code, _, err = shell(f"{' '.join(JUDGE)} inspect missing.jsonl | true")
    assert (code, err) == (3, "judge: 1 of 1 cannot be read, for the reasons above\n")


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


def with_memory(n_bytes: int, *arguments: str) -> tuple[int, str]:
    """Return the exit code and stderr of `judge` where no more memory is to be had."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))

    result = subprocess.run(
        [*JUDGE, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=limited,
    )
    return result.returncode, result.stdout + result.stderr


def test_a_small_file_that_unpacks_to_a_gigabyte(folder: Path) -> None:
    piece = gzip.compress(b"x" * 10**7)
    Path("a.jsonl.gz").write_bytes(gzip.compress(b'{"id": "q1", "answer": "') + piece * 100)
    code, said = with_memory(2**29, "inspect", "a.jsonl.gz")
    assert code == 3
    assert "a.jsonl.gz\n! unpacks to more than 200 times its size" in said


@pytest.mark.parametrize("command", ["inspect", "report"])
def test_a_device_without_end(command: str) -> None:
    code, said = with_memory(2**29, command, "/dev/zero")
    assert (code, "Traceback" in said, "/dev/zero" in said) == (3, False, True)


def test_an_input_that_does_not_fit_into_memory(folder: Path) -> None:
    Path("a.json").write_bytes(b"[" + b"{}," * 15_000_000 + b"{}]")
    code, said = with_memory(2**28, "inspect", "a.json")
    assert (code, "Traceback" in said) == (3, False)
    assert "a.json\n! does not fit into memory; split it into smaller files" in said


def test_a_caller_without_home_or_path(pair: str, folder: Path) -> None:
    result = subprocess.run(
        pair.split(), capture_output=True, text=True, timeout=60, check=False, env={"LANG": "C"}
    )
    assert (result.returncode, result.stderr.count("\n")) == (0, 4)
    assert sorted(path.name for path in folder.iterdir()) == [RUN.name, "a.jsonl", "b.jsonl", "judge.jsonl"]


@pytest.mark.parametrize(
    "locale",
    [{"PYTHONIOENCODING": "latin-1"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}],
    ids=["latin-1", "C"],
)
def test_all_but_the_terminal_report_is_utf8_whatever_the_locale(
    pair: str, folder: Path, locale: dict[str, str]
) -> None:
    two_files(folder, ["x 😀 ü", "x"], ["y", "y"])
    files = "-r r.html -r r.md -r r.xml -r r.json -q"
    for form, name in (("html", "r.html"), ("markdown", "r.md"), ("junit", "r.xml"), ("json", "r.json")):
        command = [*pair.split(), "--format", form, *files.split(), "--only", "ties,wins,losses"]
        result = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **locale})
        assert (result.returncode, result.stderr) == (0, b"")
        if form != "json":  # which has the pairs on stdout alone
            assert b"".join(result.stdout.splitlines()) == b"".join(Path(name).read_bytes().splitlines())
    assert "😀".encode() in Path("r.html").read_bytes()
    shown = [
        *JUDGE,
        "prompt",
        "show",
        "a.jsonl",
        "b.jsonl",
        "--prompt",
        "judgelm",
        "--model",
        "scripted:judge.jsonl",
    ]
    result = subprocess.run(shown, capture_output=True, check=False, env={**os.environ, **locale})
    assert "x 😀 ü".encode() in result.stdout
    plain = subprocess.run(pair.split(), capture_output=True, check=False, env={**os.environ, **locale})
    assert plain.returncode == 0


def test_forty_columns(pair: str, folder: Path) -> None:
    result = subprocess.run(
        pair.split(), capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "40"}
    )
    assert max(map(len, result.stdout.splitlines())) <= 40


@pytest.mark.parametrize("columns", ["99999999999999999999", "300000000", "9" * 5000])
def test_more_columns_than_any_terminal_has(judge: Judge, folder: Path, columns: str) -> None:
    two_files(folder, ["x", "x"], ["y", "y"])
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "-q", COLUMNS=columns)
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= 1000
    for command in (("inspect", "a.jsonl"), ("doctor",)):
        assert judge(*command, COLUMNS=columns).code in {0, 4}


def test_the_same_command_as_a_module_and_as_an_entry_point() -> None:
    from importlib.metadata import entry_points

    from judgecli.cli import main

    (command,) = entry_points(group="console_scripts", name="judge")
    assert command.load() is main


def test_help_that_nobody_reads_to_its_end_is_no_error() -> None:
    """Asked often, since it depends on which of the two processes is faster."""
    for _ in range(3):
        assert shell(f"{' '.join([*JUDGE, 'pair', '--help'])} | true") == (0, "", "")
