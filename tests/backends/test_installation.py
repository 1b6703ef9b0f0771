import json
from importlib import metadata
from typing import Any

import pytest

from judgecli.backends.llama_cpp import installation
from judgecli.backends.llama_cpp.devices import backend_registry, devices
from judgecli.backends.llama_cpp.installation import (
    cpu_features,
    inspect_installation,
    installed_version,
    write_installation,
)
from judgecli.errors import ModelError
from judgecli.types.installation import Device, DeviceKind, Installation


@pytest.fixture
def library() -> None:
    pytest.importorskip("llama_cpp")


@pytest.mark.usefixtures("library")
def test_this_installation() -> None:
    found = inspect_installation()
    assert (found.error, found.llama_cpp_python) == (None, metadata.version("llama-cpp-python"))
    assert found.llama_cpp
    assert found.cpu_features
    assert found.gpu_offload is bool(found.gpus)


@pytest.mark.usefixtures("library")
def test_ggml_names_its_devices() -> None:
    (cpu,) = [device for device in devices() if device.kind is DeviceKind.CPU]
    assert cpu.name == "CPU"
    assert cpu.description
    assert cpu.total_bytes is None or cpu.total_bytes > 10**8
    assert "CPU" in backend_registry()


@pytest.mark.parametrize(
    ("text", "features"),
    [
        ("CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 0 | REPACK = 1 | ", ("SSE3", "AVX2", "REPACK")),
        ("CUDA : ARCHS = 890,900 | USE_GRAPHS = 1 | CPU : AVX2 = 1 | ", ("AVX2",)),
        (
            "CPU : NEON = 1 | SVE = 1 | SVE_CNT = 16 | Metal : EMBED_LIBRARY = 1 | ",
            ("NEON", "SVE", "SVE_CNT"),
        ),
        ("", ()),
    ],
)
def test_features_are_those_switched_on_for_the_cpu(text: str, features: tuple[str, ...]) -> None:
    assert cpu_features(text) == features


class Library:
    """A build that says this of itself."""

    def __init__(self, system_info: bytes) -> None:
        self.system_info = system_info

    def llama_print_system_info(self) -> bytes:
        return self.system_info

    def llama_supports_gpu_offload(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("info", "uses_extra", "names", "repacks", "words"),
    [
        (b"CPU : AVX2 = 1 | REPACK = 1 | ", True, False, True, "for this CPU"),
        (b"CPU : AVX2 = 1 | AMX_INT8 = 1 | REPACK = 1 | ", False, True, True, "IQ4_NL, for AVX2"),
        (b"CPU : AVX2 = 1 | AMX_INT8 = 1 | REPACK = 1 | ", False, False, False, "AMX"),
        (b"CPU : AVX2 = 1 | REPACK = 1 | ", False, False, False, "switched off"),
        (b"CPU : AVX2 = 1 | ", True, False, False, "this build cannot"),
    ],
)
def test_why_weights_are_repacked_or_not(
    monkeypatch: pytest.MonkeyPatch, info: bytes, uses_extra: bool, names: bool, repacks: bool, words: str
) -> None:
    monkeypatch.setattr(installation, "names_repacked", lambda _: names)
    monkeypatch.setattr(installation, "load_library", lambda: Library(info))
    monkeypatch.setattr(installation, "uses_extra_buffers", lambda: uses_extra)
    monkeypatch.setattr(installation, "devices", tuple)
    monkeypatch.setattr(installation, "backend_registry", tuple)
    found = inspect_installation()
    assert found.repacks_weights is repacks
    assert words in str(found.repacking)
    assert found.llama_cpp is None  # a build without llama_version


def test_a_library_that_does_not_load_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise ModelError("llama-cpp-python does not load") from OSError("libllama.so: wrong ELF class")

    monkeypatch.setattr(installation, "load_library", fail)
    found = inspect_installation()
    assert found.error == "libllama.so: wrong ELF class"
    assert found.repacks_weights is None


def test_the_version_of_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert installed_version() is None


def test_findings_are_written_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu = Device(name="CUDA0", description="NVIDIA L4", kind=DeviceKind.GPU, free_bytes=1, total_bytes=2)
    monkeypatch.setattr(installation, "inspect_installation", lambda: Installation(devices=(gpu,)))
    write_installation()
    written = json.loads(capsys.readouterr().out)
    assert written["devices"] == [
        {"name": "CUDA0", "description": "NVIDIA L4", "kind": "gpu", "free_bytes": 1, "total_bytes": 2}
    ]
    assert written["error"] is None
