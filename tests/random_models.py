"""Write tiny models of random weights: real architectures that llama.cpp loads, and judges of nothing.

Every file is made from its seed alone, so equal arguments give equal bytes. Matrices are scaled to keep
activations near one whatever their width, so that logits are finite and differ between prompts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, TokenType
from gguf.quants import quantize
from numpy.typing import NDArray

WORDS = (
    "the",
    "and",
    "for",
    "answer",
    "question",
    "response",
    "better",
    "score",
    "first",
    "second",
    "because",
)
_EPSILON = 1e-5
_STATES, _CONVOLVED = 16, 4  # a channel's states, and the tokens its convolution sees


def word_starts(words: Iterable[str]) -> Iterator[str]:
    """Yield every beginning of each word after a blank, short ones first: what SentencePiece merges through.

    A merge joins two neighbours whose union is a piece, so a word needs all its beginnings as pieces.
    """
    for word in words:
        yield from ("▁" + word[:end] for end in range(1, len(word) + 1))


def add_vocabulary(writer: GGUFWriter, pieces: Iterable[str]) -> int:
    """Write a SentencePiece vocabulary and return its size.

    It holds <unk>, <s>, </s>, the 256 bytes, the blank, printable ASCII and the pieces, the likeliest
    first. Digits stay tokens of their own as long as no piece holds one.
    """
    specials = [("<unk>", TokenType.UNKNOWN), ("<s>", TokenType.CONTROL), ("</s>", TokenType.CONTROL)]
    in_bytes = [(f"<0x{value:02X}>", TokenType.BYTE) for value in range(256)]
    characters = ["▁", *(chr(code) for code in range(ord("!"), ord("~") + 1))]
    texts = list(dict.fromkeys([*pieces, *characters]))
    entries = [*specials, *in_bytes, *((text, TokenType.NORMAL) for text in texts)]
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in entries])
    writer.add_token_types([kind for _, kind in entries])
    writer.add_token_scores([0.0] * (3 + 256) + [-float(rank) for rank in range(len(texts))])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(False)
    return len(entries)


class _RandomModel:
    """A GGUF in the making: metadata every architecture shares, and tensors drawn in the order asked for."""

    def __init__(self, path: Path, architecture: str, *, type: str, seed: int) -> None:  # noqa: A002
        self.writer = GGUFWriter(path, architecture)
        self._type = GGMLQuantizationType[type]
        self._rng = np.random.default_rng(seed)
        self.n_vocab = add_vocabulary(self.writer, word_starts(WORDS))
        self.writer.add_name(f"random {architecture}")
        self.writer.add_layer_norm_rms_eps(_EPSILON)

    def describe(self, *, n_layers: int, n_embd: int, n_ctx: int, n_ff: int) -> None:
        """Write the sizes that every architecture has."""
        self.writer.add_context_length(n_ctx)
        self.writer.add_embedding_length(n_embd)
        self.writer.add_block_count(n_layers)
        self.writer.add_feed_forward_length(n_ff)
        self.writer.add_vocab_size(self.n_vocab)

    def matrix(self, name: str, rows: int, columns: int, *, deviation: float | None = None) -> None:
        """Draw a weight matrix, by default so that it keeps the size of what it is multiplied with."""
        drawn = self._rng.normal(0.0, deviation or 1 / math.sqrt(columns), (rows, columns))
        data = quantize(drawn.astype(np.float32), self._type)
        self.writer.add_tensor(f"{name}.weight", data, raw_dtype=self._type)

    def vector(self, name: str, n: int, mean: float = 1.0) -> None:
        """Draw a norm or a bias; such tensors are F32 in every file."""
        self.exact(name, self._rng.normal(mean, 0.1, n))

    def exact(self, name: str, values: NDArray[np.floating]) -> None:
        """Write a tensor as it is."""
        self.writer.add_tensor(name, values.astype(np.float32))

    def embeddings(self, n_embd: int, *, tied: bool = False) -> None:
        """Draw the token embeddings, the last norm, and the output matrix where it is not the embeddings."""
        self.matrix("token_embd", self.n_vocab, n_embd, deviation=0.05)
        self.vector("output_norm.weight", n_embd, mean=4.0)
        if not tied:
            self.matrix("output", self.n_vocab, n_embd, deviation=0.05)

    def attention(self, layer: int, n_embd: int, n_head: int, n_head_kv: int) -> None:
        """Draw one layer's attention."""
        n_kv = n_embd // n_head * n_head_kv
        self.vector(f"blk.{layer}.attn_norm.weight", n_embd)
        self.matrix(f"blk.{layer}.attn_q", n_embd, n_embd)
        self.matrix(f"blk.{layer}.attn_k", n_kv, n_embd)
        self.matrix(f"blk.{layer}.attn_v", n_kv, n_embd)
        self.matrix(f"blk.{layer}.attn_output", n_embd, n_embd)

    def feed_forward(self, layer: int, n_embd: int, n_ff: int) -> None:
        """Draw one layer's gated feed-forward network."""
        self.vector(f"blk.{layer}.ffn_norm.weight", n_embd)
        self.matrix(f"blk.{layer}.ffn_gate", n_ff, n_embd)
        self.matrix(f"blk.{layer}.ffn_up", n_ff, n_embd)
        self.matrix(f"blk.{layer}.ffn_down", n_embd, n_ff)

    def state_space(self, layer: int, n_embd: int) -> None:
        """Draw one Mamba layer, whose channels are twice as many as the model is wide."""
        n_inner, n_rank = 2 * n_embd, n_embd // 16
        name = f"blk.{layer}"
        self.vector(f"{name}.attn_norm.weight", n_embd)
        self.matrix(f"{name}.ssm_in", 2 * n_inner, n_embd)
        self.exact(f"{name}.ssm_conv1d.weight", self._rng.normal(0.0, 0.5, (n_inner, _CONVOLVED)))
        self.vector(f"{name}.ssm_conv1d.bias", n_inner, 0.0)
        self.matrix(f"{name}.ssm_x", n_rank + 2 * _STATES, n_inner)
        self.matrix(f"{name}.ssm_dt", n_inner, n_rank)
        self.vector(f"{name}.ssm_dt.bias", n_inner, -2.0)
        # states that fade slowly, so that the end of a prompt still tells how it began
        self.exact(f"{name}.ssm_a", np.tile(-np.geomspace(0.003, 1.0, _STATES), (n_inner, 1)))
        self.vector(f"{name}.ssm_d", n_inner)
        self.matrix(f"{name}.ssm_out", n_embd, n_inner)

    def describe_states(self, n_embd: int) -> None:
        """Write the sizes of the Mamba layers."""
        self.writer.add_ssm_conv_kernel(_CONVOLVED)
        self.writer.add_ssm_inner_size(2 * n_embd)
        self.writer.add_ssm_state_size(_STATES)
        self.writer.add_ssm_time_step_rank(n_embd // 16)

    def close(self) -> None:
        """Write the file."""
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()


def write_llama(
    path: Path,
    *,
    type: str = "F32",  # noqa: A002 - ggml's name for it
    seed: int = 0,
    n_layers: int = 2,
    n_embd: int = 128,
    n_head: int = 4,
    n_head_kv: int = 2,
    n_ctx: int = 2048,
) -> Path:
    """Write a LLaMA with matrices of type F32, F16, Q8_0, Q4_0 or Q4_1, and return its path."""
    model = _RandomModel(path, "llama", type=type, seed=seed)
    model.describe(n_layers=n_layers, n_embd=n_embd, n_ctx=n_ctx, n_ff=2 * n_embd)
    model.writer.add_head_count(n_head)
    model.writer.add_head_count_kv(n_head_kv)
    model.writer.add_rope_dimension_count(n_embd // n_head)
    model.embeddings(n_embd)
    for layer in range(n_layers):
        model.attention(layer, n_embd, n_head, n_head_kv)
        model.feed_forward(layer, n_embd, 2 * n_embd)
    model.close()
    return path


def write_sliding_window(
    path: Path,
    *,
    type: str = "F32",  # noqa: A002 - ggml's name for it
    seed: int = 0,
    n_layers: int = 2,
    n_embd: int = 128,
    n_head: int = 4,
    n_head_kv: int = 2,
    n_ctx: int = 2048,
    n_window: int = 32,
) -> Path:
    """Write a Gemma 2, whose even layers see the last `n_window` tokens only, and return its path."""
    model = _RandomModel(path, "gemma2", type=type, seed=seed)
    model.describe(n_layers=n_layers, n_embd=n_embd, n_ctx=n_ctx, n_ff=2 * n_embd)
    model.writer.add_head_count(n_head)
    model.writer.add_head_count_kv(n_head_kv)
    model.writer.add_key_length(n_embd // n_head)
    model.writer.add_value_length(n_embd // n_head)
    model.writer.add_attn_logit_softcapping(50.0)
    model.writer.add_final_logit_softcapping(30.0)
    model.writer.add_sliding_window(n_window)
    model.embeddings(n_embd, tied=True)
    for layer in range(n_layers):
        model.attention(layer, n_embd, n_head, n_head_kv)
        model.vector(f"blk.{layer}.post_attention_norm.weight", n_embd)
        model.feed_forward(layer, n_embd, 2 * n_embd)
        model.vector(f"blk.{layer}.post_ffw_norm.weight", n_embd)
    model.close()
    return path


def write_recurrent(
    path: Path, *, seed: int = 0, n_layers: int = 2, n_embd: int = 128, n_ctx: int = 2048
) -> Path:
    """Write a Mamba, whose memory is one state a sequence and cannot be cut back, and return its path."""
    model = _RandomModel(path, "mamba", type="F32", seed=seed)
    model.describe(n_layers=n_layers, n_embd=n_embd, n_ctx=n_ctx, n_ff=0)
    model.writer.add_head_count(0)
    model.describe_states(n_embd)
    model.embeddings(n_embd)
    for layer in range(n_layers):
        model.state_space(layer, n_embd)
    model.close()
    return path


def write_hybrid(
    path: Path,
    *,
    seed: int = 0,
    n_layers: int = 2,
    n_embd: int = 128,
    n_head: int = 4,
    n_head_kv: int = 2,
    n_ctx: int = 2048,
) -> Path:
    """Write a Jamba, whose odd layers attend and whose even layers are recurrent, and return its path."""
    model = _RandomModel(path, "jamba", type="F32", seed=seed)
    model.describe(n_layers=n_layers, n_embd=n_embd, n_ctx=n_ctx, n_ff=2 * n_embd)
    model.writer.add_head_count(n_head)
    # a layer without heads for keys and values is what makes it recurrent
    model.writer.add_head_count_kv([n_head_kv * (layer % 2) for layer in range(n_layers)])
    model.describe_states(n_embd)
    model.embeddings(n_embd)
    for layer in range(n_layers):
        if layer % 2:
            model.attention(layer, n_embd, n_head, n_head_kv)
        else:
            model.state_space(layer, n_embd)
            model.vector(f"blk.{layer}.ssm_dt_norm.weight", n_embd // 16)
            model.vector(f"blk.{layer}.ssm_b_norm.weight", _STATES)
            model.vector(f"blk.{layer}.ssm_c_norm.weight", _STATES)
        model.feed_forward(layer, n_embd, 2 * n_embd)
    model.close()
    return path
