"""From what a user calls a model to checked files on this machine; never connects to anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry import hashes, hub_cache
from judgecli.registry.cards import CardFile, ModelCard
from judgecli.registry.demo_package import find_packaged, packaged_sha256
from judgecli.registry.gguf_header import GgufHeader
from judgecli.registry.progress import SILENT, Progress
from judgecli.registry.sizes import human_size
from judgecli.registry.specs import Spec, parse_spec
from judgecli.registry.suitability import check_weights
from judgecli.registry.weights_file import shard_paths

DEFAULT_MODEL = "judgelm-7b"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """A judge model that is here and whole.

    `path` is the first shard, what llama.cpp opens; `size_bytes` is of all shards together; `sha256` is the
    file's, for a split model that of its shards' hashes (see `hashes.combined_sha256`). `quant`, `repo` and
    `revision` are None where the model is not from a card or not from the hub.
    """

    name: str
    path: Path
    paths: tuple[Path, ...]
    size_bytes: int
    sha256: str
    header: GgufHeader
    card: ModelCard | None = None
    quant: str | None = None
    repo: str | None = None
    revision: str | None = None


def resolve(text: str, *, progress: Progress = SILENT) -> ResolvedModel:
    """Find a model by name, path or `hf:` spec, and check it. Never downloads, never connects.

    Raises:
        ModelError: unknown, not in the cache (with the command that fetches it), damaged, or no judge.
    """
    spec = parse_spec(text)
    if spec.path is not None:
        paths = shard_paths(spec.path)
        return _checked(spec, None, paths, (None,) * len(paths), progress)
    for file in spec.files:
        if locate(file):
            return resolve_file(spec, file, progress)
    return resolve_file(spec, spec.files[0], progress)


def default_model(*, progress: Progress = SILENT) -> ResolvedModel | None:
    """Return JudgeLM 7B if it is in the cache, its default quantization before any other, else None.

    Raises:
        ModelError: it is there, but damaged.
    """
    spec = parse_spec(DEFAULT_MODEL)
    file = next((file for file in spec.files if locate(file)), None)
    return resolve_file(spec, file, progress) if file else None


def locate(file: CardFile) -> tuple[Path, ...] | None:
    """Return the paths of a card's file on this machine, all shards, or None.

    Raises:
        ModelError: the cache folder cannot be read.
    """
    try:
        return find_packaged(file) if file.package else hub_cache.find_cached(file)
    except OSError as error:
        raise ModelError(f"{hub_cache.cache_folder()}: cannot be read ({error}); check the folder") from error


def resolve_file(spec: Spec, file: CardFile, progress: Progress) -> ResolvedModel:
    """Check one candidate of a spec.

    Raises:
        ModelError: not on this machine, damaged, or no judge.
    """
    paths = locate(file)
    if paths is None:
        raise _absent(spec, file)
    return _checked(spec, file, paths, expected_sha256(file, paths), progress)


def expected_sha256(file: CardFile, paths: Sequence[Path]) -> tuple[str | None, ...]:
    """Return the hash each file should have: of the card, else of the hub or the package; None if unknown."""
    stated = packaged_sha256(file) if file.package else tuple(hub_cache.blob_sha256(path) for path in paths)
    return tuple(of_card or other for of_card, other in zip(file.sha256, stated, strict=True))


def _absent(spec: Spec, file: CardFile) -> ModelError:
    if file.package:
        return ModelError(f"{spec.text}: the demo judge is not installed; run: pip install 'judgecli[demo]'")
    size = file.size_bytes or file.approx_bytes
    about = f"({'' if file.size_bytes else 'about '}{human_size(size)}) " if size else ""
    return ModelError(
        f"{spec.name_of(file)} is not in the cache; fetch it {about}with: judge pull {spec.text}"
    )


def _checked(
    spec: Spec,
    file: CardFile | None,
    paths: tuple[Path, ...],
    expected: Sequence[str | None],
    progress: Progress,
) -> ResolvedModel:
    header = check_weights(paths)
    found = [hashes.sha256_of(path, progress) for path in paths]
    for path, sha256, wanted in zip(paths, found, expected, strict=True):
        if wanted not in {None, sha256}:
            raise _damaged(spec, path, sha256, str(wanted))
    return ResolvedModel(
        name=spec.name_of(file) if file else spec.text,
        path=paths[0],
        paths=paths,
        size_bytes=sum(path.stat().st_size for path in paths),
        sha256=hashes.combined_sha256(found),
        header=header,
        card=spec.card,
        quant=(file.quant or None) if file else None,
        repo=file.repo if file else None,
        revision=_commit(paths[0], file) if file and file.repo else None,
    )


def _commit(path: Path, file: CardFile) -> str:
    """Return the commit of the snapshot that a cached file lies in."""
    depth = file.paths[0].count("/")
    return path.parents[depth].name


def _damaged(spec: Spec, path: Path, sha256: str, wanted: str) -> ModelError:
    package = next((file.package for file in spec.files if file.package), None)
    remedy = f"remove it with `judge models rm {spec.text}` and pull it again"
    if package:
        remedy = f"run: pip install --force-reinstall {package}"
    return ModelError(f"{path}: damaged: SHA-256 is {sha256}, should be {wanted}; {remedy}")
