"""The run file: a header, a row for each pair, a row for each judgment; JSON Lines, flushed row by row.

    {"row": "header", ...}                         what was asked of which weights, and how
    {"row": "pair", "id": ..., "prompt_hashes": {"AB": ..., "BA": ...}, "decided_by": ..., ...}
    {"row": "judgment", "pair_id": ..., "order": "AB", "prompt_hash": ..., "winner": ..., ...}

The pairs after the last header are the current ones; of the judgments, the last one of each (pair, order,
prompt hash) counts, wherever it stands. A run goes on in the same file as long as the headers agree in
everything that can change a verdict.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

import jsonlines

from judgecli.errors import DataError, OutputError
from judgecli.types import DecidedBy, Failure, Judgment, Order, Pair, Response, Source, Winner

# What two runs must share to go into one file. Not n_ctx, threads or paths: measured to leave logits as
# they are, bit for bit, while n_ubatch 128 against 512 moved them by 0.7.
KEYED = (
    "mode",
    "model.sha256",
    "prompt.family",
    "prompt.hash",
    "prompt.template",
    "sampling",
    "orders",
    "min_mass",
    "reasons",
    "backend.name",
    "backend.device",
    "backend.llama_cpp",
    "backend.n_ubatch",
    "backend.type_k",
    "backend.type_v",
    "backend.flash_attn",
    "backend.extra_buffers",
)
Key = tuple[str, Order]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPair:
    """A pair as the run file holds it: with the hash of each prompt asked, and the rule that decided it."""

    pair: Pair
    prompt_hashes: Mapping[Order, str]
    decided_by: DecidedBy | None = None


@dataclass(slots=True, kw_only=True)
class LedgerFile:
    """A run file read back. `judgments` holds the current pairs' last ones; `n_stale` counts the others."""

    header: dict[str, Any]
    planned: list[PlannedPair]
    judgments: dict[Key, Judgment]
    n_stale: int = 0
    notes: list[str] = field(default_factory=list)
    torn_at: int | None = None  # byte offset of a last line that was cut off


def read_ledger(path: Path) -> LedgerFile:
    """Read a run file.

    Raises:
        DataError: it cannot be read, holds a broken row, or is not a run file.
    """
    header: dict[str, Any] | None = None
    planned: dict[str, PlannedPair] = {}
    judgments: dict[tuple[str, Order, str], Judgment] = {}
    torn_at = None
    for row, line, offset in _rows(path):
        if row is None:
            torn_at = offset
            continue
        try:
            kind = row.pop("row", None)
            if kind == "header":
                header, planned = row, {}
            elif kind == "pair":
                pair = _planned_from(row)
                planned[pair.pair.id] = pair
            elif kind == "judgment":
                judgment = _judgment_from(row)
                judgments[judgment.pair_id, judgment.order, judgment.prompt_hash] = judgment
            else:
                raise DataError(f"{path}:{line}: not a row of a run file")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(f"{path}:{line}: broken row of a run file ({error!r})") from error
    if header is None:
        raise DataError(f"{path}: not a run file (no header row)")
    current = {
        (pair_id, order): judgments[pair_id, order, prompt_hash]
        for pair_id, pair in planned.items()
        for order, prompt_hash in pair.prompt_hashes.items()
        if (pair_id, order, prompt_hash) in judgments
    }
    notes = ["the last line was cut off and is ignored"] if torn_at is not None else []
    n_stale = len(judgments) - len(current)
    if n_stale:
        notes.append(f"{n_stale} judgments of prompts that are no longer in the input are ignored")
    return LedgerFile(
        header=header,
        planned=list(planned.values()),
        judgments=current,
        n_stale=n_stale,
        notes=notes,
        torn_at=torn_at,
    )


def first_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """Return the first keyed field in which two headers differ, with both values."""
    for name in KEYED:
        left, right = _look_up(old, name), _look_up(new, name)
        if left != right:
            return name, left, right
    return None


