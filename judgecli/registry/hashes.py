"""SHA-256 of weights files, remembered by path, size and time in judgecli's own cache folder.

A 4 GB file takes seconds to hash; it is done once. What a pull has checked is written down here too, and
is what `verify` compares with. A cache that cannot be read or written is never an error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgecli.errors import ModelError
from judgecli.registry.progress import Progress
from judgecli.registry.weights_file import open_weights

CHUNK_BYTES = 1 << 22
# A file written to again within one tick of the clock keeps its time: too young to be remembered.
_SETTLED_NS = 2_000_000_000


def judge_cache_folder() -> Path:
    """Return judgecli's cache folder: JUDGE_CACHE_DIR, else `judgecli` in the user's cache folder."""
    named = os.environ.get("JUDGE_CACHE_DIR")
    if named:
        return Path(named)
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "judgecli" / "Cache"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 -- raises without a home
    return Path(base) / "judgecli"


def hash_file(path: Path, progress: Progress, name: str | None = None) -> str:
    """Return the SHA-256 (hex) of a file, reading all of it; `name` is what progress calls it.

    Raises:
        ModelError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with open_weights(path) as (handle, n_bytes):
        progress.start(f"checking {name or path.name}", n_bytes)
        try:
            while chunk := handle.read(CHUNK_BYTES):
                digest.update(chunk)
                progress.advance(len(chunk))
        except OSError as error:
            raise ModelError(f"{path}: cannot be read to its end ({error}); check the disk") from error
        finally:
            progress.stop()
    return digest.hexdigest()


def sha256_of(path: Path, progress: Progress) -> str:
    """Return the SHA-256 (hex) of a file, from memory where its size and time have not changed.

    Raises:
        ModelError: the file cannot be read.
    """
    remembered = recall(path)
    if remembered is not None:
        return remembered
    started_ns = time.time_ns()
    sha256 = hash_file(path, progress)
    with contextlib.suppress(OSError):
        if path.stat().st_mtime_ns < started_ns - _SETTLED_NS:
            remember(path, sha256)
    return sha256


def combined_sha256(hashes: Sequence[str]) -> str:
    """Return the hash that names a model: of its one file, or of its shards' hashes, one a line, in order."""
    if len(hashes) == 1:
        return hashes[0]
    return hashlib.sha256("".join(f"{sha256}\n" for sha256 in hashes).encode()).hexdigest()


def recall(path: Path) -> str | None:
    """Return the remembered hash of a file whose size and time are still the same, else None."""
    entry = _load().get(_key(path))
    try:
        stamp = _stamp(path)
    except OSError:
        return None
    if not isinstance(entry, dict) or {key: entry.get(key) for key in stamp} != stamp:
        return None
    sha256 = entry.get("sha256")
    return sha256 if isinstance(sha256, str) else None


def remember(path: Path, sha256: str) -> None:
    """Write down the hash of a file as it is now; do nothing where the cache cannot be written."""
    with contextlib.suppress(OSError):
        _store(_load() | {_key(path): {**_stamp(path), "sha256": sha256}})


def forget(path: Path) -> None:
    """Drop what is remembered of a file."""
    entries = _load()
    if entries.pop(_key(path), None) is not None:
        with contextlib.suppress(OSError):
            _store(entries)


def _key(path: Path) -> str:
    return os.path.realpath(path)


def _stamp(path: Path) -> dict[str, int]:
    status = path.stat()
    return {"size_bytes": status.st_size, "mtime_ns": status.st_mtime_ns}


def _load() -> dict[str, Any]:
    try:
        entries = json.loads((judge_cache_folder() / "hashes.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _store(entries: dict[str, Any]) -> None:
    """Replace the file as a whole, so that no reader ever sees half of it."""
    folder = judge_cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix="hashes-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(entries, file, allow_nan=False, indent=1)
        Path(name).replace(folder / "hashes.json")
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
