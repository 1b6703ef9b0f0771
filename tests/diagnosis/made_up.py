"""A healthy installation for tests to break."""

from pathlib import Path
from typing import Any

from judgecli.backends.llama_cpp.memory import DeviceMemory
from judgecli.diagnosis.findings import DefaultJudge, Findings
from judgecli.diagnosis.gpus import SmiAnswer, SystemGpu, SystemGpus, Vendor
from judgecli.diagnosis.machine import Cores
from judgecli.registry import Integrity
from judgecli.registry.condition import FolderState, ModelState
from judgecli.types.installation import Device, DeviceKind, Installation

CPU = Device(name="CPU", description="Some Processor", kind=DeviceKind.CPU)
CUDA = Device(
    name="CUDA0",
    description="NVIDIA L4",
    kind=DeviceKind.GPU,
    free_bytes=22_000_000_000,
    total_bytes=24_000_000_000,
)
FEATURES = ("AVX", "AVX2", "F16C", "FMA", "LLAMAFILE", "REPACK")


def make_engine(**more: Any) -> Installation:
    """Return a build for the CPU."""
    facts: dict[str, Any] = {
        "llama_cpp_python": "0.3.36",
        "llama_cpp": "0.5.0",
        "gpu_offload": False,
        "backends": ("CPU",),
        "devices": (CPU,),
        "cpu_features": FEATURES,
        "repacks_weights": True,
        "repacking": "for this CPU",
    }
    return Installation(**(facts | more))


def make_model(name: str = "judgelm-7b:Q4_K_M", **more: Any) -> ModelState:
    facts: dict[str, Any] = {
        "paths": (Path("/cache/m.gguf"),),
        "size_bytes": 4_080_000_000,
        "integrity": Integrity.INTACT,
        "family": "judgelm",
        "repo": "org/repo",
    }
    return ModelState(name=name, **(facts | more))


def make_gpus(*names: str, vendor: Vendor = Vendor.NVIDIA, **more: Any) -> SystemGpus:
    smi = more.pop("nvidia_smi", SmiAnswer.ABSENT)
    gpus = tuple(SystemGpu(vendor=vendor, name=name, **more) for name in names)
    return SystemGpus(gpus=gpus, nvidia_smi=smi)


def make_folder(path: str = "/cache", **more: Any) -> FolderState:
    facts = {"exists": True, "is_writable": True, "free_bytes": 50_000_000_000}
    return FolderState(path=Path(path), **(facts | more))


def make_findings(**more: Any) -> Findings:
    """Return what is found where nothing is wrong."""
    model = make_model()
    facts: dict[str, Any] = {
        "python": "CPython 3.12.1",
        "python_path": "/opt/venv/bin/python",
        "platform": "Linux 6.1 x86_64",
        "engine": make_engine(),
        "cores": Cores(n=8),
        "cpu_flags": frozenset({"avx", "avx2", "f16c", "fma"}),
        "memory": DeviceMemory(name="CPU", total_bytes=32_000_000_000, free_bytes=30_000_000_000),
        "gpus": make_gpus(),
        "hub_cache": make_folder("/hub"),
        "judge_cache": make_folder("/own"),
        "models": (model,),
        "unreadable": None,
        "default": DefaultJudge(name="judgelm-7b", model=model),
    }
    return Findings(**(facts | more))
