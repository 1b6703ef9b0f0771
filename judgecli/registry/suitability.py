"""Refuse a file that cannot be a judge before llama.cpp sees it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry.gguf_header import GgufHeader, inspect_gguf

# Besides every "...bert...": models that give vectors, labels, sound or images instead of the next token.
NOT_A_DECODER = frozenset({"t5", "t5encoder", "gemma-embedding", "llama-embed", "clip", "wavtokenizer-dec"})

MAX_LAYERS = 1000


def check_weights(paths: Sequence[Path]) -> GgufHeader:
    """Check all shards of a model and return the header of the first.

    Raises:
        ModelError: a shard is missing, damaged, truncated or of another model; or the model is an encoder,
            an embedding model, an adapter, or a vocabulary without weights.
    """
    headers = [_whole_header(path, paths) for path in paths]
    first, path = headers[0], paths[0]
    _check_shards(headers, paths)
    _check_kind(first, path)
    if sum(header.n_tensors for header in headers) == 0:
        raise ModelError(f"{path}: a vocabulary without weights cannot judge; give the whole model")
    return first


def _whole_header(path: Path, paths: Sequence[Path]) -> GgufHeader:
    if len(paths) > 1 and not path.exists():
        raise ModelError(f"{path}: this shard of {len(paths)} is missing; put all shards into one folder")
    header = inspect_gguf(path)
    if header.expected_bytes > header.file_bytes:
        sizes = f"header wants {header.expected_bytes:,} bytes, file has {header.file_bytes:,}"
        raise ModelError(f"{path}: truncated: {sizes}; fetch the model again")
    return header


def _check_shards(headers: Sequence[GgufHeader], paths: Sequence[Path]) -> None:
    """Check that what the headers say of the split is what the file names say."""
    for number, (header, path) in enumerate(zip(headers, paths, strict=True)):
        if header.split_count == len(paths) and header.split_no == number:
            continue
        inside = f"shard {header.split_no + 1} of {header.split_count}"
        outside = f"shard {number + 1} of {len(paths)}"
        raise ModelError(
            f"{path}: its header says {inside}, its name {outside}; restore the shard's own name"
        )


def _check_kind(header: GgufHeader, path: Path) -> None:
    architecture = header.architecture
    if architecture is None:
        raise ModelError(f"{path}: damaged: the header names no architecture; fetch the model again")
    if header.n_layers is not None and not 1 <= header.n_layers <= MAX_LAYERS:  # llama.cpp would abort
        raise ModelError(f"{path}: damaged: the header says {header.n_layers} layers; fetch the model again")
    if header.general_type not in {None, "model"}:
        raise ModelError(
            f"{path}: the file holds a GGUF {header.general_type}, not a model; give the model itself"
        )
    if "bert" in architecture or architecture in NOT_A_DECODER or not header.is_causal:
        raise ModelError(
            f"{path}: {architecture} is not a model that writes text; give an instruct or judge model"
        )
    if header.pooling_type:
        raise ModelError(
            f"{path}: an embedding model ({architecture}) cannot judge; give an instruct or judge model"
        )
