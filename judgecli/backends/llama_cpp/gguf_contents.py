"""What a GGUF holds, as far as memory goes: the sizes of its tensors by layer, and the attention's shape.

Read by ggml itself, which knows every tensor type; no tensor's data is touched.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgecli.backends.llama_cpp.ggml import ggml_function
from judgecli.errors import ModelError

_SHARD = re.compile(r"-00001-of-(\d{5})\.gguf$")
_LAYER = re.compile(r"blk\.(\d+)\.")
_STRING, _ARRAY = 8, 9  # gguf_type
_NUMBERS: Mapping[int, Any] = {
    0: ctypes.c_uint8,
    1: ctypes.c_int8,
    2: ctypes.c_uint16,
    3: ctypes.c_int16,
    4: ctypes.c_uint32,
    5: ctypes.c_int32,
    10: ctypes.c_uint64,
    11: ctypes.c_int64,
}
_Gguf = ctypes.c_void_p


class _InitParams(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.c_void_p))


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufContents:
    """What a model's files hold; numbers of the attention are 0 where its metadata do not say.

    `layer_bytes` maps a layer to the size of its weights. `output_bytes` is the output's part, and
    `input_bytes` all the rest, which llama.cpp keeps on the host. `tied_bytes` is the size of embeddings that
    serve as output matrix too, 0 with an own one: a copy of them is needed where input and output lie apart.
    `n_head_kv` has one number a layer.
    """

    file_bytes: int
    n_weights: int
    layer_bytes: Mapping[int, int]
    input_bytes: int
    output_bytes: int
    tied_bytes: int
    n_layers: int
    n_head: int
    n_head_kv: tuple[int, ...]
    key_length: int
    value_length: int
    n_ff: int
    n_vocab: int

    @property
    def weights_bytes(self) -> int:
        """Size of all tensors."""
        return sum(self.layer_bytes.values()) + self.input_bytes + self.output_bytes

    @property
    def bits_per_weight(self) -> float:
        """How far the weights are quantized; 0 without tensors."""
        return 8 * self.weights_bytes / self.n_weights if self.n_weights else 0.0


def read_contents(path: Path) -> GgufContents:
    """Read the headers of a GGUF file and of the other shards of a split model.

    Raises:
        ModelError: a file cannot be read as GGUF.
    """
    sizes: Counter[str] = Counter()
    shards = shard_paths(path)
    n_weights = 0
    for shard in shards:
        with _opened(shard) as gguf:
            n_weights += sum(_add_tensors(gguf, sizes))
    file_bytes = sum(shard.stat().st_size for shard in shards)
    with _opened(path) as gguf:
        return _contents(_Keys(gguf), sizes, file_bytes=file_bytes, n_weights=n_weights)


def shard_paths(path: Path) -> list[Path]:
    """Return a model's files: the one given, and behind a first shard (`-00001-of-00003.gguf`) the others."""
    found = _SHARD.search(path.name)
    if not found:
        return [path]
    stem, count = path.name[: found.start()], found[1]
    names = (f"{stem}-{number:05}-of-{count}.gguf" for number in range(2, int(count) + 1))
    return [path, *(path.with_name(name) for name in names)]


