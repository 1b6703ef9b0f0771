"""Files as bytes or as numbered lines of UTF-8 text: plain, gzip or stdin, and what is wrong with one.

A file is opened once, and text is read forward only, so pipes and `<(...)` work like files.
"""

from __future__ import annotations

import difflib
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, cast

from judgecli.answers.wording import listed, shown
from judgecli.errors import DataError
from judgecli.types.paths import is_folder, is_there

STDIN = "-"
CHOICE = "#"
A_FOLDER = "is a folder; name the answer file in it, or the folder of a HELM run"
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x28\xb5\x2f\xfd": "compressed with zstd, which is not read; unpack it, or use gzip",
    b"BZh": "compressed with bzip2, which is not read; unpack it, or use gzip",
    b"\xfd7zX": "compressed with xz, which is not read; unpack it, or use gzip",
}


class Line(NamedTuple):
    """A line with its ending and its 1-based number."""

    number: int
    text: str


def file_name(path: str) -> str:
    """Return a path as messages and ledgers show it; a name that is not Unicode is escaped."""
    return "stdin" if path == STDIN else path.encode("utf-8", "backslashreplace").decode()


def file_stem(path: str) -> str:
    r"""Return the file's name without folder and suffixes; `C:\x\a.jsonl` gives `a` everywhere."""
    name = re.split(r"[\\/]", file_name(path))[-1].removesuffix(".gz")
    return re.sub(r"(?<=.)\.[A-Za-z][A-Za-z0-9]*$", "", name)


def split_choice(path: str) -> tuple[str, str | None]:
    """Return a file, and what is chosen of what it holds: `log.json#model-a` where there is a `log.json`.

    A file that is itself called so goes before; where neither is there the path is left as it is.
    """
    if path.startswith(f"{STDIN}{CHOICE}"):
        return STDIN, path.removeprefix(f"{STDIN}{CHOICE}")
    if CHOICE not in path or is_there(Path(path)):
        return path, None
    marks = (index for index, character in enumerate(path) if character == CHOICE)
    at = next((index for index in marks if index and is_there(Path(path[:index]))), None)
    return (path, None) if at is None else (path[:at], path[at + 1 :])


@contextmanager
def open_stream(path: str) -> Iterator[io.BufferedReader[Any]]:
    """Open an answer file for reading, gzip unpacked.

    Raises:
        DataError: The file is missing, unreadable, empty or damaged; also while it is read.
    """
    name = file_name(path)
    with ExitStack() as stack:
        try:
            yield _open_unpacked(path, name, stack)
        except IsADirectoryError as error:
            raise DataError(f"{name}: {A_FOLDER}") from error
        except FileNotFoundError as error:
            raise DataError(f"{name}: {_missing(path)}") from error
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise DataError(f"{name}: cannot be read ({reason})") from error
        except RecursionError as error:
            raise DataError(f"{name}: a row is nested too deeply to be an answer") from error


def _open_unpacked(path: str, name: str, stack: ExitStack) -> io.BufferedReader[Any]:
    stream: io.BufferedReader[Any]
    stream = _open_stdin(stack) if path == STDIN else stack.enter_context(_open_path(path, name))
    if stream.peek(2).startswith(b"\x1f\x8b"):
        unpacked = cast("io.RawIOBase", gzip.GzipFile(fileobj=stream))
        stream = stack.enter_context(io.BufferedReader(unpacked))
    if not stream.peek(4):
        raise DataError(f"{name}: empty (0 bytes); an answer file needs at least one row")
    return stream


def _open_stdin(stack: ExitStack) -> io.BufferedReader[Any]:
    stream = io.BufferedReader(cast("io.RawIOBase", sys.stdin.buffer))
    stack.callback(stream.detach)  # or the collector would close the process's own stdin
    return stream


def _open_path(path: str, name: str) -> io.BufferedReader[Any]:
    if is_folder(Path(path)):  # Windows reports a folder as "permission denied"
        raise DataError(f"{name}: {A_FOLDER}")
    try:
        return Path(path).open("rb")
    except ValueError as error:
        raise DataError(f"{shown(name)}: not a file name ({error})") from error


def _missing(path: str) -> str:
    """Say that a file is missing, and which names in its folder come close."""
    folder = Path(path).parent
    if not folder.is_dir():
        return f"no such file; there is no folder {file_name(str(folder))}"
    names: list[str] = []
    with suppress(OSError):  # a folder that may not be listed gives no suggestions
        names = sorted(entry.name for entry in folder.iterdir())
    close = difflib.get_close_matches(Path(path).name, names, n=3)
    return f"no such file; close to it: {listed(close)}" if close else "no such file"


def numbered_lines(stream: io.BufferedReader[Any], name: str) -> Iterator[Line]:
    r"""Yield decoded lines, split at `\n` bytes only: U+2028 and U+0085 belong to the text.

    Raises:
        DataError: The file is recognisably not text, or not UTF-8.
    """
    head = stream.peek(4)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name}: is {what}")
    offset = 0
    for number, raw in enumerate(stream, 1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        yield Line(number, _decode(body, f"{name}:{number}", offset + len(raw) - len(body)))
        offset += len(raw)


def _decode(body: bytes, where: str, offset: int) -> str:
    if b"\0" in body:
        at = offset + body.index(b"\0")
        raise DataError(f"{where}: NUL at byte {at}; binary data, or UTF-16 text to be saved as UTF-8")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        byte, at = body[error.start], offset + error.start
        raise DataError(f"{where}: not UTF-8 (0x{byte:02x} at byte {at}); save the file as UTF-8") from error
