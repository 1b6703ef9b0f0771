"""Write small, valid GGUF files: a header with any metadata, and tensors of zeros."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
_BLOCKS = {F32: (1, 4), F16: (1, 2), Q4_0: (32, 18), Q8_0: (32, 34)}


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
    metadata = model_metadata() if metadata is None else metadata
    out = b"GGUF" + struct.pack(f"{byte_order}IQQ", version, len(tensors), len(metadata))
    for key, value in metadata.items():
        out += _text(key, byte_order) + _typed(value, byte_order)
    offset, data = 0, b""
    for tensor in tensors:
        out += _text(tensor.name, byte_order) + struct.pack(f"{byte_order}I", len(tensor.shape))
        out += struct.pack(f"{byte_order}{len(tensor.shape)}Q", *tensor.shape)
        out += struct.pack(f"{byte_order}IQ", tensor.type, offset)
        padded = -(-tensor.n_bytes // alignment) * alignment
        data += b"\0" * padded
        offset += padded
    out += b"\0" * (-len(out) % alignment) if tensors else b""
    return out + data


def write_gguf(
    path: Path, metadata: Mapping[str, Any] | None = None, *tensors: Tensor, **options: Any
) -> Path:
    """Write a GGUF file and return its path; see `gguf_bytes`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf_bytes(metadata, tensors or (Tensor("token_embd.weight"),), **options))
    return path


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
