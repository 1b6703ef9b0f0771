"""What state the caches and the models in them are in, told without reading whole files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry import hashes
from judgecli.registry.inventory import Integrity, list_models, verify
from judgecli.registry.progress import SILENT, Progress
from judgecli.registry.resolution import expected_sha256, locate, resolve_file
from judgecli.registry.specs import parse_spec
from judgecli.registry.suitability import check_weights
from judgecli.registry.weights_file import shard_paths
from judgecli.types.paths import is_folder, is_there


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderState:
    """A folder, there or still to be made; `free_bytes` None where the disk does not say."""

    path: Path
    exists: bool
    is_writable: bool
    free_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelState:
    """A model on this machine. `integrity` None: its bytes were not looked at yet.

    `damage` says what is wrong with a damaged one. It came from `repo` (on the hub) or `package` (installed);
    both are None for a file of the user's own.
    """

    name: str
    paths: tuple[Path, ...]
    size_bytes: int
    integrity: Integrity | None
    family: str | None = None
    repo: str | None = None
    package: str | None = None
    damage: str | None = None


def folder_state(path: Path) -> FolderState:
    """Return whether files can be made in a folder; for one that is not there, whether it could be made."""
    whole = path.absolute()
    nearest = next((place for place in (whole, *whole.parents) if os.path.lexists(place)), whole)
    try:
        free = shutil.disk_usage(nearest).free
    except OSError:
        free = None
    return FolderState(
        path=path,
        exists=is_folder(path),
        is_writable=is_folder(nearest) and os.access(nearest, os.W_OK | os.X_OK),
        free_bytes=free,
    )


def models_here(*, rehash: bool = False, progress: Progress = SILENT) -> tuple[ModelState, ...]:
    """Return the state of every card's files that are on this machine; `rehash` reads them whole.

    Raises:
        ModelError: the cache folder cannot be read.
    """
    names = [
        f"{status.card.name}:{present.file.quant}" for status in list_models() for present in status.present
    ]
    return tuple(model_state(name, rehash=rehash, progress=progress) for name in names)


def model_state(text: str, *, rehash: bool = False, progress: Progress = SILENT) -> ModelState:
    """Return the state of a model by name, path or `hf:` spec; `rehash` reads it whole.

    Otherwise its header is read, and what is remembered of its hash is compared with what it should be.

    Raises:
        ModelError: unknown, or not on this machine.
    """
    spec = parse_spec(text)
    file = None
    if spec.path is not None:
        paths = shard_paths(spec.path)
        if not is_there(paths[0]):
            raise ModelError(f"{paths[0]}: no such file; check the path, or see `judge models ls`")
        expected: Sequence[str | None] = (None,) * len(paths)
    else:
        file = next((file for file in spec.files if locate(file)), spec.files[0])
        paths = locate(file) or resolve_file(spec, file, progress).paths  # which says how to fetch it
        expected = expected_sha256(file, paths)
    name = spec.name_of(file) if file else spec.text
    integrity, damage = _integrity(name, paths, expected, progress if rehash else None)
    return ModelState(
        name=name,
        paths=paths,
        size_bytes=sum(path.stat().st_size for path in paths if path.is_file()),
        integrity=integrity,
        family=spec.card.family if spec.card else None,
        repo=file.repo if file else None,
        package=file.package if file else None,
        damage=damage,
    )


def _integrity(
    name: str, paths: Sequence[Path], expected: Sequence[str | None], progress: Progress | None
) -> tuple[Integrity | None, str | None]:
    """Return what is known of a model's bytes, and what is wrong with them; with a progress they are read."""
    try:
        check_weights(paths)
        if progress is not None:
            checks = verify(name, progress=progress)
            found: list[str | None] = [check.sha256 for check in checks]
            expected = [check.expected for check in checks]
        else:
            found = [hashes.recall(path) for path in paths]
    except ModelError as error:
        return Integrity.DAMAGED, str(error)
    for path, sha256, wanted in zip(paths, found, expected, strict=True):
        if None not in {sha256, wanted} and sha256 != wanted:
            return Integrity.DAMAGED, f"{path}: SHA-256 is {sha256}, should be {wanted}"
    if None in found:
        return None, None
    return (Integrity.UNKNOWN if None in expected else Integrity.INTACT), None
