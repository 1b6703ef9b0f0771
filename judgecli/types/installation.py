"""Nouns of an installation: the engine as it is built here, and the devices it sees."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DeviceKind(StrEnum):
    """What a device of llama.cpp is."""

    CPU = "cpu"
    GPU = "gpu"
    INTEGRATED_GPU = "integrated gpu"
    ACCELERATOR = "accelerator"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that llama.cpp can compute on; sizes None where its driver states none."""

    name: str
    description: str
    kind: DeviceKind
    free_bytes: int | None = None
    total_bytes: int | None = None

    @property
    def is_gpu(self) -> bool:
        """Whether layers can be placed on it."""
        return self.kind in {DeviceKind.GPU, DeviceKind.INTEGRATED_GPU}


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """What llama.cpp is able to do as it is installed.

    `error` says why it does not load; nothing else is known then. `cpu_features` are those the build uses, in
    llama.cpp's spelling; `repacks_weights` is whether weights are rearranged for this CPU, `repacking` why or
    why not.
    """

    llama_cpp_python: str | None = None
    llama_cpp: str | None = None
    error: str | None = None
    gpu_offload: bool | None = None
    backends: tuple[str, ...] = ()
    devices: tuple[Device, ...] = ()
    cpu_features: tuple[str, ...] = ()
    repacks_weights: bool | None = None
    repacking: str | None = None

    @property
    def gpus(self) -> tuple[Device, ...]:
        """The devices that layers can be placed on."""
        return tuple(device for device in self.devices if device.is_gpu)
