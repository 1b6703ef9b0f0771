"""GPUs that the system has, whether or not llama.cpp can use them."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from judgecli.diagnosis.bounded import BoundedProcess

ROOT = Path("/")
NVIDIA_SMI_TIMEOUT_S = 1.5
_NVIDIA_PCI, _DISPLAY_CLASSES = "0x10de", ("0x0300", "0x0302")


class Vendor(StrEnum):
    """Who makes a GPU; Apple's are part of the chip."""

    NVIDIA = "NVIDIA"
    AMD = "AMD"
    APPLE = "Apple"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemGpu:
    """A GPU; `has_driver` False where the hardware is seen and nothing that serves it."""

    vendor: Vendor
    name: str
    has_driver: bool = True


class SmiAnswer(StrEnum):
    """What became of the question to nvidia-smi."""

    ABSENT = "not installed"
    ANSWERED = "answered"
    FAILED = "failed"
    HUNG = "hung"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemGpus:
    """The GPUs found, and how nvidia-smi answered."""

    gpus: tuple[SystemGpu, ...]
    nvidia_smi: SmiAnswer


def start_nvidia_smi() -> BoundedProcess | None:
    """Start asking NVIDIA's tool for its GPUs' names, None where there is none."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    try:
        command = [program, "--query-gpu=name", "--format=csv,noheader"]
        return BoundedProcess(command, timeout_s=NVIDIA_SMI_TIMEOUT_S)
    except OSError:
        return None


def find_gpus(nvidia_smi: BoundedProcess | None, root: Path = ROOT) -> SystemGpus:
    """Return the GPUs of this machine: as nvidia-smi names them, else as the kernel does."""
    answer, names = _nvidia_names(nvidia_smi)
    names = names or list(_kernel_nvidia_names(root))
    nvidia = [SystemGpu(vendor=Vendor.NVIDIA, name=name) for name in names]
    if not nvidia:
        nvidia = [
            SystemGpu(vendor=Vendor.NVIDIA, name="NVIDIA GPU", has_driver=False) for _ in _pci_cards(root)
        ]
    amd = [SystemGpu(vendor=Vendor.AMD, name=name) for name in _amd_names(root)]
    apple: list[SystemGpu] = []
    if sys.platform == "darwin" and platform.machine() == "arm64":
        apple = [SystemGpu(vendor=Vendor.APPLE, name="Apple silicon")]
    return SystemGpus(gpus=(*nvidia, *amd, *apple), nvidia_smi=answer)


def _nvidia_names(process: BoundedProcess | None) -> tuple[SmiAnswer, list[str]]:
    if process is None:
        return SmiAnswer.ABSENT, []
    ended = process.finish()
    if ended is None:
        return SmiAnswer.HUNG, []
    if ended.code != 0:
        return SmiAnswer.FAILED, []
    lines = [line.strip() for line in ended.out.splitlines()]
    return SmiAnswer.ANSWERED, [line for line in lines if line and not line.startswith("No devices")]


def _kernel_nvidia_names(root: Path) -> Iterator[str]:
    for path in sorted((root / "proc/driver/nvidia/gpus").glob("*/information")):
        for line in _text(path).splitlines():
            label, _, name = line.partition(":")
            if label.strip() == "Model":
                yield name.strip()


def _pci_cards(root: Path) -> Iterator[Path]:
    for path in (root / "sys/bus/pci/devices").glob("*"):
        if _text(path / "vendor").strip() == _NVIDIA_PCI and _text(path / "class").startswith(
            _DISPLAY_CLASSES
        ):
            yield path


def _amd_names(root: Path) -> Iterator[str]:
    """Yield the names of what AMD's compute driver lists with vector units: GPUs, not CPUs."""
    for node in sorted((root / "sys/class/kfd/kfd/topology/nodes").glob("*")):
        properties = dict(
            words for line in _text(node / "properties").splitlines() if len(words := line.split()) == 2
        )
        if int(properties.get("simd_count", "0")) > 0:
            yield f"AMD {_text(node / 'name').strip()}".strip()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
