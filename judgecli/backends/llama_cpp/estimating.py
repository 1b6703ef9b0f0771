"""The memory a model and its contexts take by formula: where llama.cpp could not be asked."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.gguf_contents import GgufContents
from judgecli.backends.llama_cpp.memory import HOST, DeviceMemory
from judgecli.backends.llama_cpp.need import (
    ContextNeed,
    DeviceNeed,
    MemoryNeed,
    Method,
    add_up,
    assemble,
    streams,
)
from judgecli.types import CacheType, EngineOptions, SplitMode

# Bytes of a value; quantized types hold 32 in a block. Source: `ggml-common.h`.
VALUE_BYTES: Mapping[CacheType, float] = {
    CacheType.F32: 4,
    CacheType.F16: 2,
    CacheType.BF16: 2,
    CacheType.Q8_0: 34 / 32,
    CacheType.Q5_1: 24 / 32,
    CacheType.Q5_0: 22 / 32,
    CacheType.Q4_1: 20 / 32,
    CacheType.Q4_0: 18 / 32,
}
_FLOAT_BYTES = 4


def estimate(
    contents: GgufContents,
    contexts: Sequence[ContextOptions],
    engine: EngineOptions,
    gpus: Sequence[DeviceMemory],
) -> MemoryNeed:
    """Return what a model and its contexts take by formula; a sliding window counts as a full cache."""
    layers = _place(contents.n_layers + 1, engine, gpus)
    needs = [_estimate_context(contents, options, layers) for options in contexts]
    return assemble(contents, layers, needs, Method.ESTIMATED)


def cache_bytes_per_token(contents: GgufContents, type_k: str, type_v: str) -> int:
    """Return the size of one token's keys and values over all layers.

    Each key-value head of a layer keeps `key_length` and `value_length` numbers.
    """
    key_bytes = contents.key_length * VALUE_BYTES[CacheType(type_k)]
    value_bytes = contents.value_length * VALUE_BYTES[CacheType(type_v)]
    return round(sum(contents.n_head_kv) * (key_bytes + value_bytes))


def _estimate_context(
    contents: GgufContents, options: ContextOptions, layers: Mapping[int, str]
) -> ContextNeed:
    cache_bytes = cache_bytes_per_token(contents, options.type_k, options.type_v) * options.n_ctx
    counts = Counter(device for layer, device in layers.items() if layer < contents.n_layers)
    caches = (
        (device, DeviceNeed(cache_bytes=cache_bytes * count // max(contents.n_layers, 1)))
        for device, count in counts.items()
    )
    logits = DeviceNeed(compute_bytes=options.n_seq_max * contents.n_vocab * _FLOAT_BYTES)
    compute = DeviceNeed(compute_bytes=_compute_bytes(contents, options))
    where = layers.get(contents.n_layers, HOST)
    devices = add_up((*caches, (HOST, logits), (where, compute)))
    return ContextNeed(n_streams=streams(options), devices=devices)


def _compute_bytes(contents: GgufContents, options: ContextOptions) -> int:
    """Return the size of the largest intermediate results of `n_ubatch` rows.

    That is logits, both halves of the feed-forward layer, the mask, and without flash attention its scores.
    """
    n_attended = options.n_ctx // streams(options)
    n_scores = 0 if options.flash_attn else contents.n_head * n_attended
    n_numbers = contents.n_vocab + 2 * contents.n_ff + n_attended + n_scores
    return min(options.n_ubatch, options.n_ctx) * n_numbers * _FLOAT_BYTES


def _place(n_layers: int, engine: EngineOptions, gpus: Sequence[DeviceMemory]) -> dict[int, str]:
    """Return each layer's device as llama.cpp places them: the last ones on GPUs, in proportion to shares."""
    wanted = engine.n_gpu_layers
    n_offloaded = n_layers if wanted is None or wanted < 0 else min(wanted, n_layers)
    used = gpus[engine.main_gpu :][:1] if engine.split_mode is SplitMode.NONE else gpus
    if not used:
        return dict.fromkeys(range(n_layers), HOST)
    shares = engine.tensor_split or [gpu.free_bytes or 0 for gpu in used]
    edges = list(accumulate(shares[: len(used)]))
    first = n_layers - n_offloaded
    devices = dict.fromkeys(range(first), HOST)
    for layer in range(first, n_layers):
        index = bisect_right(edges, (layer - first) / n_offloaded * edges[-1])
        devices[layer] = used[min(index, len(used) - 1)].name
    return devices
