"""Look into huggingface_hub's cache folder without huggingface_hub.

Importing it costs time, it reads its environment variables once, at import, and its own look-up calls
connect unless told not to. Reading the layout (`models--org--repo/snapshots/<commit>/file`) needs none
of that, so a cached model is found at once and with no connection tried.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgecli.registry.cards import CardFile

_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def cache_folder() -> Path:
    """Return the hub's cache folder: HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, as huggingface_hub reads them."""
    default_home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{default_home}/huggingface"
    named = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or f"{home}/hub"
    return Path(os.path.expandvars(os.path.expanduser(named)))  # noqa: PTH111 -- as huggingface_hub does, never raising


def repo_folder(repo: str) -> Path:
    """Return the folder of a repository in the cache, there or not."""
    return cache_folder() / f"models--{repo.replace('/', '--')}"


def find_cached(file: CardFile) -> tuple[Path, ...] | None:
    """Return the cached paths of all shards of a file, from one snapshot; None where one is missing.

    A commit is looked up as it is, a branch or tag by what it last stood for here. Without a revision,
    `main` comes first, then every other snapshot, the newest first: pulling a second file may have moved
    `main` on from the snapshot that holds the first.
    """
    for snapshot in _snapshots(file):
        paths = tuple(snapshot / path for path in file.paths)
        if all(path.is_file() for path in paths):
            return paths
    return None


def _snapshots(file: CardFile) -> Iterator[Path]:
    folder = repo_folder(file.repo or "")
    revision = file.revision or "main"
    yield folder / "snapshots" / (revision if _COMMIT.fullmatch(revision) else _read_ref(folder, revision))
    if file.revision is None:
        yield from sorted(folder.glob("snapshots/*"), key=lambda path: path.stat().st_mtime, reverse=True)


def _read_ref(folder: Path, revision: str) -> str:
    """Return the commit that a branch or tag last stood for, or a name no snapshot has."""
    try:
        return (folder / "refs" / revision).read_text(encoding="utf-8").strip() or "-"
    except (OSError, ValueError):
        return "-"


def blob_sha256(path: Path) -> str | None:
    """Return the SHA-256 that the cache's layout states for a file: the name of the blob it links to.

    None where there is no such link: on file systems without links, and for small files kept in git.
    """
    if not path.is_symlink():
        return None
    target = path.readlink().name
    return target if _SHA256.fullmatch(target) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What removing a file from the cache would delete: snapshot entries, and blobs only they use."""

    repo: str
    entries: tuple[Path, ...]
    blobs: tuple[Path, ...]
    freed_bytes: int


def plan_removal(file: CardFile) -> Removal:
    """Find every entry of a file in all snapshots of its repository, and the blobs nothing else uses."""
    folder = repo_folder(file.repo or "")
    named = {snapshot / path for snapshot in folder.glob("snapshots/*") for path in file.paths}
    entries = {path for path in named if os.path.lexists(path)}
    kept = {
        _blob(path) for path in folder.glob("snapshots/*/**/*") if path.is_symlink() and path not in entries
    }
    linked = {_blob(path) for path in entries if path.is_symlink()} - kept
    blobs = {blob for blob in linked if blob.parent == folder / "blobs" and os.path.lexists(blob)}
    # A blob may itself be a link into a store that other repositories share: the link goes, its target stays.
    freed = [path.lstat().st_size for path in (*entries, *blobs) if not path.is_symlink()]
    return Removal(
        repo=file.repo or "",
        entries=tuple(sorted(entries)),
        blobs=tuple(sorted(blobs)),
        freed_bytes=sum(freed),
    )


def _blob(path: Path) -> Path:
    """Return what a snapshot's link points at, one step only."""
    return Path(os.path.normpath(path.parent / path.readlink()))


def remove(removal: Removal) -> None:
    """Delete what a plan names, then what stays empty.

    A repository without snapshots goes as a whole, and so do branch names that stood for a snapshot that
    is gone; huggingface_hub calls either left behind a corrupted cache.

    Raises:
        OSError: a file cannot be deleted.
    """
    folder = repo_folder(removal.repo)
    for path in (*removal.entries, *removal.blobs):
        path.unlink()
    for path in sorted(folder.glob("snapshots/**/"), key=lambda path: len(path.parts), reverse=True):
        if not any(path.iterdir()):
            path.rmdir()
    if not (folder / "snapshots").is_dir():
        shutil.rmtree(folder)
        return
    for ref in [path for path in folder.glob("refs/**/*") if path.is_file()]:
        if not (folder / "snapshots" / ref.read_text(encoding="utf-8").strip()).is_dir():
            ref.unlink()
