"""How rows are stored as text: JSON Lines and CSV (streamed), JSON arrays and whole objects (loaded).

What a row's fields mean is not known here; that is the format's part.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judgecli.answers.files import Line
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError
from judgecli.types import Source

_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89abAB]|\\u[dD][c-fC-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DELIMITERS = ",;\t"  # spreadsheets write `;` where the comma is the decimal mark


class Container(StrEnum):
    """How a file stores its rows."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    OBJECT = "object"  # one for the whole file
    ZIP = "zip"
    PARQUET = "parquet"
    FOLDER = "folder"


class Number(str):
    """A JSON number as the file writes it: `1.10` stays `1.10`, and no length is too great."""

    __slots__ = ()

    @property
    def is_finite(self) -> bool:
        """Whether this is a number at all: Python's reader takes bare NaN and Infinity for numbers."""
        return self[-1] not in "Ny"


@dataclass(frozen=True, slots=True)
class Row:
    """One row and where it stood; `index` counts rows from 1. `repaired`: it held lone surrogates."""

    value: Mapping[str, Any]
    source: Source
    index: int
    repaired: bool = False

    @property
    def where(self) -> str:
        """The place for a message: `a.jsonl:7`, or `a.json row 7` in an array."""
        return place(self.source, self.index)


def place(source: Source, index: int) -> str:
    """Return file and line, or file and row number where rows have no line of their own."""
    return f"{source.file} row {index}" if source.line is None else str(source)


def short_place(source: Source, index: int) -> str:
    """Return the place within a file that the message has named already: `line 7`, `row 7`."""
    return f"row {index}" if source.line is None else f"line {source.line}"


def read_rows(
    lines: Iterator[Line], file: str, forced: Container | None = None
) -> tuple[Container, Iterator[Row]]:
    """Tell the container from the first character that is not blank, and yield its rows.

    Raises:
        DataError: Nothing but blank lines, or neither JSON nor CSV; while iterating, a bad row.
    """
    first = next((line for line in lines if line.text.strip()), None)
    if first is None:
        raise DataError(f"{file}: only blank lines; an answer file needs at least one row")
    rest = itertools.chain([first], lines)
    container = forced or _container(first, file)
    if container is Container.CSV:
        return container, _csv_rows(rest, file, first.number)
    if container is Container.JSON:
        return container, _array_rows(rest, file, first.number)
    if _opens_object(first):
        return Container.OBJECT, _object_row(rest, file, first.number)
    return Container.JSONL, _jsonl_rows(rest, file)


def _container(first: Line, file: str) -> Container:
    start = first.text.lstrip()[0]
    if start == "[":
        return Container.JSON
    if start == "{":
        return Container.JSONL
    if _n_cells(first.text, _delimiter(first.text)) > 1:
        return Container.CSV
    raise DataError(
        f"{file}:{first.number}: neither JSON nor a CSV header (it begins {shown(first.text.strip())!r}); "
        "an answer file is JSON Lines, a JSON array or CSV"
    )


def _opens_object(first: Line) -> bool:
    """Whether an object begins on this line and goes on below: then it is one for the whole file."""
    text = first.text.strip()
    return text.startswith("{") and not text.endswith("}")


def _jsonl_rows(lines: Iterator[Line], file: str) -> Iterator[Row]:
    filled = (line for line in lines if line.text.strip())
    for index, line in enumerate(filled, 1):
        value, repaired = parse_json(line.text, file, line.number)
        yield _row(value, Source(file=file, line=line.number), index, repaired=repaired)


def _array_rows(lines: Iterator[Line], file: str, start: int) -> Iterator[Row]:
    values, repaired = parse_json("".join(line.text for line in lines), file, start)
    if not isinstance(values, list):
        raise DataError(f"{file}: not a JSON array")
    if not values:
        raise DataError(f"{file}: an empty array; an answer file needs at least one row")
    if all(isinstance(value, str) and not isinstance(value, Number) for value in values):
        values = [{"answer": value} for value in values]  # one model's outputs, as promptfoo takes them
    for index, value in enumerate(values, 1):
        yield _row(value, Source(file=file), index, repaired=repaired and index == 1)


def _object_row(lines: Iterator[Line], file: str, start: int) -> Iterator[Row]:
    value, repaired = parse_json("".join(line.text for line in lines), file, start)
    yield _row(value, Source(file=file), 1, repaired=repaired)


def _row(value: Any, source: Source, index: int, *, repaired: bool) -> Row:
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
        found = kind.get(type(value), "a number")
        raise DataError(f"{place(source, index)}: a row must be a JSON object, not {found}")
    return Row(value, source, index, repaired)


_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number, parse_constant=Number)


def parse_json(text: str, file: str, line: int) -> tuple[Any, bool]:
    """Return a JSON value, and whether lone surrogates were replaced in it; the text begins on a line.

    Raises:
        DataError: It is not JSON, or nested too deeply.
    """
    try:
        value = _DECODER.decode(text)
        if _SURROGATE_ESCAPE.search(text) is None:
            return value, False
        whole = _without_surrogates(value)
    except json.JSONDecodeError as error:
        at = f"{file}:{line + error.lineno - 1}"
        raise DataError(f"{at}: not JSON ({error.msg} at column {error.colno})") from error
    except RecursionError as error:
        raise DataError(f"{file}:{line}: nested too deeply to be an answer row") from error
    return whole, whole != value


def _without_surrogates(value: Any) -> Any:
    r"""Replace lone surrogates (`\ud800`), which no UTF-8 file can hold, by U+FFFD."""
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def _delimiter(header: str) -> str:
    """Return the delimiter that cuts the header into most cells."""
    return max(_DELIMITERS, key=lambda mark: _n_cells(header, mark))


def _n_cells(header: str, delimiter: str) -> int:
    try:
        return len(next(csv.reader([header], delimiter=delimiter), []))
    except csv.Error:
        return 0


def _csv_rows(lines: Iterator[Line], file: str, start: int) -> Iterator[Row]:
    header: list[str] = []
    index = 0
    for number, cells in _csv_records(lines, file, start):
        if not header:
            header = _checked_header(cells, f"{file}:{number}")
        elif any(cell.strip() for cell in cells):
            index += 1
            source = Source(file=file, line=number)
            if len(cells) != len(header):
                raise DataError(f"{source}: {counted(len(cells), 'cell')} where the header has {len(header)}")
            yield Row(dict(zip(header, cells, strict=True)), source, index)


def _csv_records(lines: Iterator[Line], file: str, start: int) -> Iterator[tuple[int, list[str]]]:
    """Yield records with the line each begins on; a record may span lines."""
    csv.field_size_limit(2**31 - 1)  # the default refuses an answer of 131,073 characters
    first = next(lines)
    texts = itertools.chain([first.text], (line.text for line in lines))
    reader = csv.reader(texts, delimiter=_delimiter(first.text), strict=True)
    number = start
    try:
        for cells in reader:
            yield number, cells
            number = start + reader.line_num
    except csv.Error as error:
        raise DataError(f"{file}:{number}: not CSV ({error})") from error


def _checked_header(cells: list[str], where: str) -> list[str]:
    names = [cell.strip() for cell in cells]
    twice = [name for name, n in Counter(names).items() if name and n > 1]
    if twice:
        raise DataError(f"{where}: the header names a column twice: {listed(twice)}")
    return names
