"""Weights for the benchmark: valid blocks of the right spread, and files that llama.cpp computes with."""

import ctypes
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFReader
from gguf.quants import dequantize

from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError
from tests.bench.weights import LlamaShape, random_q4_k, random_q6_k, requantized, write_random_7b
from tests.decoding import needs_llama_cpp, open_decoder
from tests.random_models import write_llama

pytestmark = needs_llama_cpp

TINY = LlamaShape(n_layers=8, n_embd=256, n_head=4, n_ff=512, n_vocab=1000)


@pytest.mark.parametrize(
    ("draw", "type_", "block_bytes"),
    [
        (random_q4_k, GGMLQuantizationType.Q4_K, 144),
        (random_q6_k, GGMLQuantizationType.Q6_K, 210),
    ],
)
def test_random_blocks_hold_weights_around_zero(
    draw: Callable[..., np.ndarray], type_: GGMLQuantizationType, block_bytes: int
) -> None:
    blocks = draw(256 * 2000, np.random.default_rng(0))
    assert blocks.nbytes == 2000 * block_bytes
    weights = dequantize(blocks.view(np.uint8).reshape(1, -1), type_)
    assert weights.mean() == pytest.approx(0, abs=2e-4)
    assert weights.std() == pytest.approx(0.02, rel=0.02)
    assert np.abs(weights).max() < 0.1


def test_a_random_llama_computes_and_tells_prompts_apart(tmp_path: Path) -> None:
    path = write_random_7b(tmp_path / "random.gguf", shape=TINY)
    with LlamaModel(path) as model, open_decoder(model) as decoder:
        assert model.tokenizer.n_vocab == 1000
        left, right = (decoder.logits_after([1, *range(n, n + 40), 300]) for n in (400, 500))
    assert np.isfinite(left).all()
    assert np.isfinite(right).all()
    assert 0.1 < left.std() < 5
    assert np.corrcoef(left, right)[0, 1] < 0.95


def test_the_types_are_those_llama_cpp_mixes_itself(tmp_path: Path) -> None:
    ours = write_random_7b(tmp_path / "random.gguf", shape=TINY)
    lib = load_library()
    params = lib.llama_model_quantize_default_params()
    params.ftype, params.nthread, params.allow_requantize = lib.LLAMA_FTYPE_MOSTLY_Q4_K_M, 1, True
    theirs = tmp_path / "theirs.gguf"
    assert lib.llama_model_quantize(str(ours).encode(), str(theirs).encode(), ctypes.byref(params)) == 0
    assert types_in(ours) == types_in(theirs)
    assert Counter(types_in(ours).values())["Q6_K"] > 2


def test_the_shape_is_that_of_a_7b() -> None:
    shape = LlamaShape()
    per_layer = 4 * shape.n_embd**2 + 3 * shape.n_embd * shape.n_ff + 2 * shape.n_embd
    n_weights = shape.n_layers * per_layer + 2 * shape.n_vocab * shape.n_embd + shape.n_embd
    assert n_weights == 6_738_415_616


def test_repeated_words_of_the_texts_become_tokens(tmp_path: Path) -> None:
    def pieces(*texts: str) -> list[bytes]:
        path = write_random_7b(tmp_path / "random.gguf", texts=texts, shape=TINY)
        with LlamaModel(path, vocab_only=True) as model:
            tokens = model.tokenizer._tokenize("walkers rest")
            return [model.tokenizer.text_of([token]) for token in tokens]

    assert pieces("walkers run,", "rest; walkers swim")[0] == b" walkers"
    assert pieces("walkers run,", "rest; walkers swim")[1:] == pieces("rest")[-3:] == [b" re", b"s", b"t"]


@pytest.mark.parametrize("type_", ["F16", "Q8_0", "Q4_0"])
def test_requantized_weights_compute_about_the_same(type_: str, tmp_path: Path) -> None:
    source = write_llama(tmp_path / "source.gguf", type="Q4_1")
    target = requantized(source, tmp_path / "target.gguf", type_)
    assert types_in(target)["blk.1.ffn_up.weight"] == type_
    logits = []
    for path in (source, target):
        with LlamaModel(path) as model, open_decoder(model) as decoder:
            logits.append(decoder.logits_after([1, *range(300, 340)]))
    assert np.corrcoef(*logits)[0, 1] > 0.9


def test_weights_that_cannot_be_requantized_are_named(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"damaged\.gguf cannot be requantized to Q4_0"):
        requantized(damaged, tmp_path / "target.gguf", "Q4_0")


def types_in(path: Path) -> dict[str, str]:
    return {tensor.name: tensor.tensor_type.name for tensor in GGUFReader(path).tensors}
