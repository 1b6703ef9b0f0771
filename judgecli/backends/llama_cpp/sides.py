"""The sides of a benchmark: the engine, and llama-cpp-python's loop, each with all it holds in memory.

Every pass starts with an empty cache, and no text may end, so that equally many tokens are written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from judgecli.backends.llama_cpp.completion_loop import CompletionLoop
from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows
from judgecli.backends.llama_cpp.contexts import Contexts, Layout
from judgecli.backends.llama_cpp.distribution import Limits
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.evaluation import PathCache, PromptCache, Units, WindowCache
from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError
from judgecli.types import Request
from judgecli.types.measurements import Pass


class Side(Protocol):
    """Something that works through prompts from its start to its close, and takes memory as long."""

    def start(self) -> None:
        """Load what it needs, and touch it once.

        Raises:
            ModelError: it does not load, or the memory does not suffice.
        """

    def close(self) -> None:
        """Free all of it."""


class Sides:
    """Sides that stay open once they are used if there is memory for all; else one at a time is open."""

    def __init__(self, *, together: bool) -> None:
        """Take no side yet."""
        self.together = together
        self._open: list[Side] = []

    def use(self, side: Side) -> None:
        """Open a side if it is not, after closing the others if that must be."""
        if side in self._open:
            return
        if not self.together:
            self.close()
        side.start()
        self._open.append(side)

    def close(self) -> None:
        """Close all that are open."""
        while self._open:
            self._open.pop().close()


class EngineSide:
    """The engine on a model of its own, or on one that is shared: `load` gives it."""

    def __init__(
        self, layout: Layout, load: Callable[[], AbstractContextManager[LlamaModel]], touched: Request
    ) -> None:
        """Take what the contexts are like, and the request to touch everything with."""
        self._layout, self._load, self._touched = layout, load, touched
        self._resources = ExitStack()

    def start(self) -> None:
        """Load the model and make its contexts."""
        with ExitStack() as stack:
            model = stack.enter_context(self._load())
            self._contexts = Contexts(model, self._layout, ban_end=True)
            stack.callback(self._contexts.close)
            self._engine = Engine(self._contexts, model.tokenizer, limits=self._layout.limits)
            self.judge([self._touched])
            self._resources = stack.pop_all()

    def close(self) -> None:
        """Free the contexts, and the model if it is not shared."""
        self._resources.close()

    def judge(self, requests: Sequence[Request], limits: Limits | None = None) -> Pass:
        """Judge requests; those that ask for reasons get them. `limits` are other ones than the layout's.

        Raises:
            ModelError: llama.cpp fails.
        """
        self._contexts.forget()
        self._engine.limits = limits or self._layout.limits
        counted = [self._contexts.prompts.context]
        if any(request.n_reason_tokens for request in requests):
            counted.append(self._contexts.writer.context)
        n_before, started_s = _evaluated(counted), time.perf_counter()
        n_written = 0
        for completion in self._engine.judge(requests):
            if completion.error is not None:
                raise ModelError(f"pair {completion.request.item_id}: llama.cpp failed ({completion.error})")
            n_written += completion.n_completion_tokens
        elapsed_s = time.perf_counter() - started_s
        return Pass(
            elapsed_s=elapsed_s,
            n_evaluated_tokens=_evaluated(counted) - n_before,
            n_written_tokens=n_written,
        )

    def prefill(self, prompts: Sequence[Units]) -> Pass:
        """Make the calls that the engine makes for prompts, given depth first, and read nothing.

        Raises:
            ModelError: llama.cpp fails.
        """
        self._contexts.forget()
        context = self._contexts.prompts.context
        cache = self._unread(context)
        n_before, started_s = context.n_evaluated, time.perf_counter()
        try:
            for at in range(0, len(prompts), cache.size):
                cache.evaluate(prompts[at : at + cache.size])
        except EngineError as error:
            raise ModelError(f"llama.cpp failed ({error})") from error
        load_library().llama_synchronize(context.handle)  # a GPU may still be at work
        elapsed_s = time.perf_counter() - started_s
        return Pass(elapsed_s=elapsed_s, n_evaluated_tokens=context.n_evaluated - n_before)

    def _unread(self, context: LlamaContext) -> PromptCache:
        unread, size = cast(LlamaContext, _Unread(context)), self._contexts.n_prompts
        return PathCache(unread) if size == 1 else WindowCache(unread, size)


class _Unread:
    """A context of which no logits are asked."""

    def __init__(self, context: LlamaContext) -> None:
        self._context = context

    def decode(self, rows: Rows) -> None:
        rows.wanted.clear()
        self._context.decode(rows)

    def logits(self, _row: int) -> NDArray[np.float32]:
        return np.empty(0, dtype=np.float32)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


def _evaluated(contexts: Sequence[LlamaContext]) -> int:
    return sum(context.n_evaluated for context in contexts)


class LoopSide:
    """llama-cpp-python's loop on a model of its own."""

    def __init__(
        self, path: Path, settings: dict[str, Any], *, banned: Sequence[int], touched: Sequence[int]
    ) -> None:
        """Take what the loop is set up with, and the prompt to touch everything with."""
        self._path, self._settings = path, settings
        self._banned, self._touched = banned, touched

    def start(self) -> None:
        """Load the model."""
        self._loop = CompletionLoop(self._path, self._settings, banned=self._banned)
        self.write([self._touched], 2)

    def close(self) -> None:
        """Free the model."""
        self._loop.close()

    def write(self, prompts: Sequence[Sequence[int]], n_tokens: int) -> Pass:
        """Write so many tokens from each prompt, given as ids.

        Raises:
            ModelError: llama.cpp fails.
        """
        self._loop.forget()
        n_before, started_s = self._loop.n_evaluated, time.perf_counter()
        n_written = self._loop.write(prompts, n_tokens)
        elapsed_s = time.perf_counter() - started_s
        return Pass(
            elapsed_s=elapsed_s,
            n_evaluated_tokens=self._loop.n_evaluated - n_before,
            n_written_tokens=n_written,
        )
