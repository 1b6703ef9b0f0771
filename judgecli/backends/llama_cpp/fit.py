"""Whether a judge fits into memory, found out before its weights are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.estimating import estimate
from judgecli.backends.llama_cpp.gguf_contents import read_contents
from judgecli.backends.llama_cpp.measuring import measure
from judgecli.backends.llama_cpp.memory import HOST, Memory, gpu_memory
from judgecli.backends.llama_cpp.need import MemoryNeed, Method
from judgecli.backends.llama_cpp.remedies import Shortage, way_out
from judgecli.errors import ModelError
from judgecli.types import EngineOptions

# Measured with SmolLM2-135M on two cores: one by one a token takes 13 ms, with 8 texts at once 4.7, with 16
# and twice the memory 4.4. A GPU takes more to be full.
CPU_PARALLEL = 8
GPU_PARALLEL = 32
_GIB = 1024**3
_BLOCK_VALUES = 32  # that quantized caches hold together


def measure_need(path: Path, contexts: Sequence[ContextOptions], engine: EngineOptions) -> MemoryNeed:
    """Return what a model with these contexts takes: as llama.cpp says, else by formula; none is allocated.

    Raises:
        ModelError: the file is not readable as GGUF, or llama-cpp-python does not load.
    """
    contents = read_contents(path)
    for name, kind, size in (
        ("--type-k", engine.type_k, contents.key_length),
        ("--type-v", engine.type_v, contents.value_length),
    ):
        if kind.is_quantized and size % _BLOCK_VALUES:  # llama.cpp would end the process
            message = (
                f"{name} {kind} takes heads of a multiple of {_BLOCK_VALUES} values, and {path} has {size}"
            )
            raise ModelError(f"{message}; leave it at f16")
    measured = measure(path, contents, contexts, engine)
    return measured or estimate(contents, contexts, engine, gpu_memory())


def check_fit(
    path: Path, need: MemoryNeed, memory: Memory, *, n_ctx: int, engine: EngineOptions
) -> str | None:
    """Return a warning where memory may not suffice at the moment, None where it does.

    Less than the host has in total is no reason to refuse: weights are mapped from their file, and other
    programs may make room. On a GPU a failed allocation can end the process. Unknown sizes refuse nothing.

    Raises:
        ModelError: it cannot fit; the sentence names the way out.
    """
    devices = [(gpu.name, gpu.free_bytes) for gpu in memory.gpus]
    for device, limit_bytes in (*devices, (HOST, memory.host.total_bytes)):
        if limit_bytes is not None:
            _refuse(path, Shortage(device, limit_bytes, need, memory, n_ctx, engine))
    free_bytes = memory.host.free_bytes
    if free_bytes is None or need.on(HOST).total_bytes <= free_bytes:
        return None
    is_free = f"{_gib(free_bytes)} GiB are free at the moment"
    return f"{_needs(path, need, HOST)} and {is_free}; close other programs if it is slow or gets killed"


def choose_parallel(
    requested: int | None, *, bytes_per_stream: int, available_bytes: int | None, device: str
) -> int:
    """Return how many explanations to write at once: as requested, else as many as pay and fit, at least 1.

    `available_bytes` is what is left for streams beside all else; None where unknown.
    """
    if requested is not None:
        return requested
    most = CPU_PARALLEL if device == HOST else GPU_PARALLEL
    if available_bytes is None or bytes_per_stream <= 0:
        return most
    return max(1, min(most, available_bytes // bytes_per_stream))


def fit_parallel(
    path: Path,
    contexts_for: Callable[[int], Sequence[ContextOptions]],
    engine: EngineOptions,
    memory: Memory,
) -> tuple[int, MemoryNeed]:
    """Return how many explanations to write at once, and what the model with contexts for as many takes.

    `contexts_for` gives the contexts for a number of explanations.

    Raises:
        ModelError: the file is not readable as GGUF, or llama-cpp-python does not load.
    """
    if engine.parallel is not None:
        return engine.parallel, measure_need(path, contexts_for(engine.parallel), engine)
    computes_on = memory.gpus[0].name if memory.gpus and engine.n_gpu_layers != 0 else HOST
    most = choose_parallel(None, bytes_per_stream=0, available_bytes=None, device=computes_on)
    need = measure_need(path, contexts_for(most), engine)
    devices = (memory.host, *memory.gpus)
    if all(d.free_bytes is None or need.on(d.name).total_bytes <= d.free_bytes for d in devices):
        return most, need
    one = measure_need(path, contexts_for(1), engine)
    parallel = most
    for device in devices:
        used = one.on(device.name).total_bytes
        stream_bytes = (need.on(device.name).total_bytes - used) // (most - 1)
        left = None if device.free_bytes is None else device.free_bytes - used + stream_bytes
        n = choose_parallel(None, bytes_per_stream=stream_bytes, available_bytes=left, device=computes_on)
        parallel = min(parallel, n)
    return parallel, measure_need(path, contexts_for(parallel), engine)


def _refuse(path: Path, shortage: Shortage) -> None:
    if shortage.excess_bytes <= 0:
        return
    limit = _gib(shortage.limit_bytes)
    there = f"{limit} GiB are free there"
    if shortage.device == HOST:
        holder = "container may use" if shortage.memory.host.is_container else "machine has"
        there = f"this {holder} {limit} GiB"
    needs = _needs(path, shortage.need, shortage.device)
    raise ModelError(f"{needs} and {there}; {way_out(shortage)}")


def _needs(path: Path, need: MemoryNeed, device: str) -> str:
    part = need.on(device)
    about = "about " if need.method is Method.ESTIMATED else ""
    where = "of memory" if device == HOST else f"on {device}"
    sizes = f"weights {_gib(part.weights_bytes)}, KV cache {_gib(part.cache_bytes)}"
    sizes = f"{sizes}, computing {_gib(part.compute_bytes)}"
    return f"{path} needs {about}{_gib(part.total_bytes)} GiB {where} ({sizes})"


def _gib(n_bytes: int) -> str:
    return f"{n_bytes / _GIB:.1f}"
