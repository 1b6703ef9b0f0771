"""What memory there is: files of Linux under a made-up root, and the devices of the real llama.cpp."""

import os
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import memory
from judgecli.backends.llama_cpp.memory import available_memory, gpu_memory, host_memory
from judgecli.types.installation import Device, DeviceKind

GIB = 1024**3
MEMINFO = (
    "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:   12582912 kB\nHugePages: 0\n"
)


def write(root: Path, **files: object) -> None:
    """Write files, `__` standing for a slash and `_DOT_` for a dot."""
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}", encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, proc__meminfo=MEMINFO)
    return tmp_path


def group(folder: Path, version: int, limit: object, used: int, stat: str = "") -> None:
    names = ("limit_in_bytes", "usage_in_bytes") if version == 1 else ("max", "current")
    for name, content in zip((*names, "stat"), (limit, used, stat), strict=True):
        write(folder, **{f"memory_DOT_{name}": f"{content}\n"})


def test_a_machine_without_limits(root: Path) -> None:
    host = host_memory(root)
    assert (host.name, host.total_bytes, host.free_bytes, host.is_container) == (
        "CPU",
        16 * GIB,
        12 * GIB,
        False,
    )


class TestControlGroups:
    def test_version_2_counts_page_cache_as_free(self, root: Path) -> None:
        write(root, proc__self__cgroup="0::/box\n")
        stat = f"anon {GIB}\nactive_file {GIB}\ninactive_file {2 * GIB}\nfile {3 * GIB}"
        group(root / "sys/fs/cgroup/box", 2, 8 * GIB, 4 * GIB, stat)
        host = host_memory(root)
        assert (host.total_bytes, host.free_bytes, host.is_container) == (8 * GIB, 7 * GIB, True)

    def test_version_1_counts_page_cache_of_groups_below_too(self, root: Path) -> None:
        write(root, proc__self__cgroup="9:cpu,cpuacct:/\n4:memory:/box\n0::/\n")
        stat = f"active_file 0\ninactive_file 0\ntotal_active_file {GIB}\ntotal_inactive_file {GIB}"
        group(root / "sys/fs/cgroup/memory/box", 1, 4 * GIB, 3 * GIB, stat)
        host = host_memory(root)
        assert (host.total_bytes, host.free_bytes) == (4 * GIB, 3 * GIB)

    def test_the_tightest_group_on_the_way_up_counts(self, root: Path) -> None:
        write(root, proc__self__cgroup="0::/outer/inner\n")
        group(root / "sys/fs/cgroup/outer", 2, 2 * GIB, GIB)
        group(root / "sys/fs/cgroup/outer/inner", 2, "max", GIB)
        host = host_memory(root)
        assert (host.total_bytes, host.free_bytes) == (2 * GIB, GIB)

    def test_path_of_the_host_that_the_container_does_not_see(self, root: Path) -> None:
        write(root, proc__self__cgroup="4:memory:/docker/0123\n")
        group(root / "sys/fs/cgroup/memory", 1, 2 * GIB, GIB)
        assert host_memory(root).total_bytes == 2 * GIB

    def test_limits_beyond_the_machine_are_none(self, root: Path) -> None:
        write(root, proc__self__cgroup="4:memory:/\n")
        group(root / "sys/fs/cgroup/memory", 1, 9223372036854771712, GIB)
        host = host_memory(root)
        assert (host.total_bytes, host.free_bytes, host.is_container) == (16 * GIB, 12 * GIB, False)

    def test_a_group_over_its_limit_has_nothing_left(self, root: Path) -> None:
        write(root, proc__self__cgroup="0::/\n")
        group(root / "sys/fs/cgroup", 2, GIB, 2 * GIB)
        assert host_memory(root).free_bytes == 0


class TestOtherSystems:
    def test_only_the_total_is_known(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1024}
        monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)
        host = host_memory(tmp_path)
        assert (host.total_bytes, host.free_bytes) == (4 * 1024**2, None)

    def test_nothing_is_known(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delattr(os, "sysconf", raising=False)
        host = host_memory(tmp_path)
        assert (host.total_bytes, host.free_bytes) == (None, None)


def test_gpus_by_llama_cpps_names(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        Device(name="CUDA0", description="", kind=DeviceKind.GPU, free_bytes=3, total_bytes=4),
        Device(name="Vulkan0", description="", kind=DeviceKind.INTEGRATED_GPU),
        Device(name="CPU", description="", kind=DeviceKind.CPU, free_bytes=3, total_bytes=4),
    )
    monkeypatch.setattr(memory, "devices", lambda: found)
    gpus = [(gpu.name, gpu.total_bytes, gpu.free_bytes) for gpu in gpu_memory()]
    assert gpus == [("CUDA0", 4, 3), ("Vulkan0", None, None)]


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="needs Linux")
def test_this_machine() -> None:
    pytest.importorskip("llama_cpp")
    found = available_memory()
    assert found.host.total_bytes is not None
    assert found.host.free_bytes is not None
    assert 0 < found.host.free_bytes <= found.host.total_bytes
    assert all("CPU" not in gpu.name for gpu in found.gpus)
