"""The CPU as far as this process may use it: cores, a container's share of them, instructions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cores:
    """Cores this process may run on; `quota` is how many cores' time a container leaves it, None for all."""

    n: int
    quota: float | None = None

    @property
    def n_busy(self) -> int:
        """Threads that can really run at once."""
        return self.n if self.quota is None else max(1, min(self.n, int(self.quota)))


def read_cores(root: Path = ROOT) -> Cores:
    """Return the cores of this process."""
    try:
        n = len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        n = os.cpu_count() or 1
    quotas = [quota for folder in _groups(root) if (quota := _quota(folder)) is not None]
    quota = min(quotas, default=None)
    return Cores(n=n, quota=quota if quota is not None and quota < n else None)


def read_cpu_flags(root: Path = ROOT) -> frozenset[str]:
    """Return the instructions that Linux lists of an x86 CPU, in its own spelling; elsewhere nothing."""
    for line in _lines(root / "proc/cpuinfo"):
        name, _, value = line.partition(":")
        if name.strip() == "flags":
            return frozenset(value.split())
    return frozenset()


def _groups(root: Path) -> Iterator[Path]:
    """Yield the folders of this process's control groups for CPU time, of version 1 or 2, innermost first.

    Inside a container the path may be the host's, whose folders are not there; the mount itself always is.
    """
    for line in _lines(root / "proc/self/cgroup"):
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        mount = root / "sys/fs/cgroup"
        if "cpu" in controllers.split(","):
            mount = mount / "cpu"
        elif number != "0" or controllers:
            continue
        inner = mount / path.lstrip("/")
        yield from (folder for folder in (inner, *inner.parents) if folder.is_relative_to(mount))


def _quota(folder: Path) -> float | None:
    """Return the cores' worth of time that a group may use: of version 2, else of version 1."""
    words = " ".join(_lines(folder / "cpu.max")).split()
    if len(words) == 2 and words[0].isdigit():
        return int(words[0]) / max(1, int(words[1]))
    quota, period = _number(folder / "cpu.cfs_quota_us"), _number(folder / "cpu.cfs_period_us")
    return quota / period if quota is not None and period else None


def _number(path: Path) -> int | None:
    """Return the number in a file; None where there is no file, or -1 in it."""
    text = "".join(_lines(path)).strip()
    return int(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
