"""Two runs on one run file: the second is refused and told of the first; what a dead run left is replaced."""

import json
import os
import re
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from judgecli.errors import OutputError
from judgecli.ledger import LedgerWriter, run_lock
from judgecli.ledger.locking import lock_file
from tests.ledger.made_up import write_run

pytest.importorskip("fcntl", reason="locks of POSIX")
HOLD = """
import sys
from pathlib import Path
from judgecli.ledger import run_lock
with run_lock(Path(sys.argv[1])):
    print('held', flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    return write_run(tmp_path / "run.jsonl")


def another_process(run_file: Path) -> subprocess.Popen[str]:
    """Hold a run file in another process until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(run_file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def refused(run_file: Path) -> str:
    with pytest.raises(OutputError) as error, run_lock(run_file):
        pass
    return str(error.value)


def leave_a_note(run_file: Path) -> str:
    """Leave the note of a run that was killed; return what it says."""
    process = another_process(run_file)
    process.kill()
    process.communicate()
    return lock_file(run_file).read_text(encoding="utf-8")


def test_the_second_run_is_told_who_the_first_is(run_file: Path) -> None:
    process = another_process(run_file)
    note = json.loads(lock_file(run_file).read_text(encoding="utf-8"))
    assert note == {"pid": process.pid, "host": socket.gethostname(), "started_at": note["started_at"]}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", note["started_at"])
    who = f"process {process.pid} on {note['host']}, since {note['started_at']}"
    assert refused(run_file) == (
        f"{run_file}: another run is writing it ({who}); wait for that one, or name another with --out"
    )
    process.communicate("")
    with run_lock(run_file):
        pass


def test_two_runs_of_one_process_are_two(run_file: Path) -> None:
    with run_lock(run_file):
        assert f"process {os.getpid()} on " in refused(run_file)
    with run_lock(run_file):
        pass


def test_a_run_that_ends_leaves_nothing(run_file: Path) -> None:
    with run_lock(run_file):
        assert lock_file(run_file).exists()
    assert not lock_file(run_file).exists()
    with pytest.raises(KeyboardInterrupt), run_lock(run_file):
        raise KeyboardInterrupt
    assert not lock_file(run_file).exists()


def test_what_a_killed_run_left_is_said_and_replaced(run_file: Path) -> None:
    left = json.loads(leave_a_note(run_file))
    said = (
        rf"run.jsonl.lock: left by a run that was cut short \(process {left['pid']} on .*\); this run takes"
    )
    with pytest.warns(RuntimeWarning, match=said), run_lock(run_file):
        assert json.loads(lock_file(run_file).read_text(encoding="utf-8"))["pid"] == os.getpid()
    assert not lock_file(run_file).exists()


def test_a_note_that_is_longer_than_the_next_one_leaves_no_rest(run_file: Path) -> None:
    note = {"pid": 1, "host": "h" * 200, "started_at": "2026-01-01T00:00:00+00:00"}
    lock_file(run_file).write_text(json.dumps(note), encoding="utf-8")
    with pytest.warns(RuntimeWarning, match="process 1 on hhh"), run_lock(run_file):
        assert f"process {os.getpid()} on " in refused(run_file)


@pytest.mark.parametrize(
    "content", ["mine\n", "[1]", '{"pid": 1}', '{"pid": "1", "host": 2, "started_at": 3}']
)
def test_somebody_elses_file_of_that_name_stays_as_it_is(run_file: Path, content: str) -> None:
    lock_file(run_file).write_text(content, encoding="utf-8")
    with (
        run_lock(run_file),
        LedgerWriter(run_file),
        pytest.raises(OutputError, match="another run is writing"),
    ):
        LedgerWriter(run_file)
    assert lock_file(run_file).read_text(encoding="utf-8") == content


@pytest.mark.parametrize("kind", ["folder", "link", "dangling link", "pipe"])
def test_what_is_no_plain_file_is_left_alone(run_file: Path, tmp_path: Path, kind: str) -> None:
    place, victim = lock_file(run_file), tmp_path / "victim"
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to(victim)
    if kind == "link":
        victim.write_bytes(b"")
    with run_lock(run_file):
        pass
    assert place.is_symlink() or place.exists()
    assert victim.exists() == (kind == "link")


def test_where_no_lock_file_can_be_made_the_run_file_itself_is_locked(tmp_path: Path) -> None:
    long = write_run(tmp_path / f"{'x' * 249}.jsonl")  # as long as a name can be: its lock's would be longer
    with run_lock(long), LedgerWriter(long), pytest.raises(OutputError, match="another run is writing it;"):
        LedgerWriter(long)
    with run_lock(tmp_path / "missing" / "run.jsonl"):
        pass


def test_a_lock_file_that_is_removed_under_a_waiting_run_is_made_again(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The holder ends between the opening of its file and the lock on it."""
    opened, seen = os.open, []

    def open_and_remove(path: Path, *arguments: int) -> int:
        descriptor = opened(path, *arguments)
        if path == lock_file(run_file) and not seen:
            path.unlink()
        seen.append(path)
        return descriptor

    monkeypatch.setattr("os.open", open_and_remove)
    with run_lock(run_file):
        assert lock_file(run_file).exists()
    assert seen == [lock_file(run_file)] * 2


def test_a_file_system_without_locks_gets_no_lock_file_that_would_lie(
    run_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", flock)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with run_lock(run_file), run_lock(run_file):
                assert not lock_file(run_file).exists()
