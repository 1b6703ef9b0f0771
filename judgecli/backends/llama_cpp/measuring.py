"""Asking llama.cpp what a model and its contexts would take: a load that allocates nothing, and its log.

In such a load (llama.cpp 0.5.0) the log gives model and KV buffers as zeros; the size of weights is therefore
taken from the file, that of caches from the log's sum and their layers' devices. Compute buffers are as in a
real load.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgecli.backends.llama_cpp import context as contexts_of
from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.gguf_contents import GgufContents
from judgecli.backends.llama_cpp.library import captured_log, load_library
from judgecli.backends.llama_cpp.memory import HOST, gpu_memory
from judgecli.backends.llama_cpp.need import (
    ContextNeed,
    DeviceNeed,
    MemoryNeed,
    Method,
    add_up,
    assemble,
    streams,
)
from judgecli.backends.llama_cpp.placement import place_layers
from judgecli.types import EngineOptions

# llama.cpp keeps 55 bytes a cell beside the cache itself (measured), and these it does allocate.
_MAX_CELLS = 1 << 21
# The states of recurrent models it allocates too: some 20 MiB a sequence for Mamba 2.8B.
_MAX_STATES = 4
_MIB = 1024**2

_LAYER = re.compile(r"layer +(\d+) assigned to device ([^\s,]+)")
_CACHE_LAYER = re.compile(r"layer +\d+: dev = (\S+)")
_CACHE = re.compile(r"size = +([\d.]+) MiB \( *\d+ cells")
_BUFFER = re.compile(r"(\S+) +(compute|output) buffer size = +([\d.]+) MiB")


def measure(
    path: Path, contents: GgufContents, contexts: Sequence[ContextOptions], engine: EngineOptions
) -> MemoryNeed | None:
    """Return what llama.cpp says that it would take, or None where it does not say.

    Raises:
        ModelError: llama-cpp-python does not load.
    """
    lib = load_library()
    if not _can_measure(lib) or sum(one.n_ctx for one in contexts) > _MAX_CELLS:
        return None
    params = lib.llama_model_default_params()
    place_layers(params, engine, max_devices=lib.llama_max_devices())
    params.no_alloc, params.load_mode = True, lib.LLAMA_LOAD_MODE_NONE
    with captured_log() as parts:
        model = lib.llama_model_load_from_file(os.fsencode(path), params)
    if not model:
        return None
    try:
        needs = [_measure_context(lib, model, options) for options in contexts]
    finally:
        lib.llama_model_free(model)
    layers = {int(layer): device for layer, device in _LAYER.findall("".join(parts))}
    known = [need for need in needs if need]
    if not layers or len(known) < len(needs):
        return None
    return assemble(contents, layers, known, Method.MEASURED)


def _can_measure(lib: Any) -> bool:
    """Whether llama.cpp can be told to allocate nothing and to map nothing.

    llama.cpp 0.5.0 ends the process when it shall map the file and allocate nothing.
    """
    return hasattr(lib.llama_model_params, "no_alloc") and hasattr(lib, "LLAMA_LOAD_MODE_NONE")


def _measure_context(lib: Any, model: Any, options: ContextOptions) -> ContextNeed | None:
    params = contexts_of.context_params(lib, options)
    if lib.llama_model_is_recurrent(model) or lib.llama_model_is_hybrid(model):
        params.n_seq_max = min(options.n_seq_max, _MAX_STATES)
    with captured_log() as parts:
        handle = lib.llama_init_from_model(model, params)
    if not handle:
        return None
    lib.llama_free(handle)
    return read_context_log(
        "".join(parts),
        n_streams=streams(options),
        gpus=[gpu.name for gpu in gpu_memory()],
        per_sequence=options.n_seq_max / params.n_seq_max,
    )


def read_context_log(
    log: str, *, n_streams: int, gpus: Sequence[str], per_sequence: float = 1.0
) -> ContextNeed | None:
    """Read what a context takes out of llama.cpp's log of making it; None where the log does not say.

    A cache is spread evenly over its layers; what each sequence has of its own, states and logits, counts
    `per_sequence` times.
    """
    sizes: list[tuple[str, DeviceNeed]] = []
    devices: Counter[str] = Counter()
    has_cache = has_compute = False
    for line in log.splitlines():
        if found := _CACHE_LAYER.search(line):
            devices[_device(found[1], gpus)] += 1
        elif found := _CACHE.search(line):
            has_cache = True
            times = per_sequence if "recurrent" in line else 1
            sizes += _spread(float(found[1]) * _MIB * times, devices)
            devices.clear()
        elif found := _BUFFER.search(line):
            has_compute = has_compute or found[2] == "compute"
            times = per_sequence if found[2] == "output" else 1
            need = DeviceNeed(compute_bytes=round(float(found[3]) * _MIB * times))
            sizes.append((_device(found[1], gpus), need))
    if not (has_cache and has_compute):
        return None
    return ContextNeed(n_streams=n_streams, devices=add_up(sizes))


def _spread(size_bytes: float, devices: Counter[str]) -> list[tuple[str, DeviceNeed]]:
    n_layers = devices.total()
    if not n_layers:
        return [(HOST, DeviceNeed(cache_bytes=round(size_bytes)))]
    return [
        (device, DeviceNeed(cache_bytes=round(size_bytes * count / n_layers)))
        for device, count in devices.items()
    ]


def _device(buffer: str, gpus: Sequence[str]) -> str:
    """Return the device of a buffer type: `CUDA0`, `CUDA0_Split`; all others (`CUDA_Host`) are the host's."""
    return next((gpu for gpu in gpus if buffer == gpu or buffer.startswith(f"{gpu}_")), HOST)
