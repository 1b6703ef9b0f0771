"""From a model's name or path to a checked file on this machine, and from the hub to its cache.

Only `plan_pull`, `download` and `pull` connect to anything; the rest reads folders.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from judgecli.registry.cards import CardFile, ModelCard, cards
from judgecli.registry.gguf_header import GgufHeader, inspect_gguf
from judgecli.registry.hub_cache import Removal
from judgecli.registry.inventory import (
    Integrity,
    ModelStatus,
    PresentFile,
    Verification,
    list_models,
    model_status,
    plan_removal,
    remove,
    verify,
)
from judgecli.registry.progress import SILENT, Progress, Silent
from judgecli.registry.resolution import DEFAULT_MODEL, ResolvedModel, default_model, resolve
from judgecli.registry.sizes import human_size
from judgecli.registry.specs import parse_spec

if TYPE_CHECKING:
    from judgecli.registry.pulling import PullPlan

__all__ = [
    "DEFAULT_MODEL",
    "SILENT",
    "CardFile",
    "GgufHeader",
    "Integrity",
    "ModelCard",
    "ModelStatus",
    "PresentFile",
    "Progress",
    "Removal",
    "ResolvedModel",
    "Silent",
    "Verification",
    "cards",
    "default_model",
    "download",
    "human_size",
    "inspect_gguf",
    "list_models",
    "model_status",
    "parse_spec",
    "plan_pull",
    "plan_removal",
    "pull",
    "remove",
    "resolve",
    "verify",
]


def plan_pull(spec: str, *, progress: Progress = SILENT) -> PullPlan:
    """Ask the hub what pulling a model would take: files, sizes, hashes, space; download nothing.

    Raises:
        ModelError: an unknown model, or a hub that refuses it or cannot be reached.
    """
    from judgecli.registry import pulling  # noqa: PLC0415 -- huggingface_hub only where it is used

    return pulling.plan_pull(spec, progress)


def download(plan: PullPlan, *, progress: Progress = SILENT) -> ResolvedModel:
    """Carry out a plan of `plan_pull`: fetch, check size and SHA-256, keep.

    Raises:
        ModelError: no space, a lost connection (the same call goes on from there), or a wrong hash.
    """
    from judgecli.registry import pulling  # noqa: PLC0415 -- huggingface_hub only where it is used

    return pulling.download(plan, progress)


def pull(spec: str, *, progress: Progress = SILENT) -> ResolvedModel:
    """Fetch a model into the hub's cache, or find it there, and check it.

    Raises:
        ModelError: as `plan_pull` and `download`.
    """
    return download(plan_pull(spec, progress=progress), progress=progress)
