"""What this installation of llama.cpp can do, without a model."""

from __future__ import annotations

import dataclasses
import json
import sys
from importlib import metadata

from judgecli.backends.llama_cpp.devices import backend_registry, devices
from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.placement import uses_extra_buffers
from judgecli.backends.llama_cpp.repacking import names_repacked
from judgecli.errors import ModelError
from judgecli.types import EngineOptions
from judgecli.types.installation import Installation


def inspect_installation() -> Installation:
    """Return what the engine is able to do, or why it cannot be asked."""
    try:
        return _inspected()
    except ModelError as error:
        return Installation(llama_cpp_python=installed_version(), error=str(error.__cause__ or error))


def _inspected() -> Installation:
    lib = load_library()
    features = cpu_features(lib.llama_print_system_info().decode("utf-8", errors="replace"))
    repacks, why = _repacking(features)
    return Installation(
        llama_cpp_python=installed_version(),
        llama_cpp=lib.llama_version().decode() if hasattr(lib, "llama_version") else None,
        gpu_offload=bool(lib.llama_supports_gpu_offload()),
        backends=backend_registry(),
        devices=devices(),
        cpu_features=features,
        repacks_weights=repacks,
        repacking=why,
    )


def installed_version() -> str | None:
    """Return the version of llama-cpp-python, None where it is not installed."""
    try:
        return metadata.version("llama-cpp-python")
    except metadata.PackageNotFoundError:
        return None


def cpu_features(system_info: str) -> tuple[str, ...]:
    """Return what is switched on in the CPU's part of `CUDA : F16 = 1 | CPU : AVX2 = 1 | AMX = 0 | `."""
    section, found = "", []
    for part in system_info.split("|"):
        head, colon, rest = part.rpartition(" : ")
        section = head.strip() if colon else section
        name, _, value = (rest if colon else part).partition("=")
        if section == "CPU" and value.strip() not in {"", "0"}:
            found.append(name.strip())
    return tuple(found)


def _repacking(features: tuple[str, ...]) -> tuple[bool, str]:
    if "REPACK" not in features:
        return False, "this build cannot"
    if uses_extra_buffers():
        return True, "for this CPU"
    if names_repacked(EngineOptions(n_gpu_layers=0)):
        return True, "Q4_0, Q4_K and IQ4_NL, for AVX2 (its AMX code crashes)"
    if "AMX_INT8" in features:
        return False, "with AMX, repacked weights end the process"
    return False, "switched off"


def write_installation() -> None:
    """Write what `inspect_installation` finds to stdout as JSON: the work of a process of its own."""
    facts = dataclasses.asdict(inspect_installation())
    sys.stdout.write(json.dumps(facts, allow_nan=False) + "\n")
