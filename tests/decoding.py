"""Decode with llama.cpp's own functions, for tests of weights rather than of the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.model import LlamaModel

needs_llama_cpp = pytest.mark.skipif(find_spec("llama_cpp") is None, reason="needs llama-cpp-python")


@dataclass(frozen=True)
class Decoder:
    """A context with one sequence."""

    lib: Any
    handle: Any
    n_vocab: int

    @property
    def memory(self) -> Any:
        return self.lib.llama_get_memory(self.handle)

    def logits_after(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Return the logits after these tokens, decoded into an empty memory."""
        self.lib.llama_memory_clear(self.memory, True)
        array = (self.lib.llama_token * len(tokens))(*tokens)
        assert self.lib.llama_decode(self.handle, self.lib.llama_batch_get_one(array, len(tokens))) == 0
        pointer = self.lib.llama_get_logits_ith(self.handle, -1)
        return np.ctypeslib.as_array(pointer, shape=(self.n_vocab,)).copy()


@contextmanager
def open_decoder(model: LlamaModel, *, n_ctx: int = 512) -> Iterator[Decoder]:
    """Make a context that forgets what a sliding window no longer sees."""
    lib = load_library()
    params = lib.llama_context_default_params()
    params.n_ctx = params.n_batch = n_ctx
    params.n_ubatch = 32
    params.n_threads = params.n_threads_batch = 1
    params.swa_full = False
    handle = lib.llama_init_from_model(model.handle, params)
    assert handle, "llama.cpp makes no context"
    yield Decoder(lib, handle, model.tokenizer.n_vocab)
    lib.llama_free(handle)
