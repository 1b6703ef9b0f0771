"""The llama.cpp backend: GGUF weights on this machine, through llama-cpp-python's low-level API."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock, get_ident
from types import TracebackType
from typing import Any, Self

from judgecli.backends.llama_cpp.context import (
    ContextOptions,
    available_cores,
    can_offload,
    offload_device,
)
from judgecli.backends.llama_cpp.contexts import Contexts, Layout
from judgecli.backends.llama_cpp.conversing import converse
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.entropy import token_entropies
from judgecli.backends.llama_cpp.fit import check_fit, fit_parallel, measure_need
from judgecli.backends.llama_cpp.library import set_verbose, versions
from judgecli.backends.llama_cpp.memory import available_memory
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.model_kind import kind_of, note_kind
from judgecli.backends.llama_cpp.placement import uses_extra_buffers
from judgecli.backends.llama_cpp.repacking import names_repacked
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.errors import ModelError
from judgecli.types import (
    CallBudget,
    Completion,
    EngineOptions,
    JudgedText,
    Prompt,
    Request,
    SplitMode,
    TokenEntropy,
    WrittenPiece,
)

MEASURES_ENTROPY = True
_PROMPTS_ON_GPU = 4  # prompts in one call, to keep a GPU full


@contextmanager
def open_tokenizer(path: Path) -> Iterator[LlamaTokenizer]:
    """Open a GGUF's tokenizer without its weights.

    Raises:
        ModelError: llama.cpp cannot load the file.
    """
    with LlamaModel(path, vocab_only=True) as model:
        note_kind(path, model)
        yield model.tokenizer


def describe(
    *, n_ctx: int, engine: EngineOptions = EngineOptions(), path: Path | None = None
) -> dict[str, Any]:
    """Return what a run header records of a backend with these options, without loading weights.

    `path` is the model's; without it, one that can drop the end of a text is meant, as most can.
    `exact` says whether a prompt's verdict is the same bits whatever else is judged.
    """
    can_drop_tails = path is None or kind_of(path).can_drop_tails
    n_prompts = _prompts_per_call(engine) if can_drop_tails else 1
    splits_calls = can_drop_tails and _splits_calls(engine)
    return {
        "name": "llama_cpp",
        **versions(),
        "device": offload_device(engine.n_gpu_layers),
        "gpu_offload": can_offload(),
        "n_ctx": n_ctx,
        "n_threads": engine.n_threads or available_cores(),
        "n_ubatch": engine.n_ubatch,
        "type_k": engine.type_k.value,
        "type_v": engine.type_v.value,
        "flash_attn": engine.flash_attn,
        "extra_buffers": "repack" if names_repacked(engine) else uses_extra_buffers(),
        "prompts_per_call": n_prompts,
        "branch_flash_attn": engine.flash_attn and not splits_calls,
        "exact": n_prompts == 1 and offload_device(engine.n_gpu_layers) == "cpu",
        **_offload(engine),
    }


def _splits_calls(engine: EngineOptions) -> bool:
    """Whether calls of few rows go to contexts without flash attention, which needs values as numbers."""
    is_on_cpu = offload_device(engine.n_gpu_layers) == "cpu"
    is_alone = _prompts_per_call(engine) == 1
    return is_on_cpu and is_alone and engine.flash_attn and not engine.type_v.is_quantized


def _prompts_per_call(engine: EngineOptions) -> int:
    if engine.prompts_per_call is not None:
        return engine.prompts_per_call
    return 1 if offload_device(engine.n_gpu_layers) == "cpu" else _PROMPTS_ON_GPU


def _offload(engine: EngineOptions) -> dict[str, Any]:
    """Return how the layers are spread over GPUs; every value None on a CPU, `offload` None where all go."""
    if offload_device(engine.n_gpu_layers) == "cpu":
        return dict.fromkeys(("offload", "split_mode", "tensor_split"))
    is_split = engine.split_mode is not SplitMode.NONE and engine.tensor_split
    return {
        "offload": None if engine.n_gpu_layers == -1 else engine.n_gpu_layers,
        "split_mode": engine.split_mode.value,
        "tensor_split": list(engine.tensor_split) if is_split else None,
    }


class LlamaCppBackend:
    """A GGUF judge loaded by llama.cpp; a context manager that frees it."""

    def __init__(
        self,
        path: Path,
        *,
        n_ctx: int,
        engine: EngineOptions = EngineOptions(),
        writes_reasons: bool = False,
        verbose: bool = False,
        budget: CallBudget | None = None,  # noqa: ARG002 - of calls over a network, of which there are none
    ) -> None:
        """Load weights and make a context for prompts of `n_ctx` tokens, if they fit into memory.

        Warns (`RuntimeWarning`) where they do, but not into what is free at the moment. `writes_reasons` says
        that more than verdicts will be asked for, which takes memory too.

        Raises:
            ModelError: the weights do not load, cannot judge, or the memory does not suffice.
        """
        set_verbose(verbose)
        layout = fitting_layout(path, n_ctx=n_ctx, engine=engine, writes_reasons=writes_reasons)
        with ExitStack() as stack:
            model = stack.enter_context(LlamaModel(path, engine=engine))
            contexts = Contexts(model, layout)
            stack.callback(contexts.close)
            self.tokenizer = model.tokenizer
            self._engine = Engine(contexts, model.tokenizer, limits=layout.limits)
            self._resources = stack.pop_all()
        self._turn = Lock()  # a llama_context used from two threads crashes
        self._working: int | None = None  # the thread whose turn it is
        self._is_closed = False
        self._settings = describe(n_ctx=n_ctx, engine=engine, path=path)

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run header records: device, versions, n_ctx and all that changes a run's bits."""
        return self._settings

    def judge(self, requests: Sequence[Request]) -> Iterator[Completion]:
        """Judge requests, yielding completions as they finish; other threads' calls wait for the last one.

        Raises:
            RuntimeError: the same thread has not taken all of an earlier call.
        """
        with self._own_turn():
            yield from self._engine.judge(requests)

    def write(self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()) -> Iterator[WrittenPiece]:
        """Write on greedily from a prompt's end, yielding whole characters as they come, then how it ended.

        The text ends before the first of the `stop` texts, after `max_tokens`, or where the context is full.
        What the next prompt begins with alike is not evaluated again, unless several prompts are evaluated in
        a call, as they are on a GPU if `prompts_per_call` does not say otherwise. Other threads' calls wait
        for the last piece.

        Raises:
            ModelError: the prompt does not fit into the context, or llama.cpp fails.
            RuntimeError: the same thread has not taken all of an earlier call.
        """
        with self._own_turn():
            contexts = self._engine.contexts
            yield from converse(contexts, self.tokenizer, prompt, max_tokens=max_tokens, stop=stop)

    def entropies(self, texts: Sequence[JudgedText]) -> Iterator[tuple[JudgedText, TokenEntropy]]:
        """Yield each text with its mean token entropy; other threads' calls wait for the last one.

        Raises:
            RuntimeError: the same thread has not taken all of an earlier call.
        """
        with self._own_turn():
            yield from token_entropies(self._engine.contexts, self.tokenizer, texts)

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        if self._is_closed:
            raise RuntimeError("the judge is closed")
        if self._working == get_ident():
            raise RuntimeError(
                "this thread has not taken all that another call of judge(), write() or entropies() yields"
            )
        with self._turn:
            self._working = get_ident()
            try:
                yield
            finally:
                self._working = None

    def close(self) -> None:
        """Free the contexts, then the model."""
        self._is_closed = True
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


