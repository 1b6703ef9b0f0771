"""What a cache holds, and what went of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeShare:
    """What a cache holds of one judge; `size_bytes` is that of its completions."""

    name: str
    identity: str
    n_entries: int
    size_bytes: int
    last_used: date


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheInfo:
    """What a cache holds; `size_bytes` is that of its files on the disk."""

    path: Path
    n_entries: int = 0
    size_bytes: int = 0
    judges: tuple[JudgeShare, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """What went of how many completions; `freed_bytes` is what the disk has back."""

    path: Path
    n_removed: int = 0
    n_before: int = 0
    freed_bytes: int = 0
