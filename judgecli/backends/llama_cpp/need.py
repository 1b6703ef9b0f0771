"""How much memory a judge takes, by device and by what it is for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.gguf_contents import GgufContents
from judgecli.backends.llama_cpp.memory import HOST


class Method(StrEnum):
    """Where a need comes from: llama.cpp's own log of a load without memory, or a formula."""

    MEASURED = "measured"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceNeed:
    """Memory on one device; `compute_bytes` holds the buffers of logits too."""

    weights_bytes: int = 0
    cache_bytes: int = 0
    compute_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """Return all of it."""
        return self.weights_bytes + self.cache_bytes + self.compute_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNeed:
    """Where a layer lies, and what moves with it: its weights and its part of the caches."""

    device: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextNeed:
    """What a context takes on each device, and in how many separate streams its cache is."""

    n_streams: int
    devices: Mapping[str, DeviceNeed]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryNeed:
    """What a model and its contexts take together.

    `devices` maps "CPU" and llama.cpp's names of GPUs to needs; `layers` are in the model's order, the output
    last, as `--n-gpu-layers` counts them from the end.
    """

    devices: Mapping[str, DeviceNeed]
    contexts: tuple[ContextNeed, ...]
    layers: tuple[LayerNeed, ...]
    bits_per_weight: float
    method: Method

    @property
    def total_bytes(self) -> int:
        """Return the memory of all devices."""
        return sum(device.total_bytes for device in self.devices.values())

    def on(self, device: str) -> DeviceNeed:
        """Return the need on one device."""
        return self.devices.get(device, DeviceNeed())


def streams(options: ContextOptions) -> int:
    """Return how many sequences have a cache of their own; 1 in a unified one."""
    return 1 if options.kv_unified else options.n_seq_max


def assemble(
    contents: GgufContents,
    layer_devices: Mapping[int, str],
    contexts: Sequence[ContextNeed],
    method: Method,
) -> MemoryNeed:
    """Put a need together from what contexts take and where layers lie (the output is layer `n_layers`).

    The size of the weights is that of the tensors, each counted once: what llama.cpp maps but has copied to
    another buffer can leave memory again.
    """
    output_device = layer_devices.get(contents.n_layers, HOST)
    copied = contents.tied_bytes if output_device != HOST else 0
    outside = (
        (HOST, DeviceNeed(weights_bytes=contents.input_bytes)),
        (output_device, DeviceNeed(weights_bytes=contents.output_bytes + copied)),
    )
    layers = (
        (layer_devices.get(layer, HOST), DeviceNeed(weights_bytes=n_bytes))
        for layer, n_bytes in contents.layer_bytes.items()
    )
    in_contexts = [part for context in contexts for part in context.devices.items()]
    cache_bytes = sum(need.cache_bytes for _, need in in_contexts)
    cache_share = cache_bytes // max(contents.n_layers, 1)
    return MemoryNeed(
        devices=add_up((*outside, *layers, *in_contexts)),
        contexts=tuple(contexts),
        layers=(
            *(
                LayerNeed(
                    device=layer_devices.get(layer, HOST),
                    size_bytes=contents.layer_bytes[layer] + cache_share,
                )
                for layer in sorted(contents.layer_bytes)
            ),
            LayerNeed(device=output_device, size_bytes=contents.output_bytes + contents.tied_bytes),
        ),
        bits_per_weight=contents.bits_per_weight,
        method=method,
    )


def add_up(parts: Iterable[tuple[str, DeviceNeed]]) -> dict[str, DeviceNeed]:
    """Return the sum of needs by device."""
    sums: dict[str, DeviceNeed] = {}
    for device, part in parts:
        known = sums.get(device, DeviceNeed())
        sums[device] = DeviceNeed(
            weights_bytes=known.weights_bytes + part.weights_bytes,
            cache_bytes=known.cache_bytes + part.cache_bytes,
            compute_bytes=known.compute_bytes + part.compute_bytes,
        )
    return sums
