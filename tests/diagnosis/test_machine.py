import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from judgecli.diagnosis.machine import Cores, read_cores, read_cpu_flags

V2 = "sys/fs/cgroup"
V1 = "sys/fs/cgroup/cpu"


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def system(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/\n", f"{V2}/cpu.max": "250000 100000\n"}, 2.5),
        ({"proc/self/cgroup": "0::/\n", f"{V2}/cpu.max": "max 100000\n"}, None),
        ({"proc/self/cgroup": "0::/\n", f"{V2}/cpu.max": "1600000 100000\n"}, None),  # more than there are
        (
            {
                "proc/self/cgroup": "0::/pod/box\n",
                f"{V2}/pod/cpu.max": "100000 100000\n",
                f"{V2}/pod/box/cpu.max": "400000 100000\n",
            },
            1.0,
        ),
        ({"proc/self/cgroup": "0::/of/the/host\n", f"{V2}/cpu.max": "300000 100000\n"}, 3.0),
        (
            {
                "proc/self/cgroup": "3:memory:/box\n4:cpu,cpuacct:/box\n",
                f"{V1}/box/cpu.cfs_quota_us": "200000\n",
                f"{V1}/box/cpu.cfs_period_us": "100000\n",
            },
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/\n",
                f"{V1}/cpu.cfs_quota_us": "-1\n",
                f"{V1}/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
    ],
)
def test_a_containers_share_of_the_cores(tmp_path: Path, files: dict[str, str], quota: float | None) -> None:
    assert read_cores(system(tmp_path, files)) == Cores(n=8, quota=quota)


@pytest.mark.parametrize(("quota", "n"), [(None, 8), (2.5, 2), (0.5, 1)])
def test_threads_that_can_run_at_once(quota: float | None, n: int) -> None:
    assert Cores(n=8, quota=quota).n_busy == n


def test_the_cpus_instructions(tmp_path: Path) -> None:
    text = "processor\t: 0\nflags\t\t: fpu avx2 fma\n\nprocessor\t: 1\nflags\t\t: fpu\n"
    assert read_cpu_flags(system(tmp_path, {"proc/cpuinfo": text})) == {"fpu", "avx2", "fma"}
    assert read_cpu_flags(tmp_path / "elsewhere") == frozenset()
