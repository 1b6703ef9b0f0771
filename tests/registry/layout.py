"""Lay files into the hub's cache folder as huggingface_hub does."""

import hashlib
from pathlib import Path

from judgecli.registry.hub_cache import repo_folder
from tests.registry.hub import COMMIT

JUDGELM = "DevQuasar/BAAI.JudgeLM-7B-v1.0-GGUF"
JUDGELM_Q4 = "BAAI.JudgeLM-7B-v1.0.Q4_K_M.gguf"
JUDGELM_Q5 = "BAAI.JudgeLM-7B-v1.0.Q5_K_M.gguf"


def cached(repo: str, path: str, data: bytes, commit: str = COMMIT, ref: str | None = "main") -> Path:
    """Put a file into the cache: blob, link in the snapshot, and what the branch stands for."""
    folder = repo_folder(repo)
    blob = folder / "blobs" / hashlib.sha256(data).hexdigest()
    entry = folder / "snapshots" / commit / path
    for parent in (blob.parent, entry.parent, folder / "refs"):
        parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    depth = len(entry.relative_to(folder).parts) - 1
    entry.symlink_to(Path(*[".."] * depth, "blobs", blob.name))
    if ref:
        (folder / "refs" / ref).write_text(commit, encoding="utf-8")
    return entry
