"""Read the header of a GGUF file: what it is, and how many bytes it should have.

Own code, since the `gguf` package's reader materialises every token of the vocabulary (2.7 s on the
98 MB demo file, against 0.01 s here) and pulls in PyYAML and tqdm. Strings and arrays are skipped where
they lie; only short values are kept. Every count in a header is checked against the size of the file
before it is believed, so that a damaged one costs neither memory nor time.

Source of the layout and of the block sizes: ggml's `docs/gguf.md` and `ggml-common.h`.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry.weights_file import open_weights

MAGIC = b"GGUF"
LFS_POINTER = b"version https://git-lfs"
VERSIONS = (2, 3)

# Far above any real model, low enough that a header of zeros ends at once.
MAX_KEYS = 1 << 16
MAX_TENSORS = 1 << 18
MAX_STRINGS = 1 << 22
MAX_DIMENSIONS = 4
# Values longer than this (chat templates, licences) are known to be there, and not kept.
MAX_KEPT_TEXT = 1 << 12

STRING = 8
ARRAY = 9
SCALARS = {code: struct.Struct("<" + letter) for code, letter in enumerate("BbHhIif?")} | {
    code: struct.Struct("<" + letter) for code, letter in ((10, "Q"), (11, "q"), (12, "d"))
}
U32 = struct.Struct("<I")
U64 = struct.Struct("<Q")

# Weights in a block -> ggml type -> bytes of a block.
_BLOCK_BYTES = {
    1: {0: 4, 1: 2, 24: 1, 25: 2, 26: 4, 27: 8, 28: 8, 30: 2},
    32: {2: 18, 3: 20, 6: 22, 7: 24, 8: 34, 9: 40, 20: 18, 39: 17},
    64: {40: 36},
    128: {41: 18},
    256: {10: 84, 11: 110, 12: 144, 13: 176, 14: 210, 15: 292, 16: 66, 17: 74, 18: 98, 19: 50}
    | {21: 110, 22: 82, 23: 136, 29: 56, 34: 54, 35: 66},
}
BLOCKS = {
    code: (n_weights, n_bytes) for n_weights, types in _BLOCK_BYTES.items() for code, n_bytes in types.items()
}

Value = int | float | bool | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What a GGUF file says of itself; None where it says nothing.

    `expected_bytes` is where the last tensor ends; tensors of a type unknown here count as empty, so it
    is never too large. `pooling_type` 0 and None are a language model, anything else an embedding model.
    """

    architecture: str | None
    name: str | None
    general_type: str | None
    n_ctx_train: int | None
    n_tensors: int
    expected_bytes: int
    file_bytes: int
    has_chat_template: bool
    pooling_type: int | None
    is_causal: bool
    split_no: int
    split_count: int
    n_layers: int | None = None


def inspect_gguf(path: Path) -> GgufHeader:
    """Read the header of one GGUF file (one shard of a split model).

    Raises:
        ModelError: the file cannot be read, is no GGUF file, or its header is cut off or damaged.
    """
    with open_weights(path) as (handle, n_bytes):
        if n_bytes == 0:
            raise ModelError(f"{path}: the file is empty; fetch the model again")
        try:
            data = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise ModelError(
                f"{path}: cannot be mapped into memory ({error}); copy it to a local disk"
            ) from error
        with data:
            return parse_header(data, str(path))


def parse_header(data: bytes | mmap.mmap, label: str) -> GgufHeader:
    """Parse a header out of the bytes of a whole file; `label` names the file in errors.

    Raises:
        ModelError: not a GGUF file, or a header that is cut off or damaged.
    """
    cursor = _Cursor(data, label)
    _check_magic(cursor)
    n_tensors, n_keys = cursor.number(U64), cursor.number(U64)
    cursor.check_count(n_keys, MAX_KEYS, "metadata keys", item_bytes=13)
    cursor.check_count(n_tensors, MAX_TENSORS, "tensors", item_bytes=24)
    values = dict(_read_key(cursor) for _ in range(n_keys))
    ends = [_read_tensor(cursor) for _ in range(n_tensors)]
    data_offset = _aligned(cursor, _integer(values, "general.alignment") or 32)
    return _header(values, n_tensors, data_offset + max(ends) if ends else cursor.position, len(data))


