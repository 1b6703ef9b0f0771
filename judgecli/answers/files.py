"""Files as bytes or as numbered lines of UTF-8 text: plain, gzip or stdin, and what is wrong with one.

Text is read forward only, so pipes and `<(...)` work like files; who opens one twice has it kept (`reread`).
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
from judgecli.types.pipes import STDIN, reopened

CHOICE = "#"
A_FOLDER = "is a folder; name the answer file in it, or the folder of a HELM run"
_MAX_LINE_BYTES = 2**26
_PIECE_BYTES = 2**20
# Where the same long prompt is in every row, text packs 50 times smaller, or 100; gzip can do 1,000.
_MAX_PACKED_TIMES = 200
_MANY_BYTES = 2**26  # less than this may pack as well as it likes
_BOM = b"\xef\xbb\xbf"
_FOREIGN = {
    b"\xff\xfe\0\0": "UTF-32 text; save it as UTF-8",
    b"\0\0\xfe\xff": "UTF-32 text; save it as UTF-8",
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
        except MemoryError as error:
            raise DataError(f"{name}: does not fit into memory; split it into smaller files") from error
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise DataError(f"{name}: cannot be read ({reason})") from error
        except RecursionError as error:
            raise DataError(f"{name}: a row is nested too deeply to be an answer") from error


def _open_unpacked(path: str, name: str, stack: ExitStack) -> io.BufferedReader[Any]:
    stream: io.BufferedReader[Any]
    kept = reopened(path)
    if kept is not None:
        stream = stack.enter_context(kept)
    else:
        stream = _open_stdin(stack) if path == STDIN else stack.enter_context(_open_path(path, name))
    if stream.peek(2).startswith(b"\x1f\x8b"):
        stream = stack.enter_context(io.BufferedReader(_Unpacked(stream, name)))
    if not stream.peek(4):
        raise DataError(f"{name}: empty (0 bytes); an answer file needs at least one row")
    return stream


class _Packed(io.RawIOBase):
    """What is unpacked, counted as it is read."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream = stream
        self.n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        n = self._stream.readinto(buffer)
        self.n_bytes += n
        return n


class _Unpacked(io.RawIOBase):
    """The content of gzip data, forward only; refused where a small file would fill the memory."""

    def __init__(self, stream: io.BufferedReader[Any], name: str) -> None:
        self._packed = _Packed(stream)
        self._file = gzip.GzipFile(fileobj=self._packed, mode="rb")
        self._name = name
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        self._n_bytes += len(data)
        check_packing(self._name, self._packed.n_bytes, self._n_bytes)
        buffer[: len(data)] = data
        return len(data)


def check_packing(name: str, n_packed: int, n_unpacked: int, advice: str = "unpack it first") -> None:
    """Raise DataError for a packed file that is made to fill the memory, and holds no answers."""
    if n_unpacked > max(_MANY_BYTES, _MAX_PACKED_TIMES * n_packed):
        raise DataError(
            f"{name}: unpacks to more than {_MAX_PACKED_TIMES} times its size, as answers never do; if they "
            f"are in it, {advice}"
        )


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
        DataError: The file is recognisably not text, not UTF-8, or not made of lines.
    """
    head = stream.peek(4)
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise DataError(f"{name}: is {what}")
    offset = 0
    for number, raw in enumerate(_raw_lines(stream, name), 1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        yield Line(number, _decode(body, f"{name}:{number}", offset + len(raw) - len(body)))
        offset += len(raw)


def _raw_lines(stream: io.BufferedReader[Any], name: str) -> Iterator[bytes | bytearray]:
    number = 0
    while raw := stream.readline(_PIECE_BYTES):
        number += 1
        is_whole = len(raw) < _PIECE_BYTES or raw.endswith(b"\n")
        yield raw if is_whole else _long_line(raw, stream, f"{name}:{number}")


def _long_line(piece: bytes, stream: io.BufferedReader[Any], where: str) -> bytearray:
    """Return a line that begins with a piece, up to where it turns out to be binary data."""
    line = bytearray(piece)
    while piece and b"\0" not in piece and not piece.endswith(b"\n"):
        if len(line) > _MAX_LINE_BYTES:
            most = f"{_MAX_LINE_BYTES // 2**20} MiB"
            raise DataError(f"{where}: more than {most} in one line; write JSON Lines, one row a line")
        piece = stream.readline(_PIECE_BYTES)
        line += piece
    return line


def _decode(body: bytes | bytearray, where: str, offset: int) -> str:
    if b"\0" in body:
        at = offset + body.index(b"\0")
        raise DataError(f"{where}: NUL at byte {at}; binary data, or UTF-16 text to be saved as UTF-8")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        byte, at = body[error.start], offset + error.start
        raise DataError(f"{where}: not UTF-8 (0x{byte:02x} at byte {at}); save the file as UTF-8") from error
