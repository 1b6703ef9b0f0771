"""Loading and freeing a model; every failure is one sentence, nothing leaks."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from judgecli.backends.llama_cpp.library import clear_log, last_error, load_library
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.errors import ModelError

_ALL_LAYERS = 1_000_000  # llama.cpp clips it to what the model has


class LlamaModel:
    """A GGUF opened by llama.cpp: only its vocabulary, or the weights too. A context manager."""

    def __init__(self, path: Path, *, vocab_only: bool = False, n_gpu_layers: int | None = None) -> None:
        """Open a GGUF file; all layers go to the GPU where the build can, unless `n_gpu_layers` says less.

        Raises:
            ModelError: llama.cpp cannot load the file.
        """
        self._lib = load_library()
        params = self._lib.llama_model_default_params()
        params.vocab_only = vocab_only
        params.n_gpu_layers = _ALL_LAYERS if n_gpu_layers is None else n_gpu_layers
        params.use_extra_bufts = uses_extra_buffers()
        clear_log()
        self.handle = self._lib.llama_model_load_from_file(os.fsencode(path), params)
        if not self.handle:
            reason = last_error() or "no reason given; -v shows llama.cpp's own log"
            raise ModelError(f"{path}: llama.cpp cannot load this file ({reason})")
        self.tokenizer = LlamaTokenizer(self.handle)

    @property
    def size_bytes(self) -> int:
        """Size of the weights in memory."""
        return int(self._lib.llama_model_size(self.handle))

    @property
    def can_drop_tails(self) -> bool:
        """Whether the end of a sequence can be removed from memory; recurrent and hybrid models cannot."""
        recurrent = self._lib.llama_model_is_recurrent(self.handle)
        return not (recurrent or self._lib.llama_model_is_hybrid(self.handle))

    @property
    def has_encoder(self) -> bool:
        """Whether this is an encoder or an encoder-decoder, which cannot judge here."""
        return bool(self._lib.llama_model_has_encoder(self.handle))

    def kv_bytes_per_token(self) -> int:
        """Return the size of one token's keys and values at 16 bits; an upper bound for GQA models."""
        layers, heads = self._lib.llama_model_n_layer(self.handle), self._lib.llama_model_n_head(self.handle)
        head_size = self._lib.llama_model_n_embd(self.handle) // max(heads, 1)
        return int(2 * 2 * layers * head_size * self._lib.llama_model_n_head_kv(self.handle))

    def close(self) -> None:
        """Free the model."""
        if self.handle:
            self._lib.llama_model_free(self.handle)
            self.handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def uses_extra_buffers() -> bool:
    """Whether weights are repacked for this CPU.

    Not where the build has AMX: llama.cpp 0.5.0 (llama-cpp-python 0.3.36) then dies of a general protection
    fault in ggml_backend_amx_mul_mat, seen on a Sapphire Rapids Xeon whose AMX works in other programs.
    """
    return b"AMX_INT8 = 1" not in load_library().llama_print_system_info()
