"""What this installation can do, and what keeps it from more; knows no terminal, connects to nothing."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from judgecli.backends import backend_names
from judgecli.backends.llama_cpp.memory import host_memory
from judgecli.diagnosis.endpoint import look_at_endpoint
from judgecli.diagnosis.engine import finish_engine_check, start_engine_check
from judgecli.diagnosis.findings import DefaultJudge, EndpointState, Findings
from judgecli.diagnosis.gpus import find_gpus, start_nvidia_smi
from judgecli.diagnosis.machine import read_cores, read_cpu_flags
from judgecli.diagnosis.problems import Problem, find_problems
from judgecli.errors import ModelError
from judgecli.registry import DEFAULT_MODEL, SILENT, Progress
from judgecli.registry.condition import ModelState, folder_state, model_state, models_here
from judgecli.registry.hashes import judge_cache_folder
from judgecli.registry.hub_cache import cache_folder

__all__ = ["DefaultJudge", "Diagnosis", "EndpointState", "Findings", "Problem", "diagnose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What was found, and what follows from it."""

    findings: Findings
    problems: tuple[Problem, ...]

    @property
    def can_judge(self) -> bool:
        """Whether the engine loads and no model that is here is damaged."""
        return not any(problem.blocks_judging for problem in self.problems)


def diagnose(
    named: tuple[str, str] | None = None, *, rehash: bool = False, progress: Progress = SILENT
) -> Diagnosis:
    """Look at the engine, the machine, the caches and the models.

    `named` is the default judge with what names it (`JUDGE_MODEL`, a file), None where nothing does; `rehash`
    reads every model whole. Whatever is broken becomes a problem in the result.
    """
    engine, nvidia_smi = start_engine_check(), start_nvidia_smi()  # they work while the rest is looked at
    models, unreadable = _models(rehash, progress)
    findings = Findings(
        python=f"{platform.python_implementation()} {platform.python_version()}",
        python_path=sys.executable,
        platform=_platform(),
        cores=read_cores(),
        cpu_flags=read_cpu_flags(),
        memory=host_memory(),
        hub_cache=folder_state(cache_folder()),
        judge_cache=folder_state(judge_cache_folder()),
        models=models,
        unreadable=unreadable,
        default=_default_judge(named, models, rehash, progress),
        endpoint=look_at_endpoint(),
        gpus=find_gpus(nvidia_smi),
        engine=finish_engine_check(engine),
    )
    return Diagnosis(findings=findings, problems=tuple(find_problems(findings)))


def _models(rehash: bool, progress: Progress) -> tuple[tuple[ModelState, ...], str | None]:
    try:
        return models_here(rehash=rehash, progress=progress), None
    except ModelError as error:
        return (), str(error)


def _default_judge(
    named: tuple[str, str] | None, models: Sequence[ModelState], rehash: bool, progress: Progress
) -> DefaultJudge:
    name, source = named or (DEFAULT_MODEL, None)
    kind, _, rest = name.partition(":")
    if kind in backend_names() and rest:
        return DefaultJudge(name=name, source=source, backend=kind)
    try:
        model = model_state(name)
        known = next((state for state in models if state.name == model.name), None)
        if known is None and rehash:
            known = model_state(name, rehash=True, progress=progress)
        return DefaultJudge(name=name, source=source, model=known or model)
    except ModelError as error:
        return DefaultJudge(name=name, source=source, absence=str(error))


def _platform() -> str:
    system = f"{platform.system()} {platform.release()}"
    if platform.system() == "Darwin":
        system = f"macOS {platform.mac_ver()[0]}"
    return f"{system} {platform.machine()}"
