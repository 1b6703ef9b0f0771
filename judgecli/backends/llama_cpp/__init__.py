"""The llama.cpp backend: GGUF weights on this machine, through llama-cpp-python's low-level API."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self

from judgecli.backends.llama_cpp.context import (
    ContextOptions,
    LlamaContext,
    available_cores,
    can_offload,
    offload_device,
)
from judgecli.backends.llama_cpp.distribution import MAX_BRANCHES
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.library import set_verbose, versions
from judgecli.backends.llama_cpp.model import LlamaModel, uses_extra_buffers
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.errors import ModelError
from judgecli.types import Completion, Request

# Cells beside the prompt's own: every branch of a distribution is a few tokens in a sequence of its own.
_BRANCH_CELLS = 512


@contextmanager
def open_tokenizer(path: Path) -> Iterator[LlamaTokenizer]:
    """Open a GGUF's tokenizer without its weights.

    Raises:
        ModelError: llama.cpp cannot load the file.
    """
    with LlamaModel(path, vocab_only=True) as model:
        yield model.tokenizer


def describe(*, n_ctx: int, n_threads: int | None = None, n_gpu_layers: int | None = None) -> dict[str, Any]:
    """Return what a run header records of a backend with these options, without loading weights."""
    options = _context_options(n_ctx, n_threads)
    return {
        "name": "llama_cpp",
        **versions(),
        "device": offload_device(n_gpu_layers),
        "gpu_offload": can_offload(),
        "n_ctx": n_ctx,
        "n_threads": n_threads or available_cores(),
        "n_ubatch": options.n_ubatch,
        "type_k": options.type_k,
        "type_v": options.type_v,
        "flash_attn": options.flash_attn,
        "extra_buffers": uses_extra_buffers(),
    }


def _context_options(n_ctx: int, n_threads: int | None) -> ContextOptions:
    return ContextOptions(n_ctx=n_ctx + _BRANCH_CELLS, n_seq_max=1 + 2 * MAX_BRANCHES, n_threads=n_threads)


class LlamaCppBackend:
    """A GGUF judge loaded by llama.cpp; a context manager that frees it."""

    def __init__(
        self,
        path: Path,
        *,
        n_ctx: int,
        n_threads: int | None = None,
        n_gpu_layers: int | None = None,
        verbose: bool = False,
    ) -> None:
        """Load weights and make a context of `n_ctx` tokens.

        Raises:
            ModelError: the weights do not load, cannot judge, or the memory does not suffice.
        """
        set_verbose(verbose)
        with ExitStack() as stack:
            model = stack.enter_context(LlamaModel(path, n_gpu_layers=n_gpu_layers))
            _refuse_unfit(path, model)
            context = stack.enter_context(LlamaContext(model, _context_options(n_ctx, n_threads)))
            self.tokenizer = model.tokenizer
            self._engine = Engine(context, model.tokenizer)
            self._one_at_a_time = Lock()  # a llama_context used from two threads crashes
            self._resources = stack.pop_all()
        self._settings = describe(n_ctx=n_ctx, n_threads=n_threads, n_gpu_layers=n_gpu_layers)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run header records: device, versions, n_ctx and all that changes a run's bits."""
        return self._settings

    def judge(self, requests: Iterable[Request]) -> Iterator[Completion]:
        """Judge requests in the order given, one by one; calls from other threads wait their turn."""
        for request in requests:
            with self._one_at_a_time:
                completion = self._engine.judge(request)
            yield completion

    def close(self) -> None:
        """Free the context, then the model."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


open_backend = LlamaCppBackend


def _refuse_unfit(path: Path, model: LlamaModel) -> None:
    if model.has_encoder:
        raise ModelError(f"{path} is an encoder model, which cannot judge; use a causal language model")
    if not model.can_drop_tails:
        message = f"{path} is a recurrent or hybrid model, which this version cannot judge with"
        raise ModelError(f"{message}; use a transformer")