def _aligned(cursor: _Cursor, alignment: int) -> int:
    """Return where the tensors' data begin: the end of the header, rounded up."""
    if alignment < 1 or alignment & (alignment - 1):
        raise cursor.fail(f"damaged: the header asks for an alignment of {alignment:,} bytes")
    return -(-cursor.position // alignment) * alignment


def _header(values: Mapping[str, Value], n_tensors: int, expected_bytes: int, file_bytes: int) -> GgufHeader:
    architecture = _text(values, "general.architecture")
    return GgufHeader(
        architecture=architecture,
        name=_text(values, "general.name"),
        general_type=_text(values, "general.type"),
        n_ctx_train=_integer(values, f"{architecture}.context_length"),
        n_layers=_integer(values, f"{architecture}.block_count"),
        n_tensors=n_tensors,
        expected_bytes=expected_bytes,
        file_bytes=file_bytes,
        has_chat_template="tokenizer.chat_template" in values,
        pooling_type=_integer(values, f"{architecture}.pooling_type"),
        is_causal=values.get(f"{architecture}.attention.causal") is not False,
        split_no=_integer(values, "split.no") or 0,
        split_count=_integer(values, "split.count") or 1,
    )


def _text(values: Mapping[str, Value], key: str) -> str | None:
    value = values.get(key)
    return value if isinstance(value, str) else None


def _integer(values: Mapping[str, Value], key: str) -> int | None:
    value = values.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class _Cursor:
    """A place in the bytes of a file, moved by reading; never beyond their end."""

    def __init__(self, data: bytes | mmap.mmap, label: str) -> None:
        self.data = data
        self.label = label
        self.size = len(data)
        self.position = 0

    def fail(self, what: str) -> ModelError:
        return ModelError(f"{self.label}: {what}; fetch the model again")

    def skip(self, n_bytes: int) -> int:
        """Move on by n bytes and return where they began."""
        start = self.position
        if n_bytes > self.size - start:
            raise self.fail(f"truncated or damaged: the header goes on beyond the file's {self.size:,} bytes")
        self.position = start + n_bytes
        return start

    def number(self, form: struct.Struct) -> int:
        start = self.skip(form.size)
        return int(form.unpack_from(self.data, start)[0])

    def text(self, max_bytes: int) -> str | None:
        """Read a string; None (and skipped) where it is longer than `max_bytes`."""
        n_bytes = self.number(U64)
        start = self.skip(n_bytes)
        return (
            bytes(self.data[start : start + n_bytes]).decode(errors="replace")
            if n_bytes <= max_bytes
            else None
        )

    def check_count(self, count: int, limit: int, what: str, item_bytes: int) -> None:
        """Refuse a count that no model has, or that the rest of the file cannot hold."""
        if count > limit:
            raise self.fail(f"damaged: the header counts {count:,} {what}")
        if count * item_bytes > self.size - self.position:
            raise self.fail(f"truncated or damaged: the header goes on beyond the file's {self.size:,} bytes")


def _check_magic(cursor: _Cursor) -> None:
    """Check the first eight bytes: the magic, then a version that llama.cpp reads on this machine."""
    data, label = cursor.data, cursor.label
    if data[: len(LFS_POINTER)] == LFS_POINTER:
        message = "this is a Git LFS pointer, not the model; fetch the file itself with `git lfs pull`"
        raise ModelError(f"{label}: {message} or `judge pull`")
    if data[:4] != MAGIC:
        begin = bytes(data[:12]).decode("ascii", errors="backslashreplace")
        raise ModelError(f"{label}: not a GGUF file (it begins with {begin!r}); give a .gguf model")
    cursor.skip(4)
    version = cursor.number(U32)
    if version not in VERSIONS and version.to_bytes(4, "big")[0] in VERSIONS and version & 0xFFFFFF == 0:
        raise ModelError(f"{label}: a big-endian GGUF file; give the little-endian one")
    if version not in VERSIONS:
        raise ModelError(f"{label}: GGUF version {version} is not supported; give a file of version 2 or 3")


def _read_key(cursor: _Cursor) -> tuple[str, Value]:
    key = cursor.text(0xFFFF)
    if key is None:
        raise cursor.fail("damaged: a metadata key is longer than 65,535 bytes")
    return key, _read_value(cursor, cursor.number(U32))


def _read_value(cursor: _Cursor, code: int) -> Value:
    """Return a scalar or a short text; skip arrays and long texts, and return None for them."""
    if code == STRING:
        return cursor.text(MAX_KEPT_TEXT)
    if code == ARRAY:
        _skip_array(cursor)
        return None
    form = SCALARS.get(code)
    if form is None:
        raise cursor.fail(f"damaged: the header has a value of unknown type {code}")
    value: int | float | bool = form.unpack_from(cursor.data, cursor.skip(form.size))[0]
    return value


def _skip_array(cursor: _Cursor) -> None:
    code, count = cursor.number(U32), cursor.number(U64)
    if code == STRING:
        cursor.check_count(count, MAX_STRINGS, "texts in one list", item_bytes=8)
        _skip_strings(cursor, count)
        return
    form = SCALARS.get(code)
    if form is None:  # lists of lists are in the format's description, but llama.cpp does not read them
        raise cursor.fail(f"damaged: the header has a list of unknown type {code}")
    cursor.skip(count * form.size)


def _skip_strings(cursor: _Cursor, count: int) -> None:
    """Walk over a list of strings: the loop that costs, 400,000 turns for a Llama 3 vocabulary."""
    data, position, last = cursor.data, cursor.position, cursor.size - 8
    unpack = U64.unpack_from
    for _ in range(count):
        if position > last:
            break
        position += 8 + unpack(data, position)[0]
    cursor.skip(position - cursor.position)


def _read_tensor(cursor: _Cursor) -> int:
    """Read one tensor's description and return where its data end, in bytes from the start of all data."""
    cursor.text(0)
    n_dimensions = cursor.number(U32)
    if n_dimensions > MAX_DIMENSIONS:
        raise cursor.fail(f"damaged: the header has a tensor of {n_dimensions:,} dimensions")
    n_weights = math.prod(cursor.number(U64) for _ in range(n_dimensions))
    block_weights, block_bytes = BLOCKS.get(cursor.number(U32), (1, 0))
    offset = cursor.number(U64)
    return offset + -(-n_weights // block_weights) * block_bytes