def _contents(keys: _Keys, sizes: Mapping[str, int], *, file_bytes: int, n_weights: int) -> GgufContents:
    layers: Counter[int] = Counter()
    for name, n_bytes in sizes.items():
        if found := _LAYER.match(name):
            layers[int(found[1])] += n_bytes
    output_bytes = sum(n_bytes for name, n_bytes in sizes.items() if name.startswith("output"))
    is_tied = "output.weight" not in sizes
    n_layers = len(layers)  # the metadata's own count may be anything
    n_head = max(keys.numbers("attention.head_count"), default=0)
    head_size = keys.number("embedding_length") // n_head if n_head else 0
    n_head_kv = keys.numbers("attention.head_count_kv") or (n_head,)
    return GgufContents(
        file_bytes=file_bytes,
        n_weights=n_weights,
        layer_bytes=layers,
        input_bytes=sum(sizes.values()) - sum(layers.values()) - output_bytes,
        output_bytes=output_bytes,
        tied_bytes=sizes.get("token_embd.weight", 0) if is_tied else 0,
        n_layers=n_layers,
        n_head=n_head,
        n_head_kv=n_head_kv if len(n_head_kv) == n_layers else n_head_kv[:1] * n_layers,
        key_length=keys.number("attention.key_length") or head_size,
        value_length=keys.number("attention.value_length") or head_size,
        n_ff=max(keys.numbers("feed_forward_length"), default=0),
        n_vocab=keys.array_length("tokenizer.ggml.tokens"),
    )


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    init = ggml_function("gguf_init_from_file", _Gguf, ctypes.c_char_p, _InitParams)
    gguf = init(os.fsencode(path), _InitParams(no_alloc=True, ctx=None))
    if not gguf:
        raise ModelError(f"{path}: llama.cpp cannot read this file's header; fetch the model again")
    try:
        yield gguf
    finally:
        ggml_function("gguf_free", None, _Gguf)(gguf)


def _add_tensors(gguf: Any, sizes: Counter[str]) -> Iterator[int]:
    """Add each tensor's size in bytes to `sizes`, and yield its number of weights."""
    name = ggml_function("gguf_get_tensor_name", ctypes.c_char_p, _Gguf, ctypes.c_int64)
    size = ggml_function("gguf_get_tensor_size", ctypes.c_size_t, _Gguf, ctypes.c_int64)
    kind = ggml_function("gguf_get_tensor_type", ctypes.c_int, _Gguf, ctypes.c_int64)
    block_weights = ggml_function("ggml_blck_size", ctypes.c_int64, ctypes.c_int)
    block_bytes = ggml_function("ggml_type_size", ctypes.c_size_t, ctypes.c_int)
    for index in range(ggml_function("gguf_get_n_tensors", ctypes.c_int64, _Gguf)(gguf)):
        n_bytes, ggml_type = size(gguf, index), kind(gguf, index)
        sizes[name(gguf, index).decode("utf-8", "replace")] += n_bytes
        yield n_bytes // block_bytes(ggml_type) * block_weights(ggml_type)


class _Keys:
    """A file's metadata: the keys of its own architecture, and whole numbers only."""

    def __init__(self, gguf: Any) -> None:
        self._gguf = gguf
        self._find = ggml_function("gguf_find_key", ctypes.c_int64, _Gguf, ctypes.c_char_p)
        self._type = self._getter("gguf_get_kv_type", ctypes.c_int)
        index = self._find(gguf, b"general.architecture")
        is_text = index >= 0 and self._type(gguf, index) == _STRING
        self._architecture = (
            self._getter("gguf_get_val_str", ctypes.c_char_p)(gguf, index) if is_text else b""
        )

    def number(self, key: str) -> int:
        """Return the only or the first number under a key, 0 where there is none."""
        return next(iter(self.numbers(key)), 0)

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return a number, or a list of one a layer, as a tuple."""
        index = self._find(self._gguf, self._architecture + b"." + key.encode())
        if index < 0:
            return ()
        kind, count, data = self._type(self._gguf, index), 1, "gguf_get_val_data"
        if kind == _ARRAY:
            kind = self._getter("gguf_get_arr_type", ctypes.c_int)(self._gguf, index)
            count, data = self._count(index), "gguf_get_arr_data"
        if kind not in _NUMBERS:
            return ()
        address = self._getter(data, ctypes.c_void_p)(self._gguf, index)
        return tuple((_NUMBERS[kind] * count).from_address(address)) if count else ()

    def array_length(self, key: str) -> int:
        """Return how many entries a list has, 0 where there is none."""
        index = self._find(self._gguf, key.encode())
        return self._count(index) if index >= 0 and self._type(self._gguf, index) == _ARRAY else 0

    def _count(self, index: int) -> int:
        return int(self._getter("gguf_get_arr_n", ctypes.c_size_t)(self._gguf, index))

    def _getter(self, name: str, result: Any) -> Any:
        return ggml_function(name, result, _Gguf, ctypes.c_int64)
