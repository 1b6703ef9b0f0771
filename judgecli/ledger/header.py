"""What two runs must share to go into one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# Not n_ctx, threads, parallel or paths: measured to leave logits as they are, bit for bit, while n_ubatch 128
# against 512 moved them by 0.7.
KEYED = (
    "mode",
    "model.sha256",
    "prompt.family",
    "prompt.hash",
    "prompt.template",
    "prompt.rubric",
    "prompt.aspect",
    "prompt.cot",
    "prompt.shots",
    "prompt.reference_block",
    "sampling",
    "orders",
    "ranking",
    "rotations",
    "turn",
    "min_mass",
    "reasons",
    "backend.name",
    "backend.model",
    "backend.base_url",
    "backend.device",
    "backend.llama_cpp",
    "backend.n_ubatch",
    "backend.type_k",
    "backend.type_v",
    "backend.flash_attn",
    "backend.extra_buffers",
    "backend.offload",
    "backend.split_mode",
    "backend.tensor_split",
    "backend.prompts_per_call",
    "backend.branch_flash_attn",
)
# What of these makes a judgment, or a prompt, and not what comes back for one.
_OF_THE_RUN = frozenset({"mode", "orders", "ranking", "rotations", "turn", "min_mass", "reasons"})
# What a header means that is older than the field.
_WHEN_ABSENT = {
    "backend.split_mode": "layer",
    "backend.prompts_per_call": 1,
    "backend.branch_flash_attn": True,
}


# What the user calls the settings that have a name of their own.
_OPTIONS = {
    "model.sha256": "--model",
    "prompt.family": "--prompt",
    "prompt.hash": "wording of --prompt",
    "orders": "--orders",
    "min_mass": "--min-mass",
    "reasons": "--reasons",
    "prompt.template": "--template",
    "prompt.rubric": "--rubric",
    "prompt.aspect": "--aspect",
    "prompt.cot": "--cot",
    "prompt.shots": "--shots",
    "prompt.reference_block": "--reference-block",
    "ranking": "--mode",
    "rotations": "--rotations",
    "turn": "--turn",
    "backend.model": "--model",
    "backend.base_url": "OPENAI_BASE_URL",
    "backend.n_ubatch": "--n-ubatch",
    "backend.type_k": "--type-k",
    "backend.type_v": "--type-v",
    "backend.flash_attn": "flash attention",
    "backend.offload": "--n-gpu-layers",
    "backend.split_mode": "--split-mode",
    "backend.tensor_split": "--tensor-split",
    "backend.prompts_per_call": "--prompts-per-call",
    "backend.branch_flash_attn": "use of flash attention for branches",
}


def judge_key(header: Mapping[str, Any]) -> str:
    """Return a short name for what a header says of its judge, and of how it is asked: 12 hex digits.

    Weights without a hash, as those behind an endpoint, go by their name.
    """
    held = [(name, _look_up(header, name)) for name in KEYED]
    text = json.dumps([held, _look_up(header, "model.sha256") or _look_up(header, "model.name")], default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def judge_settings(header: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return what a header says that decides what its judge replies: weights, engine and sampling."""
    names = (name for name in KEYED if name not in _OF_THE_RUN and not name.startswith("prompt."))
    held = ((name, _look_up(header, name)) for name in names)
    return tuple((name, value) for name, value in held if value is not None)


def option_name(field: str) -> str:
    """Return what the user calls a keyed field."""
    return _OPTIONS.get(field, field)


def first_difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """Return the first keyed field in which two headers differ, with both values."""
    for name in KEYED:
        left, right = _look_up(old, name), _look_up(new, name)
        if left != right:
            return name, left, right
    return None


def _look_up(header: Mapping[str, Any], dotted: str) -> Any:
    value: Any = header
    for name in dotted.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return _WHEN_ABSENT.get(dotted) if value is None else value
