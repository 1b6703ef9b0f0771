"""Weights to measure with: real ones in another quantization, and random ones of a 7B LLaMA's shape."""

from __future__ import annotations

import ctypes
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.library import clear_log, last_error, load_library
from judgecli.errors import ModelError
from tests.random_models import add_vocabulary, word_starts

_FILE_TYPES = {"F16": 1, "Q4_0": 2, "Q8_0": 7}  # llama_ftype
_Q4_K_M = 15  # llama_ftype
_DEVIATION = 0.02  # of weights in a trained LLaMA, roughly
_BLOCK_WEIGHTS = 256
_OWN_TOKENS = 3 + 256 + 95  # what every vocabulary holds: specials, bytes, characters

# ggml-quants' blocks of 256 weights: q * d * scale - dmin * min, and (q - 32) * d * scale.
_Q4_K = np.dtype([("d", "<f2"), ("dmin", "<f2"), ("scales", "u1", 12), ("quants", "u1", 128)])
_Q6_K = np.dtype([("low_bits", "u1", 128), ("high_bits", "u1", 64), ("scales", "i1", 16), ("d", "<f2")])


def requantized(source: Path, target: Path, type: str) -> Path:  # noqa: A002 - ggml's name for it
    """Write a GGUF's weights as F16, Q8_0 or Q4_0 the way llama.cpp does it, and return the new path.

    Raises:
        ModelError: llama.cpp cannot read the source or write the target.
    """
    lib = load_library()
    params = lib.llama_model_quantize_default_params()
    params.ftype, params.nthread, params.allow_requantize = _FILE_TYPES[type], 2, True
    clear_log()
    if lib.llama_model_quantize(os.fsencode(source), os.fsencode(target), ctypes.byref(params)) != 0:
        raise ModelError(f"{source} cannot be requantized to {type} ({last_error() or 'no reason given'})")
    return target


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaShape:
    """The sizes of a LLaMA; as they stand, those of the 7B. All widths are multiples of 256."""

    n_layers: int = 32
    n_embd: int = 4096
    n_head: int = 32
    n_ff: int = 11008
    n_vocab: int = 32000
    n_ctx: int = 2048


