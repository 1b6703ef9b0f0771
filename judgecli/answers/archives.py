"""ZIP archives: of those that are read, the `.eval` logs of inspect, as the object a `.json` log is.

An archive has `header.json` and a file for each sample in `samples/`, named after its id, slashes and all; a
log that was cut short has no header yet, and `_journal/start.json` in its place. A name that is there twice
is one file, written again.
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from judgecli.answers.containers import Row, parse_json
from judgecli.answers.files import check_packing
from judgecli.answers.wording import shown
from judgecli.errors import DataError
from judgecli.types import Source

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+_epoch_[0-9]+\.json", re.DOTALL)
_CHUNKED = re.compile(r"samples/.+_epoch_[0-9]+/sample\.json", re.DOTALL)
_CONVERT = "write the log as JSON with inspect log convert --to json"
_NUMBER = re.compile(r"([0-9]+)")
_KEPT = ("id", "epoch", "input", "choices", "target", "output", "error", "metadata", "attachments")
_MAX_MEMBER_BYTES = 2**26
_ENCRYPTED = 0x1
# what zipfile raises for bytes that it cannot make sense of
_DAMAGE = (
    zipfile.BadZipFile,
    *(zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, ValueError, RuntimeError, OverflowError),
)


def archive_row(stream: io.BufferedReader[Any], file: str) -> Row:
    """Return the object that an archive stands for: what its header says, and its samples.

    Raises:
        DataError: The archive is damaged, packed in a way that is not read, or no inspect log.
    """
    try:
        seekable = stream if stream.seekable() else io.BytesIO(stream.read())
        n_packed = seekable.seek(0, io.SEEK_END)
        with zipfile.ZipFile(seekable) as archive:
            n_unpacked = sum(info.file_size for info in archive.infolist())
            check_packing(file, n_packed, n_unpacked, _CONVERT)
            return Row(_log(archive, file), Source(file=file), 1)
    except _DAMAGE as error:
        raise DataError(f"{file}: a damaged ZIP archive ({error})") from error


def _log(archive: zipfile.ZipFile, file: str) -> dict[str, Any]:
    names = list(dict.fromkeys(archive.namelist()))
    chunked = next((name for name in names if _CHUNKED.fullmatch(name)), None)
    if chunked is not None:
        raise DataError(
            f"{file}: an inspect log that keeps each sample in pieces ({shown(chunked)}), which is not read; "
            f"{_CONVERT}"
        )
    samples = sorted((name for name in names if _SAMPLE.fullmatch(name)), key=_natural)
    header = next((name for name in _HEADERS if name in names), None)
    if header is None and not samples:
        raise DataError(
            f"{file}: is a ZIP archive, but no inspect log (a spreadsheet?); export CSV or JSON Lines"
        )
    stored = {} if header is None else _member(archive, header, file)
    read = (_member(archive, name, file) for name in samples)
    # events and scores may be hundreds of times as long as what is judged
    kept = [{name: sample[name] for name in _KEPT if name in sample} for sample in read]
    return {"eval": {}, **stored, "samples": kept}


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a key by which `samples/2_epoch_1.json` comes before `samples/10_epoch_1.json`."""
    return [
        (int(part), "") if index % 2 and len(part) < 20 else (0, part)
        for index, part in enumerate(_NUMBER.split(name))
    ]


def _member(archive: zipfile.ZipFile, name: str, file: str) -> Mapping[str, Any]:
    info = archive.getinfo(name)
    where = f"{file}: {shown(name)}"
    if info.file_size > _MAX_MEMBER_BYTES:
        raise DataError(f"{where}: {info.file_size:,} bytes unpacked, more than a sample ever has")
    if info.flag_bits & _ENCRYPTED:
        raise DataError(f"{where}: encrypted; unpack the archive, and give it as a .json log")
    try:
        text = archive.read(info).decode("utf-8")
    except NotImplementedError as error:
        raise DataError(
            f"{where}: packed in a way that this Python does not read (zstd?); {_CONVERT}"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{where}: not UTF-8 at byte {error.start}; the log is damaged") from error
    value, _ = parse_json(text, where, 1)
    if not isinstance(value, dict):
        raise DataError(f"{where}: not a JSON object; is this an inspect log?")
    return value
