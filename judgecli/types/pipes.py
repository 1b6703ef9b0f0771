"""Pipes as files: what a named pipe, `<(...)` or stdin gave is kept where it has to be looked at twice."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from judgecli.errors import UsageError
from judgecli.types.paths import is_file, is_folder, is_there

STDIN = "-"
_IN_MEMORY_BYTES = 2**26


def check_stdin(paths: Iterable[str | Path | None], what: str = "inputs") -> None:
    """Refuse stdin for more than one of these paths; None is no path.

    Raises:
        UsageError: it is given twice, and can be read once.
    """
    if sum(path is not None and str(path) == STDIN for path in paths) > 1:
        raise UsageError(f"stdin ({STDIN}) can be read once; give it for one of the {what} only")


@contextmanager
def reread(paths: Iterable[str | Path]) -> Iterator[None]:
    """Let pipes among these paths, `-` being stdin, be opened more than once while this lasts."""
    with ExitStack() as stack:
        for name in {str(Path(path)) for path in paths} - _KEPT.keys():
            if name == STDIN or _is_pipe(Path(name)):
                _KEPT[name] = stack.enter_context(_Kept(name))
                stack.callback(_KEPT.pop, name)
        yield


def can_be_reread(path: str | Path) -> bool:
    """Whether what is at a path may be looked at without being lost: a file, or a pipe that is kept."""
    name = str(Path(path))
    return name in _KEPT or (name != STDIN and is_file(Path(name)) and os.access(name, os.R_OK))


def reopened(path: str | Path) -> io.BufferedReader | None:
    """Return what a pipe that is kept holds, from its beginning; None for anything else.

    Raises:
        OSError: the pipe cannot be opened; or read, while reading.
    """
    kept = _KEPT.get(str(Path(path)))
    return None if kept is None else io.BufferedReader(_FromStart(kept.opened()))


def _is_pipe(path: Path) -> bool:
    return is_there(path) and not is_file(path) and not is_folder(path)


class _Kept:
    """A pipe, and what was read of it so far: no more than somebody asked for."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._files = ExitStack()
        self._source: IO[bytes] | None = None
        spool = SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 - closed with the others
        self._spool = self._files.enter_context(spool)
        self._n_bytes = 0
        self._has_ended = False

    def opened(self) -> _Kept:
        """Open the pipe, if nobody did so before."""
        if self._source is None:
            self._source = self._open()
        return self

    def _open(self) -> IO[bytes]:
        if self._name == STDIN:
            return sys.stdin.buffer  # which is the process's own, to be left open
        return self._files.enter_context(Path(self._name).open("rb"))

    def read(self, position: int, size: int) -> bytes:
        """Return up to `size` bytes from a position that was read up to; none where the pipe has ended."""
        if position < self._n_bytes:
            self._spool.seek(position)
            return self._spool.read(size)
        if self._has_ended or self._source is None:  # another writer of the pipe is another input
            return b""
        data = self._source.read(size)
        self._has_ended = not data
        self._spool.seek(position)
        self._n_bytes += self._spool.write(data)
        return data

    def __enter__(self) -> _Kept:
        return self

    def __exit__(self, *_error: object) -> None:
        self._files.close()


_KEPT: dict[str, _Kept] = {}


class _FromStart(io.RawIOBase):
    """A pipe that is kept, read from its beginning."""

    def __init__(self, kept: _Kept) -> None:
        self._kept = kept
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        data = self._kept.read(self._position, len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)
