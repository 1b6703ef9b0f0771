import platform
import sys
import time
from pathlib import Path

import pytest

from judgecli.diagnosis import gpus
from judgecli.diagnosis.gpus import SmiAnswer, SystemGpu, Vendor, find_gpus, start_nvidia_smi

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts stand for nvidia-smi")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs, apart from the system's own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    return folder


def nvidia_smi(path: Path, script: str) -> None:
    program = path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def nvidia(name: str, **more: bool) -> SystemGpu:
    return SystemGpu(vendor=Vendor.NVIDIA, name=name, **more)


def test_nvidia_smi_names_the_gpus(path: Path, tmp_path: Path) -> None:
    nvidia_smi(path, 'echo "NVIDIA L4"; echo "NVIDIA T4"')
    found = find_gpus(start_nvidia_smi(), root=tmp_path)
    assert found.gpus == (nvidia("NVIDIA L4"), nvidia("NVIDIA T4"))
    assert found.nvidia_smi is SmiAnswer.ANSWERED


def test_it_is_asked_for_names_only(path: Path, tmp_path: Path) -> None:
    nvidia_smi(path, 'echo "$*"')
    assert find_gpus(start_nvidia_smi(), root=tmp_path).gpus == (
        nvidia("--query-gpu=name --format=csv,noheader"),
    )


def test_no_devices_are_no_gpus(path: Path, tmp_path: Path) -> None:
    nvidia_smi(path, 'echo "No devices were found"')
    assert find_gpus(start_nvidia_smi(), root=tmp_path).gpus == ()


def test_without_it_the_kernel_names_them(tmp_path: Path) -> None:
    write(
        tmp_path / "proc/driver/nvidia/gpus/0000:01:00.0/information",
        "Model: \t\t NVIDIA A10\nIRQ:   \t\t 31\n",
    )
    found = find_gpus(None, root=tmp_path)
    assert (found.gpus, found.nvidia_smi) == ((nvidia("NVIDIA A10"),), SmiAnswer.ABSENT)


@pytest.mark.parametrize(
    ("script", "answer"), [("sleep 60", SmiAnswer.HUNG), ("echo failed; exit 9", SmiAnswer.FAILED)]
)
def test_one_that_hangs_or_fails_is_told_and_not_waited_for(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, answer: SmiAnswer
) -> None:
    monkeypatch.setattr(gpus, "NVIDIA_SMI_TIMEOUT_S", 0.5 if answer is SmiAnswer.HUNG else 10.0)
    nvidia_smi(path, script)
    started_s = time.monotonic()
    found = find_gpus(start_nvidia_smi(), root=tmp_path)
    assert (found.gpus, found.nvidia_smi) == ((), answer)
    assert time.monotonic() - started_s < 5


def test_a_card_without_a_driver_is_seen_on_the_bus(tmp_path: Path) -> None:
    for slot, vendor, kind in (
        ("01", "0x10de", "0x030000"),
        ("02", "0x10de", "0x040300"),
        ("03", "0x8086", "0x030000"),
    ):
        write(tmp_path / f"sys/bus/pci/devices/{slot}/vendor", f"{vendor}\n")
        write(tmp_path / f"sys/bus/pci/devices/{slot}/class", f"{kind}\n")
    assert find_gpus(None, root=tmp_path).gpus == (nvidia("NVIDIA GPU", has_driver=False),)


def test_amds_gpus_are_the_nodes_with_vector_units(tmp_path: Path) -> None:
    nodes = tmp_path / "sys/class/kfd/kfd/topology/nodes"
    for node, name, simd_count in (("0", "", 0), ("1", "navi21", 160)):
        write(nodes / node / "name", f"{name}\n")
        write(nodes / node / "properties", f"cpu_cores_count 0\nsimd_count {simd_count}\n")
    assert find_gpus(None, root=tmp_path).gpus == (SystemGpu(vendor=Vendor.AMD, name="AMD navi21"),)


@pytest.mark.parametrize(("machine", "n"), [("arm64", 1), ("x86_64", 0)])
def test_apples_gpu_is_part_of_the_chip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str, n: int
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert [gpu.vendor for gpu in find_gpus(None, root=tmp_path).gpus] == [Vendor.APPLE] * n


def test_a_program_that_cannot_be_run_is_none(path: Path) -> None:
    (path / "nvidia-smi").write_text("#!/no/such/shell\n", encoding="utf-8")
    (path / "nvidia-smi").chmod(0o755)
    assert start_nvidia_smi() is None