def write_random_7b(
    path: Path, *, texts: Iterable[str] = (), shape: LlamaShape | None = None, seed: int = 0
) -> Path:
    """Write a LLaMA of random weights in the types of llama.cpp's Q4_K_M mix, and return its path.

    The words of `texts` become tokens as a trained vocabulary would have them, so that the prompts to be
    measured have about as many tokens as under LLaMA's own. One tensor is in memory at a time.
    """
    shape = shape or LlamaShape()
    writer = GGUFWriter(path, "llama")
    _add_metadata(writer, shape)
    add_vocabulary(writer, _pieces(texts, shape.n_vocab - _OWN_TOKENS))
    tensors = list(_tensors(shape))
    for tensor in tensors:
        # the writer looks at the dtype only where it is bytes, to work out a shape that is known here
        writer.add_tensor_info(
            tensor.name, tensor.shape, np.dtype(np.float32), tensor.n_bytes, raw_dtype=tensor.type
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    rng = np.random.default_rng(seed)
    for tensor in tensors:
        writer.write_tensor_data(tensor.drawn(rng))
    writer.close()
    return path


def random_q4_k(n_weights: int, rng: np.random.Generator) -> NDArray[np.void]:
    """Return random Q4_K blocks; their weights have the mean 0 and a standard deviation of 0.02.

    Every pattern of bits is a valid block; only the two factors need sane values.
    """
    blocks = _random_blocks(_Q4_K, n_weights, rng)
    # The minimum repeats its scale, so that with dmin = 7.5 d a weight is d * scale * (q - 7.5). Bytes
    # 0-3 and 4-7 hold six bits of the first four scales and minima, and the top bits of the last four,
    # whose low bits share a byte: the low half the scale's, the high half the minimum's.
    scales = blocks["scales"]
    scales[:, 4:8] = scales[:, :4]
    scales[:, 8:] = (scales[:, 8:] & 0x0F) * 0x11
    blocks["d"] = _DEVIATION / (_rms(np.arange(64)) * _rms(np.arange(16) - 7.5))
    blocks["dmin"] = 7.5 * blocks["d"]
    return blocks


def random_q6_k(n_weights: int, rng: np.random.Generator) -> NDArray[np.void]:
    """Return random Q6_K blocks; their weights have the mean 0 and a standard deviation of 0.02."""
    blocks = _random_blocks(_Q6_K, n_weights, rng)
    blocks["d"] = _DEVIATION / (_rms(np.arange(-128, 128)) * _rms(np.arange(64) - 32))
    return blocks


def _random_blocks(dtype: np.dtype[np.void], n_weights: int, rng: np.random.Generator) -> NDArray[np.void]:
    n_blocks = n_weights // _BLOCK_WEIGHTS
    return np.frombuffer(bytearray(rng.bytes(n_blocks * dtype.itemsize)), dtype=dtype)


def _rms(values: NDArray[np.number]) -> float:
    return float(np.sqrt(np.mean(np.square(values, dtype=np.float64))))


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor to be drawn: rows and columns of a matrix, or a norm's one dimension."""

    name: str
    shape: tuple[int, ...]
    type: GGMLQuantizationType

    @property
    def n_weights(self) -> int:
        return int(np.prod(self.shape))

    @property
    def n_bytes(self) -> int:
        block = {GGMLQuantizationType.Q4_K: _Q4_K, GGMLQuantizationType.Q6_K: _Q6_K}.get(self.type)
        return self.n_weights * 4 if block is None else self.n_weights // _BLOCK_WEIGHTS * block.itemsize

    def drawn(self, rng: np.random.Generator) -> NDArray[np.generic]:
        """Return the data; norms are ones."""
        if self.type is GGMLQuantizationType.F32:
            return np.ones(self.shape, dtype=np.float32)
        draw = random_q6_k if self.type is GGMLQuantizationType.Q6_K else random_q4_k
        return draw(self.n_weights, rng)


def _add_metadata(writer: GGUFWriter, shape: LlamaShape) -> None:
    writer.add_name("random llama")
    writer.add_file_type(_Q4_K_M)
    writer.add_context_length(shape.n_ctx)
    writer.add_embedding_length(shape.n_embd)
    writer.add_block_count(shape.n_layers)
    writer.add_feed_forward_length(shape.n_ff)
    writer.add_head_count(shape.n_head)
    writer.add_head_count_kv(shape.n_head)
    writer.add_rope_dimension_count(shape.n_embd // shape.n_head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_vocab_size(shape.n_vocab)


def _tensors(shape: LlamaShape) -> Iterator[_Tensor]:
    """Yield every tensor in file order."""
    f32, q4_k, q6_k = GGMLQuantizationType.F32, GGMLQuantizationType.Q4_K, GGMLQuantizationType.Q6_K
    n, n_ff = shape.n_embd, shape.n_ff
    yield _Tensor("token_embd.weight", (shape.n_vocab, n), q4_k)
    for layer in range(shape.n_layers):
        finer = q6_k if _uses_more_bits(layer, shape.n_layers) else q4_k
        matrices = (
            *(("attn_q", (n, n), q4_k), ("attn_k", (n, n), q4_k), ("attn_v", (n, n), finer)),
            *(("attn_output", (n, n), q4_k), ("ffn_gate", (n_ff, n), q4_k)),
            *(("ffn_up", (n_ff, n), q4_k), ("ffn_down", (n, n_ff), finer)),
        )
        yield _Tensor(f"blk.{layer}.attn_norm.weight", (n,), f32)
        yield _Tensor(f"blk.{layer}.ffn_norm.weight", (n,), f32)
        yield from (_Tensor(f"blk.{layer}.{name}.weight", size, type_) for name, size, type_ in matrices)
    yield _Tensor("output_norm.weight", (n,), f32)
    yield _Tensor("output.weight", (shape.n_vocab, n), q6_k)


def _uses_more_bits(layer: int, n_layers: int) -> bool:
    """Whether Q4_K_M gives a layer's attn_v and ffn_down six bits: the ends, and every third between.

    Source: llama.cpp, use_more_bits.
    """
    eighth = n_layers // 8
    return layer < eighth or layer >= 7 * n_layers // 8 or (layer - eighth) % 3 == 2


def _pieces(texts: Iterable[str], n: int) -> list[str]:
    """Return n pieces, likeliest first: words of the texts by frequency, then made-up ones of few letters."""
    words = Counter(word for text in texts for word in re.findall(r"[A-Za-z]+", text))
    learned = word_starts(word for word, count in words.most_common() if count > 1)
    letters = ["".join(chosen) for size in (1, 2, 3) for chosen in product(ascii_lowercase, repeat=size)]
    opening = [f"▁{text}" for text in letters]
    distinct = dict.fromkeys([*learned, *opening, *letters[len(ascii_lowercase) :]])
    return list(islice(distinct, n))
