"""Writing a run file: one row a line, each flushed before the next judgment is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import jsonlines

from judgecli.errors import OutputError
from judgecli.ledger.locking import lock, taken
from judgecli.ledger.rows import PlannedItem, dumps, entropy_row, item_row, judgment_row
from judgecli.types import EntropyReading, Judgment


def check_writable(path: Path) -> None:
    """Refuse a run file that could not be written, before a judge is loaded for it.

    Raises:
        OutputError: its folder is not there, or it may not be written.
    """
    if not path.parent.is_dir():
        message = f"{path}: there is no folder {path.parent}"
        raise OutputError(f"{message}; make it, or name another file with --out")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise OutputError(f"{path}: no permission to write the run file; name another with --out")


class LedgerWriter:
    """Appends rows to a run file; a context manager that closes it."""

    def __init__(self, path: Path, *, keep_bytes: int = 0, expected_bytes: int | None = None) -> None:
        """Open a run file to go on after its first `keep_bytes` bytes, and lock it while this object lives.

        `expected_bytes` is the size it had when it was read; None takes any.

        Raises:
            OutputError: the file cannot be written, or another run writes it or has done so since.
        """
        self._path = path
        try:
            self._file: TextIO = path.open("a", encoding="utf-8", newline="\n")
            is_free = lock(self._file.fileno()) is not False
            size_bytes = os.fstat(self._file.fileno()).st_size
            if is_free and expected_bytes in {None, size_bytes} and size_bytes > keep_bytes:
                os.truncate(path, keep_bytes)
        except OSError as error:
            raise self._cannot_write(error) from error
        if not is_free or expected_bytes not in {None, size_bytes}:
            self._file.close()
            message = f"{path}: another run has written it meanwhile; the same command goes on from there"
            raise OutputError(message) if is_free else taken(path)
        self._writer = jsonlines.Writer(self._file, dumps=dumps, flush=True)

    def write_plan(self, header: Mapping[str, Any], planned: Iterable[PlannedItem]) -> None:
        """Write a header and the rows of its items.

        Raises:
            OutputError: the file cannot be written.
        """
        self._write({"row": "header", **header})
        for one in planned:
            self._write(item_row(one))

    def write_judgment(self, judgment: Judgment) -> None:
        """Write one judgment.

        Raises:
            OutputError: the file cannot be written.
        """
        self._write(judgment_row(judgment))

    def write_entropy(self, reading: EntropyReading) -> None:
        """Write one entropy.

        Raises:
            OutputError: the file cannot be written.
        """
        self._write(entropy_row(reading))

    def _write(self, row: Mapping[str, Any]) -> None:
        try:
            self._writer.write(row)
        except OSError as error:
            raise self._cannot_write(error) from error

    def _cannot_write(self, error: OSError) -> OutputError:
        reason = error.strerror or error
        return OutputError(f"{self._path}: cannot write the run file ({reason}); name another with --out")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self._file.close()
        except OSError as failure:  # what could not be flushed before: said already, if by an OutputError
            if not isinstance(error, OutputError):
                raise self._cannot_write(failure) from failure
