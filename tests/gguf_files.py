"""Write small, valid GGUF files: a header with any metadata, and tensors of zeros."""

import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

F32, F16, Q4_0, Q8_0, Q4_K = 0, 1, 2, 8, 12
_BLOCKS = {F32: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34), Q4_K: (256, 144)}


@dataclass(frozen=True)
class Tensor:
    """A tensor of zeros."""

    name: str
    shape: tuple[int, ...] = (32,)
    type: int = F32

    @property
    def n_bytes(self) -> int:
        n_weights = 1
        for n in self.shape:
            n_weights *= n
        block_weights, block_bytes = _BLOCKS[self.type]
        return n_weights // block_weights * block_bytes


def model_metadata(architecture: str = "llama", n_ctx: int = 2048, **more: Any) -> dict[str, Any]:
    """Return the metadata of a small language model; keywords add keys, `__` standing for a dot."""
    metadata = {
        "general.architecture": architecture,
        "general.name": "tiny",
        f"{architecture}.context_length": n_ctx,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "a"],
    }
    return metadata | {key.replace("__", "."): value for key, value in more.items()}


def gguf_bytes(
    metadata: Mapping[str, Any] | None = None,
    tensors: Sequence[Tensor] = (Tensor("token_embd.weight"),),
    *,
    version: int = 3,
    alignment: int = 32,
    byte_order: str = "<",
) -> bytes:
    """Return the bytes of a GGUF file; metadata None means `model_metadata()`."""
    header, n_bytes = _header(metadata, tensors, version=version, alignment=alignment, byte_order=byte_order)
    return header + bytes(n_bytes)


def _header(
    metadata: Mapping[str, Any] | None,
    tensors: Sequence[Tensor],
    *,
    version: int = 3,
    alignment: int = 32,
    byte_order: str = "<",
) -> tuple[bytes, int]:
    """Return the bytes before the tensors' data, and how many bytes the data take."""
    metadata = model_metadata() if metadata is None else metadata
    out = b"GGUF" + struct.pack(f"{byte_order}IQQ", version, len(tensors), len(metadata))
    for key, value in metadata.items():
        out += _text(key, byte_order) + _typed(value, byte_order)
    offset = 0
    for tensor in tensors:
        out += _text(tensor.name, byte_order) + struct.pack(f"{byte_order}I", len(tensor.shape))
        out += struct.pack(f"{byte_order}{len(tensor.shape)}Q", *tensor.shape)
        out += struct.pack(f"{byte_order}IQ", tensor.type, offset)
        offset += -(-tensor.n_bytes // alignment) * alignment
    out += b"\0" * (-len(out) % alignment) if tensors else b""
    return out, offset


def write_gguf(
    path: Path, metadata: Mapping[str, Any] | None = None, *tensors: Tensor, **options: Any
) -> Path:
    """Write a GGUF file and return its path; see `gguf_bytes`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf_bytes(metadata, tensors or (Tensor("token_embd.weight"),), **options))
    return path


def write_sparse(path: Path, metadata: Mapping[str, Any], *tensors: Tensor) -> Path:
    """Write a GGUF file whose data take no room on the disk, however large its tensors; return its path."""
    header, n_bytes = _header(metadata, tensors)
    path.write_bytes(header)
    os.truncate(path, len(header) + n_bytes)
    return path


def write_7b(path: Path, kind: int = Q4_K, **more: Any) -> Path:
    """Write a sparse LLaMA 7B with all matrices of one type; keywords as in `model_metadata`."""
    n_embd, n_ff, n_vocab = 4096, 11008, 32000
    metadata = model_metadata(
        llama__block_count=32,
        llama__embedding_length=n_embd,
        llama__feed_forward_length=n_ff,
        llama__rope__dimension_count=128,
        llama__attention__head_count=32,
        llama__attention__head_count_kv=32,
        llama__attention__layer_norm_rms_epsilon=1e-6,
    ) | {"tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", *(f"t{n}" for n in range(3, n_vocab))]}
    matrices = {
        "attn_q": (n_embd, n_embd),
        "attn_k": (n_embd, n_embd),
        "attn_v": (n_embd, n_embd),
        "attn_output": (n_embd, n_embd),
        "ffn_gate": (n_embd, n_ff),
        "ffn_up": (n_embd, n_ff),
        "ffn_down": (n_ff, n_embd),
    }
    tensors = [
        Tensor("token_embd.weight", (n_embd, n_vocab), kind),
        Tensor("output_norm.weight", (n_embd,)),
        Tensor("output.weight", (n_embd, n_vocab), kind),
    ]
    for layer in range(32):
        tensors += [Tensor(f"blk.{layer}.{name}.weight", shape, kind) for name, shape in matrices.items()]
        tensors += [Tensor(f"blk.{layer}.{name}.weight", (n_embd,)) for name in ("attn_norm", "ffn_norm")]
    return write_sparse(path, metadata | more, *tensors)


def shard_bytes(count: int) -> list[bytes]:
    """Return the shards of a split model as llama.cpp writes them: metadata in the first, one tensor each."""
    split = [
        {"split.no": number, "split.count": count, "split.tensors.count": count} for number in range(count)
    ]
    heads = [model_metadata() | split[0], *split[1:]]
    return [gguf_bytes(head, [Tensor(f"blk.{number}.weight")]) for number, head in enumerate(heads)]


def _text(text: str, byte_order: str) -> bytes:
    raw = text.encode()
    return struct.pack(f"{byte_order}Q", len(raw)) + raw


def _typed(value: Any, byte_order: str) -> bytes:
    """Return a value after its type: bool, u32 (i64 if it does not fit), f32, text, or a list of one type."""
    if isinstance(value, list):
        items = [_typed(item, byte_order) for item in value]
        code = items[0][:4] if items else struct.pack(f"{byte_order}I", 4)
        return (
            struct.pack(f"{byte_order}I", 9)
            + code
            + struct.pack(f"{byte_order}Q", len(items))
            + b"".join(item[4:] for item in items)
        )
    if isinstance(value, bool):
        return struct.pack(f"{byte_order}I?", 7, value)
    if isinstance(value, int):
        return (
            struct.pack(f"{byte_order}II", 4, value)
            if 0 <= value < 1 << 32
            else struct.pack(f"{byte_order}Iq", 11, value)
        )
    if isinstance(value, float):
        return struct.pack(f"{byte_order}If", 6, value)
    return struct.pack(f"{byte_order}I", 8) + _text(value, byte_order)
