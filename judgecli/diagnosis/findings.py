"""Nouns of the diagnosis: everything that was looked at."""

from __future__ import annotations

from dataclasses import dataclass

from judgecli.backends.llama_cpp.memory import DeviceMemory
from judgecli.diagnosis.gpus import SystemGpus
from judgecli.diagnosis.machine import Cores
from judgecli.registry import cards
from judgecli.registry.condition import FolderState, ModelState
from judgecli.types.installation import Installation


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultJudge:
    """The judge of a run without --model.

    `source` is what names it, None for judgecli's own choice. `model` is its state, `absence` why there is
    none; both None for a `backend` that needs no weights.
    """

    name: str
    source: str | None = None
    model: ModelState | None = None
    absence: str | None = None
    backend: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointState:
    """Whether judges behind an endpoint can be asked, and where.

    `client` is the version of the openai package, None where it is not installed; `base_url` is without
    credentials, None where the environment names no address, which `problem` says.
    """

    client: str | None = None
    base_url: str | None = None
    has_key: bool = False
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that was looked at; `unreadable` is why the models could not be."""

    python: str
    python_path: str
    platform: str
    engine: Installation
    cores: Cores
    cpu_flags: frozenset[str]
    memory: DeviceMemory
    gpus: SystemGpus
    hub_cache: FolderState
    judge_cache: FolderState
    models: tuple[ModelState, ...]
    unreadable: str | None
    default: DefaultJudge
    endpoint: EndpointState = EndpointState()

    @property
    def has_demo(self) -> bool:
        """Whether the demo judge is installed, intact or not."""
        demos = {card.name for card in cards().values() if card.demo}
        return any(model.name.partition(":")[0] in demos for model in self.models)
