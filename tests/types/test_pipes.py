"""Pipes that are looked at twice: kept as far as they were read, and only while that is asked for."""

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judgecli.errors import UsageError
from judgecli.types.pipes import can_be_reread, check_stdin, reopened, reread

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
TEXT = b"one\n" * 50_000


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@contextmanager
def written(pipe: Path, data: bytes) -> Iterator[None]:
    writer = threading.Thread(target=pipe.write_bytes, args=(data,), daemon=True)
    writer.start()
    yield
    writer.join(10)
    assert not writer.is_alive()


def content(path: Path, size: int = -1) -> bytes:
    stream = reopened(path)
    assert stream is not None
    with stream:
        return stream.read(size)


def test_a_pipe_is_read_as_often_as_one_likes(pipe: Path) -> None:
    with written(pipe, TEXT), reread([pipe]):
        assert content(pipe, 4) == b"one\n"
        assert content(pipe) == content(pipe) == TEXT


def test_no_more_is_read_than_was_asked_for() -> None:
    zero = Path("/dev/zero")
    if not zero.exists():
        pytest.skip("needs /dev/zero")
    with reread([zero]):
        assert content(zero, 10) == bytes(10)


def test_stdin_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    with reread(["-"]):
        assert content(Path("-")) == content(Path("-")) == TEXT
    assert not sys.stdin.buffer.closed


def test_stdin_is_one_input() -> None:
    check_stdin(["-", None, "a.jsonl", Path("b.jsonl")])
    with pytest.raises(UsageError, match=r"stdin \(-\) can be read once; give it for one of the inputs only"):
        check_stdin(["-", None, Path("-")])
    with pytest.raises(UsageError, match="one of the files only"):
        check_stdin(["-", "-"], "files")


def test_files_and_pipes_that_nobody_keeps_are_opened_as_ever(pipe: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(TEXT)
    with reread([file, tmp_path, tmp_path / "missing"]):
        assert [reopened(path) for path in (file, tmp_path, tmp_path / "missing", pipe)] == [None] * 4
        assert can_be_reread(file)
        assert not any(map(can_be_reread, (pipe, tmp_path, "missing", "-")))


def test_what_was_kept_is_forgotten_by_whoever_asked_first(pipe: Path) -> None:
    with written(pipe, TEXT), reread([pipe]):
        with reread([pipe]):
            assert content(pipe) == TEXT
        assert content(pipe) == TEXT
    assert reopened(pipe) is None
    with written(pipe, b"other"), reread([pipe]):
        assert content(pipe) == b"other"
