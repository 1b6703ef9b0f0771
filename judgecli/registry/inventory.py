"""What is on this machine: list it, check it again, remove it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry import hashes, hub_cache
from judgecli.registry.cards import CardFile, ModelCard, cards
from judgecli.registry.progress import SILENT, Progress
from judgecli.registry.resolution import expected_sha256, locate
from judgecli.registry.specs import Spec, parse_spec
from judgecli.registry.weights_file import shard_paths


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentFile:
    """A file of a card that is on this machine."""

    file: CardFile
    paths: tuple[Path, ...]

    @property
    def size_bytes(self) -> int:
        """Size of all shards together."""
        return sum(path.stat().st_size for path in self.paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """A model card, and which of its files are on this machine."""

    card: ModelCard
    present: tuple[PresentFile, ...]


class Integrity(StrEnum):
    """What a check found."""

    INTACT = "intact"
    DAMAGED = "damaged"
    UNKNOWN = "no hash to compare with"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """One file hashed again; `expected` None where nothing states its hash."""

    name: str
    path: Path
    sha256: str
    expected: str | None

    @property
    def integrity(self) -> Integrity:
        """Whether the file is what it should be."""
        if self.expected is None:
            return Integrity.UNKNOWN
        return Integrity.INTACT if self.sha256 == self.expected else Integrity.DAMAGED


def list_models() -> tuple[ModelStatus, ...]:
    """Return every card with its files on this machine."""
    return tuple(model_status(card) for card in cards().values())


def model_status(card: ModelCard) -> ModelStatus:
    """Return a card with its files on this machine."""
    located = ((file, locate(file)) for file in card.files)
    return ModelStatus(
        card=card, present=tuple(PresentFile(file=file, paths=paths) for file, paths in located if paths)
    )


def verify(text: str | None = None, *, progress: Progress = SILENT) -> tuple[Verification, ...]:
    """Hash a model's files again, or those of all cards, and compare.

    The expected hash is that of the card, else what the hub, the package or an earlier pull stated; for a
    path, what was remembered of the file while its size and time are the same.

    Raises:
        ModelError: the named model is unknown or not on this machine.
    """
    if text is None:
        specs = [parse_spec(card.name) for card in cards().values() if card.files]
        return tuple(check for spec in specs for check in _verify_spec(spec, progress))
    spec = parse_spec(text)
    if spec.path is not None:
        return tuple(_verify_path(text, path, None, progress) for path in shard_paths(spec.path))
    checks = _verify_spec(spec, progress)
    if not checks:
        raise ModelError(f"{text} is not on this machine; fetch it with: judge pull {text}")
    return checks


def _verify_spec(spec: Spec, progress: Progress) -> tuple[Verification, ...]:
    found = ((file, locate(file)) for file in spec.files)
    return tuple(
        _verify_path(spec.name_of(file), path, expected, progress)
        for file, paths in found
        if paths
        for path, expected in zip(paths, expected_sha256(file, paths), strict=True)
    )


def _verify_path(name: str, path: Path, expected: str | None, progress: Progress) -> Verification:
    expected = expected or hashes.recall(path)
    sha256 = hashes.hash_file(path, progress)
    if expected in {None, sha256}:
        hashes.remember(path, sha256)
    return Verification(name=name, path=path, sha256=sha256, expected=expected)


def plan_removal(text: str) -> tuple[hub_cache.Removal, ...]:
    """Return what removing a model from the hub's cache would delete; one quantization, or all that are here.

    Raises:
        ModelError: unknown, not in the cache, a path, or the demo's installed package.
    """
    spec = parse_spec(text)
    if spec.path is not None:
        raise ModelError(
            f"{text}: only models in the hub's cache are removed; delete a file of your own yourself"
        )
    if any(file.package for file in spec.files):
        raise ModelError(
            f"{text}: the demo judge is an installed package; run: pip uninstall {spec.files[0].package}"
        )
    plans = [hub_cache.plan_removal(file) for file in spec.files]
    found = tuple(plan for plan in plans if plan.entries)
    if not found:
        raise ModelError(f"{text} is not in the cache; there is nothing to remove")
    return found


def remove(removal: hub_cache.Removal) -> None:
    """Delete what a plan names from the hub's cache.

    Raises:
        ModelError: a file cannot be deleted.
    """
    for path in removal.entries:
        hashes.forget(path)
    try:
        hub_cache.remove(removal)
    except OSError as error:
        raise ModelError(
            f"cannot delete a file of {removal.repo} ({error}); check the cache folder"
        ) from error
