"""What is at a path, as rows: text, Parquet, the archive of an inspect log, or the folder of a HELM run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judgecli.answers.archives import archive_row
from judgecli.answers.containers import Container, Row, read_rows
from judgecli.answers.files import file_name, numbered_lines, open_stream
from judgecli.answers.folders import folder_row
from judgecli.answers.parquet import parquet_rows
from judgecli.types.paths import is_folder
from judgecli.types.pipes import STDIN

_ZIP, _PARQUET = b"PK\x03\x04", b"PAR1"


@contextmanager
def open_rows(path: str, forced: Container | None = None) -> Iterator[tuple[Container, Iterator[Row]]]:
    """Open what is at a path, `-` being stdin, and tell from its content how rows are stored in it.

    Raises:
        DataError: It is missing, unreadable, empty, damaged, or nothing that is read; while iterating, a
            bad row.
    """
    name = file_name(path)
    if path != STDIN and is_folder(Path(path)):
        yield Container.FOLDER, iter([folder_row(path, name)])
        return
    with open_stream(path) as stream:
        head = stream.peek(4)
        if head.startswith(_ZIP):
            yield Container.ZIP, iter([archive_row(stream, name)])
        elif head.startswith(_PARQUET):
            yield Container.PARQUET, parquet_rows(stream, name)
        else:
            yield read_rows(numbered_lines(stream, name), name, forced)
