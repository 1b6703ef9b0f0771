"""Weights repacked for this CPU's vector units, where llama.cpp may not be left to choose.

llama.cpp keeps some kinds of weights in another order, for kernels that are faster (measured on a Sapphire
Rapids Xeon: 846 tokens/s of a Q4_0 model against 618). Where its build has AMX it prefers that, and dies of
it (see `placement`); so there every weight that can be repacked is named, with the buffer type that does it.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from judgecli.backends.llama_cpp.ggml import ggml_function
from judgecli.backends.llama_cpp.gguf_contents import shard_paths
from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.placement import uses_extra_buffers
from judgecli.errors import ModelError
from judgecli.types import EngineOptions

# ggml_type of those that have kernels for AVX2, and what their rows must be a multiple of.
_REPACKED_TYPES = {2: "Q4_0", 12: "Q4_K", 20: "IQ4_NL"}
_ROWS_TOGETHER = 8
# Only what is multiplied with; embeddings are looked up, which repacked weights cannot be.
_MULTIPLIED = re.compile(r"blk\.(\d+)\.((?:attn_(?:q|k|v|qkv|output)|ffn_(?:up|gate|down))\.weight)")
_BUFFER_TYPE = "_Z35ggml_backend_cpu_repack_buffer_typev"  # not in ggml's C interface


class _Override(ctypes.Structure):
    """llama_model_tensor_buft_override."""

    _fields_ = (("pattern", ctypes.c_char_p), ("buffer_type", ctypes.c_void_p))


class _InitParams(ctypes.Structure):
    """gguf_init_params."""

    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.POINTER(ctypes.c_void_p)))


def names_repacked(engine: EngineOptions) -> bool:
    """Whether weights are to be named: on a CPU that has kernels, where llama.cpp does not choose itself."""
    if uses_extra_buffers() or (engine.n_gpu_layers != 0 and load_library().llama_supports_gpu_offload()):
        return False
    info = load_library().llama_print_system_info()
    if b"REPACK = 1" not in info or b"AVX2 = 1" not in info:
        return False
    try:
        ggml_function(_BUFFER_TYPE, ctypes.c_void_p)
    except ModelError:
        return False
    return True


def repack_overrides(path: Path) -> Any:
    """Return an array for `llama_model_params.tensor_buft_overrides` that repacks a file's weights.

    None where none of them can be.
    """
    layers: dict[str, list[str]] = {}
    for name, ggml_type, n_rows in _matrices(path):
        found = _MULTIPLIED.fullmatch(name)
        if found and ggml_type in _REPACKED_TYPES and n_rows % _ROWS_TOGETHER == 0:
            layers.setdefault(found[2], []).append(found[1])
    if not layers:
        return None
    buffer_type = ggml_function(_BUFFER_TYPE, ctypes.c_void_p)()
    patterns = [f"^blk\\.({'|'.join(numbers)})\\.{re.escape(rest)}$" for rest, numbers in layers.items()]
    ended = [*(_Override(pattern.encode(), buffer_type) for pattern in patterns), _Override()]
    return (_Override * len(ended))(*ended)


def _matrices(path: Path) -> Iterator[tuple[str, int, int]]:
    """Yield name, ggml_type and number of rows of a file's matrices; nothing for a file that is not read."""
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    n_tensors = ggml_function("gguf_get_n_tensors", number, pointer)
    name_of = ggml_function("gguf_get_tensor_name", ctypes.c_char_p, pointer, number)
    type_of = ggml_function("gguf_get_tensor_type", ctypes.c_int, pointer, number)
    find = ggml_function("ggml_get_tensor", pointer, pointer, ctypes.c_char_p)
    n_dims = ggml_function("ggml_n_dims", ctypes.c_int, pointer)
    n_rows = ggml_function("ggml_nrows", number, pointer)
    for shard in shard_paths(path):
        with _opened(shard) as (gguf, tensors):
            for index in range(n_tensors(gguf) if gguf else 0):
                name = name_of(gguf, index)
                tensor = find(tensors, name)
                if tensor and n_dims(tensor) == 2:
                    yield name.decode("utf-8", "replace"), type_of(gguf, index), n_rows(tensor)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, Any]]:
    tensors = ctypes.c_void_p()
    init = ggml_function("gguf_init_from_file", ctypes.c_void_p, ctypes.c_char_p, _InitParams)
    gguf = init(os.fsencode(path), _InitParams(no_alloc=True, ctx=ctypes.pointer(tensors)))
    try:
        yield gguf, tensors
    finally:
        if gguf:
            ggml_function("gguf_free", None, ctypes.c_void_p)(gguf)
            ggml_function("ggml_free", None, ctypes.c_void_p)(tensors)
