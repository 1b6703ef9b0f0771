"""Weights that are repacked by name judge as the others do, and only what can be repacked is named."""

import ctypes
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import model as models
from judgecli.backends.llama_cpp.library import captured_log
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.repacking import names_repacked, repack_overrides
from judgecli.types import EngineOptions
from tests.bench.weights import LlamaShape, write_random_7b
from tests.decoding import needs_llama_cpp, open_decoder
from tests.random_models import write_llama

pytestmark = needs_llama_cpp

TOKENS = list(range(20, 60))


@pytest.fixture(params=["Q4_0", "Q4_K"])
def weights(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    if request.param == "Q4_0":
        return write_llama(path, type="Q4_0")
    return write_random_7b(path, shape=LlamaShape(n_layers=4, n_embd=256, n_head=4, n_ff=512, n_vocab=700))


def patterns(weights: Path) -> list[str]:
    overrides = repack_overrides(weights)
    return [one.pattern.decode() for one in overrides or () if one.pattern]


def test_every_matrix_is_named_by_its_layers(weights: Path) -> None:
    named = patterns(weights)
    assert any(pattern.endswith(r"ffn_up\.weight$") for pattern in named)
    assert not any("token_embd" in pattern or "norm" in pattern for pattern in named)


@pytest.mark.parametrize("kind", ["F16", "Q8_0", "Q4_1"])
def test_other_kinds_of_weights_are_left_alone(tmp_path: Path, kind: str) -> None:
    assert repack_overrides(write_llama(tmp_path / "model.gguf", type=kind)) is None


def test_no_file_no_overrides(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + bytes(60))
    assert repack_overrides(tmp_path / "m.gguf") is None


def test_the_list_ends_with_an_empty_one(weights: Path) -> None:
    last = repack_overrides(weights)[-1]
    assert (last.pattern, last.buffer_type) == (None, None)
    assert ctypes.sizeof(last) == 16


def test_repacked_weights_give_the_same_logits_but_for_rounding(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not names_repacked(EngineOptions()):
        pytest.skip("llama.cpp repacks by itself here, or cannot")
    with captured_log() as log, LlamaModel(weights) as model, open_decoder(model) as decoder:
        repacked = decoder.logits_after(TOKENS)
    assert "CPU_REPACK" in "".join(log)
    monkeypatch.setattr(models, "names_repacked", lambda _: False)
    with captured_log() as log, LlamaModel(weights) as model, open_decoder(model) as decoder:
        plain = decoder.logits_after(TOKENS)
    assert "CPU_REPACK" not in "".join(log)
    assert repacked == pytest.approx(plain, abs=0.05 * float(plain.std()) + 0.05)