def same_plan(old: Iterable[PlannedPair], new: Iterable[PlannedPair]) -> bool:
    """Whether two plans are the same once written: a list and a tuple in the metadata are no difference."""
    return [_dumps(_pair_row(pair)) for pair in old] == [_dumps(_pair_row(pair)) for pair in new]


class LedgerWriter:
    """Appends rows to a run file, each flushed before the next judgment is asked for."""

    def __init__(self, path: Path, *, keep_bytes: int | None = None) -> None:
        """Open a run file: anew (`keep_bytes` None), or to go on after its first `keep_bytes` bytes.

        Raises:
            OutputError: the file cannot be written.
        """
        self._path = path
        try:
            if keep_bytes is None:
                self._file: TextIO = path.open("w", encoding="utf-8", newline="\n")
            else:
                with path.open("r+b") as file:
                    file.truncate(keep_bytes)
                self._file = path.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise _cannot_write(path, error) from error
        self._writer = jsonlines.Writer(self._file, dumps=_dumps, flush=True)

    def write_plan(self, header: Mapping[str, Any], planned: Iterable[PlannedPair]) -> None:
        """Write a header and the rows of its pairs."""
        self._write({"row": "header", **header})
        for pair in planned:
            self._write(_pair_row(pair))

    def write_judgment(self, judgment: Judgment) -> None:
        """Write one judgment."""
        self._write({"row": "judgment", **dataclasses.asdict(judgment)})

    def _write(self, row: Mapping[str, Any]) -> None:
        try:
            self._writer.write(row)
        except OSError as error:
            raise _cannot_write(self._path, error) from error

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
        except OSError as failure:
            raise _cannot_write(self._path, failure) from failure


def _cannot_write(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"{path}: cannot write the run file ({error.strerror or error}); name another with --out"
    )


# allow_nan=False: no other JSON reader takes NaN. ASCII escapes keep U+2028 from looking like a line's end.
_dumps: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=str).encode


def _rows(path: Path) -> Iterable[tuple[dict[str, Any] | None, int, int]]:
    """Yield (row, line, byte offset); a last line that was cut off comes as None."""
    try:
        with path.open("rb") as file:
            offset = 0
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _parse(path, number, line), number, offset
                offset += len(line)
    except OSError as error:
        raise DataError(f"{path}: cannot read the run file ({error.strerror or error})") from error


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None  # every row is written with its newline in one call: a kill came between
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}:{number}: not JSON, so not a row of a run file") from error
    if not isinstance(row, dict):
        raise DataError(f"{path}:{number}: not a row of a run file")
    return row


def _look_up(header: Mapping[str, Any], dotted: str) -> Any:
    value: Any = header
    for name in dotted.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _pair_row(planned: PlannedPair) -> dict[str, Any]:
    row = dataclasses.asdict(planned.pair)
    decided_by = planned.decided_by.value if planned.decided_by else None
    hashes = {order.value: value for order, value in planned.prompt_hashes.items()}
    return {"row": "pair", **row, "prompt_hashes": hashes, "decided_by": decided_by}


def _planned_from(row: dict[str, Any]) -> PlannedPair:
    hashes = {Order(order): value for order, value in row.pop("prompt_hashes").items()}
    decided_by = row.pop("decided_by")
    response_a, response_b = _response_from(row.pop("response_a")), _response_from(row.pop("response_b"))
    row["flags"] = tuple(row["flags"])
    pair = Pair(**row, response_a=response_a, response_b=response_b)
    return PlannedPair(
        pair=pair, prompt_hashes=hashes, decided_by=DecidedBy(decided_by) if decided_by else None
    )


def _response_from(row: dict[str, Any]) -> Response:
    return Response(**{**row, "source": Source(**row["source"])})


def _judgment_from(row: dict[str, Any]) -> Judgment:
    row["order"] = Order(row["order"])
    row["winner"] = Winner(row["winner"]) if row["winner"] else None
    row["failure"] = Failure(row["failure"]) if row["failure"] else None
    row["flags"] = tuple(row["flags"])
    return Judgment(**row)
