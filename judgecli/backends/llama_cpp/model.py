"""Loading and freeing a model; every failure is one sentence, nothing leaks."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from judgecli.backends.llama_cpp.library import clear_log, last_error, load_library
from judgecli.backends.llama_cpp.placement import place_layers
from judgecli.backends.llama_cpp.repacking import names_repacked, repack_overrides
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.errors import ModelError
from judgecli.types import EngineOptions


class LlamaModel:
    """A GGUF opened by llama.cpp: only its vocabulary, or the weights too. A context manager."""

    def __init__(
        self, path: Path, *, vocab_only: bool = False, engine: EngineOptions = EngineOptions()
    ) -> None:
        """Open a GGUF file; all layers go to the GPU where the build can, unless the options say less.

        Raises:
            ModelError: llama.cpp cannot load the file.
        """
        self._lib = load_library()
        params = self._lib.llama_model_default_params()
        params.vocab_only = vocab_only
        place_layers(params, engine, max_devices=self._lib.llama_max_devices())
        overrides = None if vocab_only or not names_repacked(engine) else repack_overrides(path)
        if overrides is not None:  # read while the model is loaded only
            params.tensor_buft_overrides = ctypes.addressof(overrides)
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
    def n_caches(self) -> int:
        """How many caches of tokens a sequence has: layers with a sliding window have one of their own."""
        if self._lib.llama_model_is_recurrent(self.handle):
            return 0
        return 2 if self._lib.llama_model_n_swa(self.handle) > 0 else 1

    @property
    def has_encoder(self) -> bool:
        """Whether this is an encoder or an encoder-decoder, which cannot judge here."""
        return bool(self._lib.llama_model_has_encoder(self.handle))

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
