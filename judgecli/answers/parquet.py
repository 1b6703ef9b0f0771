"""Parquet files as rows, through pyarrow, which comes with the extra `parquet`."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from judgecli.answers.containers import Number, Row
from judgecli.errors import DataError
from judgecli.types import Source

_N_BATCH_ROWS = 256


def parquet_rows(stream: io.BufferedReader[Any], file: str) -> Iterator[Row]:
    """Yield the rows of a Parquet file, their values as those of JSON would be read.

    Raises:
        DataError: pyarrow is not installed, or the file is damaged.
    """
    try:
        pyarrow = import_module("pyarrow")
        parquet = import_module("pyarrow.parquet")
    except ImportError as error:
        raise DataError(
            f"{file}: a Parquet file, which is read with pyarrow: pip install 'judgecli[parquet]'; or export "
            "JSON Lines"
        ) from error
    index = 0
    try:
        seekable = stream if stream.seekable() else io.BytesIO(stream.read())
        for batch in parquet.ParquetFile(seekable).iter_batches(batch_size=_N_BATCH_ROWS):
            for value in batch.to_pylist():
                index += 1
                yield Row(_plain(value), Source(file=file), index)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"{file}: cannot be read as Parquet ({reason})") from error


def _plain(value: Any) -> Any:
    """Return a value in the terms of JSON: numbers as they are written, bytes as the text that they are.

    Bytes that are no text, such as an image, stay what they are: a field that is read from them is refused.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, int):
        return Number(value)
    return _decoded(value) if isinstance(value, bytes) else str(value)


def _decoded(value: bytes) -> str | bytes:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


def _number(value: float) -> Number:
    if value != value:  # noqa: PLR0124 - NaN alone differs from itself
        return Number("NaN")
    if value in {float("inf"), float("-inf")}:
        return Number("Infinity" if value > 0 else "-Infinity")
    return Number(int(value)) if value.is_integer() and abs(value) < 1e15 else Number(repr(value))