def fitting_layout(path: Path, *, n_ctx: int, engine: EngineOptions, writes_reasons: bool) -> Layout:
    """Return the sizes of a model's contexts; warn where they exceed what is free at the moment.

    Raises:
        ModelError: it does not load, cannot judge, or cannot fit into memory.
    """
    layout = _layout(path, n_ctx, engine)
    n_streams, warning = _fit(path, layout, writes_reasons=writes_reasons)
    if warning is not None:
        warnings.warn(warning, RuntimeWarning, stacklevel=3)
    return replace(layout, n_streams=n_streams)


def _layout(path: Path, n_ctx: int, engine: EngineOptions) -> Layout:
    """Return what contexts a model needs, by what it is; only its vocabulary is loaded for that.

    Raises:
        ModelError: it does not load, or is no language model that writes.
    """
    kind = kind_of(path)
    if kind.has_encoder:
        raise ModelError(f"{path} is an encoder model, which cannot judge; use a causal language model")
    if kind.can_drop_tails:
        return Layout(
            n_ctx=n_ctx,
            engine=engine,
            n_prompts=_prompts_per_call(engine),
            splits_calls=_splits_calls(engine),
        )
    return Layout(n_ctx=n_ctx, engine=engine, can_drop_tails=False)


def _fit(path: Path, layout: Layout, *, writes_reasons: bool) -> tuple[int, str | None]:
    """Return how many explanations to write at once, and a warning about memory.

    Raises:
        ModelError: it cannot fit; the sentence names the way out.
    """
    memory = available_memory()

    def contexts_for(n_streams: int) -> list[ContextOptions]:
        return replace(layout, n_streams=n_streams).all(writes_reasons=True)

    if writes_reasons:
        n_streams, need = fit_parallel(path, contexts_for, layout.engine, memory)
    else:
        n_streams, need = 1, measure_need(path, layout.all(writes_reasons=False), layout.engine)
    return n_streams, check_fit(path, need, memory, n_ctx=layout.n_ctx, engine=layout.engine)
