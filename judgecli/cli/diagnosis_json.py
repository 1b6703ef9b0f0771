"""A diagnosis as the one object of `judge doctor --format json`; null where nothing is known."""

from __future__ import annotations

import dataclasses
from typing import Any

import judgecli
from judgecli.diagnosis import DefaultJudge, Diagnosis, Problem
from judgecli.registry.condition import FolderState, ModelState


def diagnosis_object(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the object; its keys are always the same."""
    found = diagnosis.findings
    return {
        "can_judge": diagnosis.can_judge,
        "judgecli": judgecli.__version__,
        "python": {"version": found.python, "path": found.python_path},
        "platform": found.platform,
        "engine": dataclasses.asdict(found.engine),
        "cores": found.cores.n,
        "core_quota": found.cores.quota,
        "memory": {
            "total_bytes": found.memory.total_bytes,
            "available_bytes": found.memory.free_bytes,
            "is_container": found.memory.is_container,
        },
        "system_gpus": [dataclasses.asdict(gpu) for gpu in found.gpus.gpus],
        "nvidia_smi": found.gpus.nvidia_smi.value,
        "hub_cache": _folder(found.hub_cache),
        "own_cache": _folder(found.judge_cache),
        "models": [_model(model) for model in found.models],
        "demo_installed": found.has_demo,
        "default_judge": _default(found.default),
        "endpoint": dataclasses.asdict(found.endpoint),
        "problems": [_problem(problem) for problem in diagnosis.problems],
    }


def _folder(folder: FolderState) -> dict[str, Any]:
    return {**dataclasses.asdict(folder), "path": str(folder.path)}


def _model(model: ModelState) -> dict[str, Any]:
    return {
        "name": model.name,
        "paths": [str(path) for path in model.paths],
        "size_bytes": model.size_bytes,
        "integrity": model.integrity.value if model.integrity else "not hashed yet",
        "damage": model.damage,
    }


def _default(default: DefaultJudge) -> dict[str, Any]:
    return {
        "name": default.name,
        "named_by": default.source,
        "is_here": default.absence is None,
        "absence": default.absence,
    }


def _problem(problem: Problem) -> dict[str, Any]:
    sentence = f"{problem.sentence} {problem.command}" if problem.command else problem.sentence
    return {"sentence": sentence, "command": problem.command, "blocks_judging": problem.blocks_judging}
