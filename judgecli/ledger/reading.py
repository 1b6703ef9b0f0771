"""Reading a run file back, whole or torn."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from judgecli.errors import DataError, OutputError
from judgecli.ledger.rows import PlannedItem, read_entropy, read_item, read_judgment
from judgecli.types import EntropyReading, Judgment, Order
from judgecli.types.pipes import can_be_reread, reopened

T = TypeVar("T")
JudgmentKey = tuple[str, Order, str, str]
"""Item id, order, prompt hash, and which judge: "" for the first."""
_HEADER = re.compile(rb'\s*\{\s*"row"\s*:\s*"header"')
_MAX_HEADER_BYTES = 2**24
_MAX_DIGITS = 300
_HEADER_BEGINS = b'{"row": "header", '  # as `LedgerWriter` writes it


class RunFileState(StrEnum):
    """What is there where a run file should go."""

    NEW = "new"  # nothing, or no more than the torn beginning of a header
    BEGUN = "begun"
    FOREIGN = "foreign"  # something that is no run file


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFile:
    """A run file read back.

    `planned` are the pairs after the last header. `judgments` are the last ones of each (pair id, order,
    prompt hash, judge), of earlier plans too; `entropies` are those of their texts, by model. `torn_at` is
    the byte offset of a last line that was cut off.
    """

    header: Mapping[str, Any]
    planned: tuple[PlannedItem, ...]
    judgments: Mapping[JudgmentKey, Judgment]
    entropies: Mapping[JudgmentKey, Mapping[str, EntropyReading]] = field(default_factory=dict)
    torn_at: int | None = None


def current_judgments(
    planned: Iterable[PlannedItem], judgments: Mapping[JudgmentKey, Judgment]
) -> dict[tuple[str, Order], Judgment]:
    """Return the first judge's judgments of the prompts that these pairs are asked with; others are stale."""
    return _asked_for(planned, judgments, "")


def escalated_judgments(
    planned: Iterable[PlannedItem], judgments: Mapping[JudgmentKey, Judgment], judge: str
) -> dict[tuple[str, Order], Judgment]:
    """Return the judgments of the stronger judge with this key, of the prompts it would be asked with now."""
    asked = (one.as_second() for one in planned)
    return _asked_for((one for one in asked if one is not None), judgments, judge)


def current_entropies(
    planned: Iterable[PlannedItem],
    entropies: Mapping[JudgmentKey, Mapping[str, EntropyReading]],
    model: str,
) -> dict[tuple[str, Order], float]:
    """Return a model's entropies of what the first judge wrote after the prompts of these pairs."""
    found = _asked_for(planned, entropies, "")
    return {key: by_model[model].entropy for key, by_model in found.items() if model in by_model}


def _asked_for(
    planned: Iterable[PlannedItem], known: Mapping[JudgmentKey, T], judge: str
) -> dict[tuple[str, Order], T]:
    asked = (
        (one.item.id, order, prompt_hash, judge)
        for one in planned
        for order, prompt_hash in one.prompt_hashes.items()
    )
    return {key[:2]: known[key] for key in asked if key in known}


def run_file_state(path: Path) -> RunFileState:
    """Look at the place where a run file should go, without reading more than a line.

    Raises:
        OutputError: it is a folder or a device, or cannot be looked at.
    """
    try:
        if path.is_dir():
            raise OutputError(f"{path}: this is a folder; name a file in it with --out")
        if not path.exists():
            return RunFileState.NEW
        if not path.is_file():
            raise OutputError(f"{path}: not a regular file, which the report reads back; name one with --out")
        with path.open("rb") as file:
            line = file.readline()
    except OSError as error:
        raise OutputError(f"{path}: cannot be used ({error.strerror}); name another with --out") from error
    if line.endswith(b"\n"):
        return RunFileState.BEGUN if _HEADER.match(line) else RunFileState.FOREIGN
    is_torn = line.startswith(_HEADER_BEGINS) or _HEADER_BEGINS.startswith(line)
    return RunFileState.NEW if is_torn else RunFileState.FOREIGN


