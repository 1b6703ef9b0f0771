"""llama-cpp-python's own way to answer prompts, one after the other: what the engine is measured against."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.context import ContextOptions, context_params
from judgecli.backends.llama_cpp.interrupts import Interrupts
from judgecli.backends.llama_cpp.library import clear_log, last_error, load_library
from judgecli.backends.llama_cpp.placement import place_layers, uses_extra_buffers
from judgecli.backends.llama_cpp.repacking import names_repacked, repack_overrides
from judgecli.errors import ModelError
from judgecli.types import EngineOptions

DEFAULT_BATCH = 512  # Llama's n_batch and n_ubatch


def default_settings(n_ctx: int, engine: EngineOptions) -> dict[str, Any]:
    """Return arguments of `Llama` that leave all as it is but the context, and where the layers go.

    Left alone it would use no GPU, and a comparison with it would be one of devices.
    """
    lib = load_library()
    params = lib.llama_model_default_params()
    place_layers(params, engine, max_devices=lib.llama_max_devices())
    return {
        "n_ctx": n_ctx,
        "n_gpu_layers": params.n_gpu_layers,
        "split_mode": params.split_mode,
        "main_gpu": params.main_gpu,
        "tensor_split": list(engine.tensor_split) or None,
    }


def tuned_settings(n_ctx: int, engine: EngineOptions, like: ContextOptions) -> dict[str, Any]:
    """Return arguments of `Llama` that set it up as the engine is: threads, attention, batch, cache types."""
    params = context_params(load_library(), like)
    return {
        **default_settings(n_ctx, engine),
        "n_threads": params.n_threads,
        "n_threads_batch": params.n_threads_batch,
        "flash_attn": like.flash_attn,
        "n_batch": max(DEFAULT_BATCH, engine.n_ubatch),
        "n_ubatch": engine.n_ubatch,
        "type_k": params.type_k,
        "type_v": params.type_v,
    }


class CompletionLoop:
    """A `llama_cpp.Llama` that writes greedily from one prompt after the other, and never ends a text early.

    It keeps what a prompt begins with if the one before began alike; `n_evaluated` counts the rest.
    """

    def __init__(self, path: Path, settings: dict[str, Any], *, banned: Sequence[int]) -> None:
        """Load a model of its own; the file is mapped, so that its pages are shared with the engine's.

        Raises:
            ModelError: it does not load.
        """
        lib = load_library()
        from llama_cpp import Llama  # noqa: PLC0415 - seconds to import

        clear_log()
        try:
            with _extra_buffers_as_ours(lib, path):
                self._llama: Any = Llama(str(path), verbose=False, **settings)
        except (ValueError, RuntimeError) as error:
            reason = last_error() or error
            raise ModelError(f"{path}: llama-cpp-python's loop cannot load this file ({reason})") from error
        self._banned = np.asarray(banned, dtype=np.intp)
        self._interrupts = Interrupts()
        self.n_evaluated = 0
        self._count_evaluated()

    def _count_evaluated(self) -> None:
        evaluate = self._llama.eval

        def counted(tokens: Sequence[int]) -> None:
            self.n_evaluated += len(tokens)
            evaluate(tokens)

        self._llama.eval = counted

    def write(self, prompts: Sequence[Sequence[int]], n_tokens: int) -> int:
        """Write `n_tokens` from each prompt, given as ids; return how many were written in all.

        Raises:
            ModelError: llama.cpp fails.
            KeyboardInterrupt: after the prompt during which the interrupt arrived.
        """
        return sum(self._complete(list(ids), n_tokens) for ids in prompts)

    def _complete(self, ids: list[int], n_tokens: int) -> int:
        n_most = len(ids) + n_tokens

        def is_over(input_ids: NDArray[np.intc], _logits: NDArray[np.single]) -> bool:
            # create_completion itself looks at max_tokens at the end of a whole character only
            return len(input_ids) >= n_most

        try:
            with self._interrupts.deferred():  # the two callbacks would swallow a KeyboardInterrupt
                completion = self._llama.create_completion(
                    ids,
                    max_tokens=n_tokens,
                    temperature=0.0,
                    logits_processor=[self._ban],
                    stopping_criteria=is_over,
                )
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"llama-cpp-python's loop failed on {len(ids)} tokens ({error})") from error
        return int(completion["usage"]["completion_tokens"])

    def _ban(self, _input_ids: NDArray[np.intc], logits: NDArray[np.single]) -> NDArray[np.single]:
        logits[self._banned] = -np.inf
        return logits

    def forget(self) -> None:
        """Empty the cache."""
        self._llama.reset()

    def close(self) -> None:
        """Free the model and its context."""
        self._llama.close()


@contextmanager
def _extra_buffers_as_ours(lib: Any, path: Path) -> Iterator[None]:
    """Let a model that is loaded meanwhile repack its weights where the engine's does.

    `Llama` has no argument for it, and where the build has AMX llama.cpp dies of it (`uses_extra_buffers`).
    So the function that it takes its defaults from is another one for this long.
    """
    defaults = lib.llama_model_default_params
    overrides = repack_overrides(path) if names_repacked(EngineOptions(n_gpu_layers=0)) else None

    def changed() -> Any:
        params = defaults()
        params.use_extra_bufts = uses_extra_buffers()
        if overrides is not None:
            params.tensor_buft_overrides = ctypes.addressof(overrides)
        return params

    lib.llama_model_default_params = changed
    try:
        yield
    finally:
        lib.llama_model_default_params = defaults
