"""Random models are real ones to llama.cpp: each loads, computes, and has the memory its architecture has."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.model import LlamaModel
from tests.decoding import needs_llama_cpp, open_decoder
from tests.random_models import write_hybrid, write_llama, write_recurrent, write_sliding_window

pytestmark = needs_llama_cpp

WRITERS = (write_llama, write_sliding_window, write_recurrent, write_hybrid)
TYPES = ("F32", "F16", "Q8_0", "Q4_0", "Q4_1")
Writer = Callable[..., Path]

QUESTION = "Question: why does it rain? "
ANSWERS = ("Clouds cool down. " * 8, "It is wet. " * 8)


def logits_after(path: Path, *texts: str) -> list[NDArray[np.float32]]:
    with LlamaModel(path) as model, open_decoder(model) as decoder:
        return [decoder.logits_after([1, *model.tokenizer._tokenize(text)]) for text in texts]


def probabilities(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    values = np.exp(logits.astype(np.float64) - logits.max())
    return values / values.sum()


@pytest.mark.parametrize("write", WRITERS)
def test_logits_are_finite_and_tell_answers_apart_after_the_same_ending(
    write: Writer, tmp_path: Path
) -> None:
    path = write(tmp_path / "model.gguf")
    left, right = logits_after(path, *(f"{QUESTION}{answer}\nScores:" for answer in ANSWERS))
    assert np.isfinite(left).all()
    assert np.isfinite(right).all()
    assert 1 < left.std() < 5
    assert np.abs(probabilities(left) - probabilities(right)).sum() > 0.1


@pytest.mark.parametrize("type_", TYPES)
def test_a_llama_has_the_type_asked_for(type_: str, tmp_path: Path) -> None:
    sizes = {name: write_llama(tmp_path / name, type=name).stat().st_size for name in ("F32", type_)}
    bits = {"F32": 32, "F16": 16, "Q8_0": 8.5, "Q4_0": 4.5, "Q4_1": 5}[type_]
    assert sizes[type_] / sizes["F32"] == pytest.approx(bits / 32, abs=0.02)
    (logits,) = logits_after(tmp_path / type_, QUESTION)
    (exact,) = logits_after(tmp_path / "F32", QUESTION)
    assert np.isfinite(logits).all()
    assert np.corrcoef(logits, exact)[0, 1] > 0.7


@pytest.mark.parametrize("write", WRITERS)
def test_files_are_small_and_follow_from_the_seed(write: Writer, tmp_path: Path) -> None:
    first, again, other = (
        write(tmp_path / name, seed=seed).read_bytes() for name, seed in (("a", 3), ("b", 3), ("c", 4))
    )
    assert first == again
    assert first != other
    assert len(first) < 5_000_000


@pytest.mark.parametrize(
    ("write", "is_recurrent", "is_hybrid", "n_swa"),
    [
        (write_llama, False, False, 0),
        (write_sliding_window, False, False, 32),
        (write_recurrent, True, False, 0),
        (write_hybrid, False, True, 0),
    ],
)
def test_llama_cpp_sees_the_architecture(
    write: Writer, is_recurrent: bool, is_hybrid: bool, n_swa: int, tmp_path: Path
) -> None:
    lib = load_library()
    with LlamaModel(write(tmp_path / "model.gguf")) as model:
        assert lib.llama_model_is_recurrent(model.handle) is is_recurrent
        assert lib.llama_model_is_hybrid(model.handle) is is_hybrid
        assert lib.llama_model_n_swa(model.handle) == n_swa
        assert model.can_drop_tails is not (is_recurrent or is_hybrid)


@pytest.mark.parametrize(
    ("write", "drops_tails"),
    [(write_llama, True), (write_sliding_window, True), (write_recurrent, False), (write_hybrid, False)],
)
def test_only_attention_drops_the_end_of_a_sequence(write: Writer, drops_tails: bool, tmp_path: Path) -> None:
    with LlamaModel(write(tmp_path / "model.gguf")) as model, open_decoder(model) as decoder:
        decoder.logits_after(range(1, 21))
        assert decoder.lib.llama_memory_seq_rm(decoder.memory, 0, 10, -1) is drops_tails


def test_a_sliding_window_changes_what_lies_beyond_it_only(tmp_path: Path) -> None:
    paths = [write_sliding_window(tmp_path / f"{n}.gguf", n_window=n) for n in (32, 512)]
    narrow, wide = (logits_after(path, "a" * 20, "abc" * 30) for path in paths)
    assert np.array_equal(narrow[0], wide[0])
    assert np.abs(narrow[1] - wide[1]).max() > 0.01


def test_a_sliding_window_forgets_the_beginning(tmp_path: Path) -> None:
    with (
        LlamaModel(write_sliding_window(tmp_path / "model.gguf")) as model,
        open_decoder(model, n_ctx=1024) as decoder,
    ):
        decoder.logits_after([1, *range(300, 310)] * 80)
        assert decoder.lib.llama_memory_seq_pos_min(decoder.memory, 0) > 0


def test_scores_are_several_tokens_and_words_are_one(tmp_path: Path) -> None:
    with LlamaModel(write_llama(tmp_path / "model.gguf"), vocab_only=True) as model:
        tokenizer = model.tokenizer
        pieces = [tokenizer.text_of([token]) for token in tokenizer._tokenize("the answer:10 8.5\n")]
    assert pieces == [b" the", b" answer", b":", b"1", b"0", b" ", b"8", b".", b"5", b"\n"]


def test_any_text_survives_the_vocabulary(tmp_path: Path) -> None:
    text = "Ünïcode 🙂 {braces}\t\x00 ~!"
    with LlamaModel(write_llama(tmp_path / "model.gguf"), vocab_only=True) as model:
        tokens = model.tokenizer._tokenize(text)
        assert model.tokenizer.text_of(tokens).decode() == " " + text
