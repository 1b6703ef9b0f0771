"""What a run header records of llama.cpp, before any weights are loaded."""

import json
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import describe, open_backend
from judgecli.types import CacheType, EngineOptions, SplitMode

GPUS = EngineOptions(n_gpu_layers=20, split_mode=SplitMode.ROW, tensor_split=(3, 1), main_gpu=1)


def with_gpu(monkeypatch: pytest.MonkeyPatch, has_gpu: bool) -> None:
    monkeypatch.setattr("llama_cpp.llama_cpp.llama_supports_gpu_offload", lambda: has_gpu)


def test_all_that_changes_a_runs_bits_is_recorded() -> None:
    engine = EngineOptions(n_ubatch=32, type_k=CacheType.Q8_0, type_v=CacheType.BF16, flash_attn=False)
    settings = describe(n_ctx=512, engine=engine)
    assert [settings[name] for name in ("n_ubatch", "type_k", "type_v", "flash_attn")] == [
        *(32, "q8_0", "bf16", False)
    ]
    assert json.loads(json.dumps(settings, allow_nan=False)) == settings
    assert settings["llama_cpp"]
    assert settings["extra_buffers"] in {True, False, "repack"}


@pytest.mark.demo
@pytest.mark.parametrize("kind", CacheType)
def test_every_cache_type_opens_and_is_recorded_as_described(demo_path: Path, kind: CacheType) -> None:
    engine = EngineOptions(type_k=kind, type_v=kind, n_ubatch=32)
    with open_backend(demo_path, n_ctx=256, engine=engine, verbose=False) as backend:
        assert backend.settings == describe(n_ctx=256, engine=engine)
    assert (backend.settings["type_k"], backend.settings["type_v"]) == (kind.value, kind.value)


def test_what_changes_no_bits_makes_no_difference_but_in_threads() -> None:
    engine = EngineOptions(n_threads=3, parallel=4)
    assert describe(n_ctx=512, engine=engine) == describe(n_ctx=512) | {"n_threads": 3}


def test_a_cpu_has_no_layers_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpu(monkeypatch, False)
    assert describe(n_ctx=512, engine=GPUS) == describe(n_ctx=512)
    spread = [describe(n_ctx=512)[name] for name in ("device", "offload", "split_mode", "tensor_split")]
    assert spread == ["cpu", None, None, None]


@pytest.mark.parametrize(
    ("engine", "spread"),
    [
        (EngineOptions(), [None, "layer", None]),
        (EngineOptions(n_gpu_layers=-1), [None, "layer", None]),
        (GPUS, [20, "row", [3, 1]]),
        (EngineOptions(split_mode=SplitMode.NONE, tensor_split=(3, 1)), [None, "none", None]),
    ],
)
def test_layers_on_gpus_are_recorded_as_asked(
    monkeypatch: pytest.MonkeyPatch, engine: EngineOptions, spread: list[object]
) -> None:
    with_gpu(monkeypatch, True)
    settings = describe(n_ctx=512, engine=engine)
    assert settings["device"] != "cpu"
    assert [settings[name] for name in ("offload", "split_mode", "tensor_split")] == spread


def test_no_layers_on_the_gpu_is_a_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpu(monkeypatch, True)
    settings = describe(n_ctx=512, engine=EngineOptions(n_gpu_layers=0, split_mode=SplitMode.ROW))
    assert (settings["device"], settings["offload"], settings["split_mode"]) == ("cpu", None, None)
