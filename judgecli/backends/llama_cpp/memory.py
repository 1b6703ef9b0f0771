"""What memory there is: this machine's or its container's, and that of each GPU llama.cpp sees."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from judgecli.backends.llama_cpp.devices import devices

HOST = "CPU"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceMemory:
    """The memory of the host or of a GPU; None where the system does not say.

    `is_container` means that a control group allows less than the machine has.
    """

    name: str
    total_bytes: int | None
    free_bytes: int | None
    is_container: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All memory that a judge can be placed in."""

    host: DeviceMemory
    gpus: tuple[DeviceMemory, ...] = ()


def available_memory() -> Memory:
    """Return what the host and the GPUs have in total, and what of it is free at the moment.

    Raises:
        ModelError: llama-cpp-python does not load.
    """
    return Memory(host=host_memory(), gpus=gpu_memory())


def host_memory(root: Path = Path("/")) -> DeviceMemory:
    """Return the host's memory, cut down to what this process's control groups allow.

    `root` is where `proc` and `sys` are found. Free memory includes page cache, which the system gives up.
    """
    known = _meminfo(root / "proc/meminfo")
    total, free = known.get("MemTotal", _physical_bytes()), known.get("MemAvailable")
    is_container = False
    for limit, used in _cgroup_limits(root):
        if total is None or limit < total:
            total, is_container = limit, True
        free = max(limit - used, 0) if free is None else min(free, max(limit - used, 0))
    return DeviceMemory(name=HOST, total_bytes=total, free_bytes=free, is_container=is_container)


def gpu_memory() -> tuple[DeviceMemory, ...]:
    """Return the memory of each GPU this build of llama.cpp can use, by llama.cpp's name for it.

    Raises:
        ModelError: llama-cpp-python does not load.
    """
    return tuple(
        DeviceMemory(name=device.name, total_bytes=device.total_bytes, free_bytes=device.free_bytes)
        for device in devices()
        if device.is_gpu
    )


def _meminfo(path: Path) -> dict[str, int]:
    """Return Linux's table of memory in bytes; empty on other systems."""
    rows = (line.split() for line in _text(path).splitlines())
    return {row[0].rstrip(":"): int(row[1]) * 1024 for row in rows if len(row) == 3 and row[1].isdigit()}


def _physical_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _cgroup_limits(root: Path) -> Iterator[tuple[int, int]]:
    """Yield limit and use without page cache, in bytes, of each group this process is in that has a limit."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
            yield from _limits(root / "sys/fs/cgroup/memory", path, *names)
        elif number == "0" and not controllers:
            yield from _limits(root / "sys/fs/cgroup", path, "memory.max", "memory.current", "")


def _limits(mount: Path, path: str, limit: str, usage: str, prefix: str) -> Iterator[tuple[int, int]]:
    """Walk from a group up to the root: the tightest of them counts.

    Within a container the path may be the host's, and not be there; the mount itself then is its group.
    """
    place = mount / path.strip("/")
    for folder in (place, *place.parents):
        allowed, used = _text(folder / limit).strip(), _text(folder / usage).strip()
        if allowed.isdigit() and used.isdigit():  # "max" where there is no limit
            yield int(allowed), max(int(used) - _page_cache(folder / "memory.stat", prefix), 0)
        if folder == mount:
            return


def _page_cache(path: Path, prefix: str) -> int:
    rows = dict(line.partition(" ")[::2] for line in _text(path).splitlines())
    sizes = (rows.get(f"{prefix}{kind}_file", "0") for kind in ("active", "inactive"))
    return sum(int(size) for size in sizes if size.isdigit())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