def is_run_file(path: Path) -> bool:
    """Whether what is at a path begins as a run file does; False where it cannot be read, or not twice."""
    try:
        if not can_be_reread(path):
            return False
        with _opened(path) as file:
            line = file.readline(_MAX_HEADER_BYTES)
    except OSError:
        return False
    return line.endswith(b"\n") and _HEADER.match(line) is not None


def _opened(path: Path) -> BufferedReader:
    return reopened(path) or path.open("rb")


def size_of(path: Path) -> int:
    """Return a run file's size in bytes; 0 where there is none, or none can be."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def read_ledger(path: Path) -> LedgerFile:
    """Read a run file.

    Raises:
        DataError: it cannot be read, holds a broken row, or is not a run file.
    """
    content = _Content()
    torn_at = None
    for line in _lines(path):
        if not line.data.endswith(b"\n"):  # a kill came before its end
            torn_at = line.offset
            break
        kind, row = _parse(path, line)
        if content.header is None and kind != "header":
            raise DataError(f"{path}: not a run file (it does not begin with a header)")
        try:
            content.add(kind, row)
        except (ValueError, OverflowError) as error:
            raise _bad(path, line, f"broken row of a run file ({error})") from error
    if content.header is None:
        raise DataError(f"{path}: not a run file (no header row)")
    return LedgerFile(
        header=content.header,
        planned=tuple(content.planned.values()),
        judgments=content.judgments,
        entropies=content.entropies,
        torn_at=torn_at,
    )


@dataclass(slots=True)
class _Content:
    """What the rows so far say."""

    header: dict[str, Any] | None = None
    planned: dict[str, PlannedItem] = field(default_factory=dict)
    judgments: dict[JudgmentKey, Judgment] = field(default_factory=dict)
    entropies: dict[JudgmentKey, dict[str, EntropyReading]] = field(default_factory=dict)

    def add(self, kind: Any, row: dict[str, Any]) -> None:
        if kind == "header":
            self.header, self.planned = row, {}
        elif kind == "item":
            planned = read_item(row)
            self.planned[planned.item.id] = planned
        elif kind == "judgment":
            judgment = read_judgment(row)
            key = (judgment.item_id, judgment.order, judgment.prompt_hash, judgment.judge)
            self.judgments[key] = judgment
            self.entropies.pop(key, None)  # those so far are of an earlier text
        elif kind == "entropy":
            reading = read_entropy(row)
            key = (reading.item_id, reading.order, reading.prompt_hash, reading.judge)
            self.entropies.setdefault(key, {})[reading.model] = reading
        else:
            raise ValueError(f"a row cannot be {kind!r:.40}")


class _Line(NamedTuple):
    number: int
    offset: int
    data: bytes


def _lines(path: Path) -> Iterator[_Line]:
    """Yield the lines that hold something, each with its newline."""
    offset = 0
    try:
        with _opened(path) as file:
            header = file.readline(_MAX_HEADER_BYTES)  # of what is no run file a line may be without end
            for number, data in enumerate(chain([header], file), 1):
                if data.strip():
                    yield _Line(number, offset, data)
                offset += len(data)
    except OSError as error:
        raise DataError(f"{path}: cannot read the run file ({error.strerror or error})") from error


def _bad(path: Path, line: _Line, what: str) -> DataError:
    """Return the error of a line; without its first line, the header, a file is no run file."""
    advice = "delete this line, and the run's own command judges anew what is missing"
    return DataError(f"{path}:{line.number}: {what}" + (f"; {advice}" if line.offset else ""))


def _parse(path: Path, line: _Line) -> tuple[Any, dict[str, Any]]:
    """Return a row's kind and the rest of it."""
    try:
        row = json.loads(line.data, parse_constant=_refuse_constant, parse_int=_whole_number)
    except OverflowError as error:
        raise _bad(path, line, f"broken row of a run file ({error})") from error
    except (ValueError, RecursionError) as error:
        raise _bad(path, line, "not JSON, so not a row of a run file") from error
    if not isinstance(row, dict):
        raise _bad(path, line, "not a row of a run file")
    return row.pop("row", None), row


def _whole_number(text: str) -> int:
    if len(text) > _MAX_DIGITS:  # no float holds it, and nothing that is counted here comes near
        raise OverflowError(f"a number of {len(text)} digits")
    return int(text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
