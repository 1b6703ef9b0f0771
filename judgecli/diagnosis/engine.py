"""The engine, looked at from a process of its own, which is all that a library that crashes takes with it."""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import metadata
from typing import Any

from judgecli.diagnosis.bounded import BoundedProcess, Ended
from judgecli.types.installation import Device, DeviceKind, Installation

ENGINE_TIMEOUT_S = 20.0  # a first touch of eight GPUs takes seconds
_CODE = "from judgecli.backends.llama_cpp.installation import write_installation; write_installation()"


def start_engine_check() -> BoundedProcess | None:
    """Start the process that loads llama.cpp, with this one's places to import from; None if it cannot be."""
    places = os.pathsep.join(filter(None, sys.path))
    env = {**os.environ, "PYTHONPATH": places, "PYTHONSAFEPATH": "1"}
    try:
        return BoundedProcess([sys.executable, "-c", _CODE], timeout_s=ENGINE_TIMEOUT_S, env=env)
    except OSError:
        return None


def finish_engine_check(process: BoundedProcess | None) -> Installation:
    """Return what the process found, or how it ended."""
    if process is None:
        return _broken(f"{sys.executable} cannot be started to try it")
    ended = process.finish()
    if ended is None:
        return _broken(f"it does not answer within {ENGINE_TIMEOUT_S:.0f} s")
    facts = _facts(ended)
    if facts is None:
        return _broken(_ending(ended))
    found = [Device(**{**device, "kind": DeviceKind(device["kind"])}) for device in facts.pop("devices")]
    facts |= {key: tuple(facts[key]) for key in ("backends", "cpu_features")}
    return Installation(devices=tuple(found), **facts)


def _facts(ended: Ended) -> dict[str, Any] | None:
    try:
        facts = json.loads(ended.out.splitlines()[-1]) if ended.code == 0 else None
    except (ValueError, IndexError):  # something else was printed
        return None
    return facts if isinstance(facts, dict) else None


def _broken(reason: str) -> Installation:
    try:
        version = metadata.version("llama-cpp-python")
    except metadata.PackageNotFoundError:
        version = None
    return Installation(llama_cpp_python=version, error=reason)


def _ending(ended: Ended) -> str:
    """Say how a process ended that wrote no facts: by a signal, or by the last line of its traceback."""
    if ended.code == -signal.SIGILL:
        return "it uses an instruction that this CPU has not"
    if ended.code < 0:
        return f"it ends the process with {signal.Signals(-ended.code).name}"
    lines = [line.strip() for line in ended.err.splitlines() if line.strip()]
    return lines[-1] if lines else f"its process ends with code {ended.code}"
