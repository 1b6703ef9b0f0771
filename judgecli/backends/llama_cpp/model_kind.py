"""What a model is, as far as contexts are made by it; its vocabulary is loaded once to learn it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from judgecli.backends.llama_cpp.model import LlamaModel

_seen: dict[tuple[str, int, int], ModelKind] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKind:
    """Whether a model has an encoder, and whether it can drop the end of a sequence."""

    has_encoder: bool
    can_drop_tails: bool


def kind_of(path: Path) -> ModelKind:
    """Return the kind of a model; its file is opened only if it was not since it last changed.

    Raises:
        ModelError: it does not load.
    """
    known = _seen.get(_key(path))
    if known is not None:
        return known
    with LlamaModel(path, vocab_only=True) as model:
        return note_kind(path, model)


def note_kind(path: Path, model: LlamaModel) -> ModelKind:
    """Return the kind of an open model, and remember it."""
    kind = ModelKind(has_encoder=model.has_encoder, can_drop_tails=model.can_drop_tails)
    _seen[_key(path)] = kind
    return kind


def _key(path: Path) -> tuple[str, int, int]:
    try:
        stat = path.stat()
    except OSError:  # opening it will say so
        return str(path), -1, -1
    return str(path), stat.st_size, stat.st_mtime_ns
