"""Ways out where a judge does not fit, each computed to be enough."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from judgecli.backends.llama_cpp.contexts import BRANCH_CELLS
from judgecli.backends.llama_cpp.estimating import VALUE_BYTES
from judgecli.backends.llama_cpp.memory import HOST, Memory
from judgecli.backends.llama_cpp.need import DeviceNeed, MemoryNeed
from judgecli.types import CacheType, EngineOptions

_SMALL_QUANT, _SMALL_QUANT_BITS = "Q4_K_M", 4.85  # bits a weight over a whole 7B model
_WORTH_BITS = 5.5  # above this a smaller quantization is worth the name
_LEAST_N_CTX, _N_CTX_STEP = 512, 256
# Left free on a GPU when layers are counted: contexts and libraries take memory that no log shows.
_SPARE_BYTES = 512 * 1024**2
_GIB = 1024**3
_MOST_OFFERED = 2


@dataclass(frozen=True, slots=True)
class Shortage:
    """A device that lacks memory, and the settings that led there."""

    device: str
    limit_bytes: int
    need: MemoryNeed
    memory: Memory
    n_ctx: int
    engine: EngineOptions

    @property
    def excess_bytes(self) -> int:
        """How much is missing; negative where something is left."""
        return self.part.total_bytes - self.limit_bytes

    @property
    def part(self) -> DeviceNeed:
        """What is needed on the device."""
        return self.need.on(self.device)


def way_out(shortage: Shortage) -> str:
    """Return what to do, in the order of what dominates: weights, or the cache."""
    if shortage.part.compute_bytes > shortage.part.cache_bytes + shortage.part.weights_bytes:
        return "drop --no-flash-attn" if not shortage.engine.flash_attn else "lower --n-ubatch"
    about_cache = [*_fewer_streams(shortage), *_shorter_context(shortage), *_smaller_values(shortage)]
    about_weights = [*_smaller_weights(shortage), *_fewer_layers(shortage)]
    if shortage.part.weights_bytes < shortage.part.cache_bytes:
        offered = about_cache + about_weights
    elif about_weights:
        offered = about_weights + about_cache
    else:
        offered = [*about_cache[:1], *_both(shortage), "use a smaller model"]
    return ", or ".join(offered[:_MOST_OFFERED]) or next(_both(shortage), _last_resort(shortage))


def _last_resort(shortage: Shortage) -> str:
    if shortage.part.weights_bytes < shortage.limit_bytes:
        return "lower --n-ctx"
    return "use a smaller model, or a machine with more memory"


def _smaller_weights(shortage: Shortage) -> Iterator[str]:
    bits = shortage.need.bits_per_weight
    part = shortage.part
    small = round(part.weights_bytes * _SMALL_QUANT_BITS / bits) if bits else 0
    if bits > _WORTH_BITS and part.weights_bytes - small >= shortage.excess_bytes:
        total = (part.total_bytes - part.weights_bytes + small) / _GIB
        yield f"use a smaller quantization ({_SMALL_QUANT} would need {total:.1f} GiB)"


def _shorter_context(shortage: Shortage) -> Iterator[str]:
    """Offer the context whose cache fits: all of a cache grows with it, but for the cells of branches."""
    if not shortage.part.cache_bytes:
        return
    share = 1 - shortage.excess_bytes / shortage.part.cache_bytes
    fitting = int(shortage.n_ctx * share - BRANCH_CELLS * (1 - share)) // _N_CTX_STEP * _N_CTX_STEP
    if fitting >= _LEAST_N_CTX:
        yield f"lower --n-ctx to {fitting}"


def _smaller_values(shortage: Shortage) -> Iterator[str]:
    """Offer a quantized cache; llama.cpp has quantized values with flash attention only."""
    engine = shortage.engine
    before = VALUE_BYTES[engine.type_k] + VALUE_BYTES[engine.type_v]
    saved = shortage.part.cache_bytes * (1 - 2 * VALUE_BYTES[CacheType.Q8_0] / before)
    if engine.flash_attn and saved >= shortage.excess_bytes:
        yield "use --type-k q8_0 --type-v q8_0"


def _fewer_streams(shortage: Shortage) -> Iterator[str]:
    for context in shortage.need.contexts:
        cache = context.devices.get(shortage.device, DeviceNeed()).cache_bytes
        if context.n_streams > 1 and cache:
            left = context.n_streams - math.ceil(shortage.excess_bytes * context.n_streams / cache)
            if left >= 1:
                yield f"lower --parallel to {left}"


def _fewer_layers(shortage: Shortage) -> Iterator[str]:
    """Offer the number of layers that the GPUs have room for, if the host has room for the others."""
    if shortage.device == HOST:
        return
    layers = shortage.need.layers
    n_offloaded = sum(layer.device != HOST for layer in layers)
    for n in reversed(range(n_offloaded)):
        if _fits_with(n, n_offloaded, shortage):
            yield f"use --n-gpu-layers {n}"
            return


def _fits_with(n: int, n_offloaded: int, shortage: Shortage) -> bool:
    """Whether all devices have room with only the last n layers on GPUs, each GPU's share kept."""
    need, memory = shortage.need, shortage.memory
    offloaded = need.layers[len(need.layers) - n_offloaded :]
    total = sum(layer.size_bytes for layer in offloaded)
    kept = sum(layer.size_bytes for layer in offloaded[n_offloaded - n :])
    for gpu in memory.gpus:
        movable = sum(layer.size_bytes for layer in offloaded if layer.device == gpu.name)
        left = need.on(gpu.name).total_bytes - movable * (total - kept) / max(total, 1)
        if n and gpu.free_bytes is not None and left + _SPARE_BYTES > gpu.free_bytes:
            return False
    host_bytes = need.on(HOST).total_bytes + total - kept
    return memory.host.total_bytes is None or host_bytes <= memory.host.total_bytes


def _both(shortage: Shortage) -> Iterator[str]:
    """Offer a smaller quantization and something about the cache, where only both together are enough."""
    bits = shortage.need.bits_per_weight
    if bits <= _WORTH_BITS:
        return
    saved = round(shortage.part.weights_bytes * (1 - _SMALL_QUANT_BITS / bits))
    rest = replace(shortage, limit_bytes=shortage.limit_bytes + saved)
    for other in (*_fewer_streams(rest), *_shorter_context(rest), *_smaller_values(rest)):
        yield f"use a smaller quantization such as {_SMALL_QUANT} and {other}"
        return
