"""What a benchmark measures on a model: arms to compare, and engine options to choose between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judgecli.backends.llama_cpp import describe, fitting_layout
from judgecli.backends.llama_cpp.completion_loop import default_settings, tuned_settings
from judgecli.backends.llama_cpp.context import ContextOptions, available_cores
from judgecli.backends.llama_cpp.contexts import Layout
from judgecli.backends.llama_cpp.devices import devices
from judgecli.backends.llama_cpp.fit import measure_need
from judgecli.backends.llama_cpp.library import set_verbose
from judgecli.backends.llama_cpp.memory import available_memory
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.sides import EngineSide, LoopSide, Side, Sides
from judgecli.types import EngineOptions, Request, depth_first
from judgecli.types.measurements import Arm, Pass

VERDICT_TOKENS = 4  # "8 6" and a newline: what the loop writes where the engine reads a distribution

Measure = Callable[[], Pass]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The requests to work through, pair by pair as a user would write them; `n_ctx` holds any with its text.

    `explained` are those that ask for `n_reason_tokens` of reasons each; there may be none.
    """

    requests: tuple[Request, ...]
    explained: tuple[Request, ...]
    n_reason_tokens: int
    n_ctx: int


class ArmBench:
    """All arms there is work for, on one model; a context manager that frees what they loaded."""

    def __init__(self, path: Path, work: Work, engine: EngineOptions, *, verbose: bool = False) -> None:
        """Tokenize the prompts and find out what fits into memory; no weights are loaded yet.

        Raises:
            ModelError: the file does not load, cannot judge, or does not fit into memory.
        """
        set_verbose(verbose)
        layout = fitting_layout(path, n_ctx=work.n_ctx, engine=engine, writes_reasons=bool(work.explained))
        self._measures = _arms(path, work, layout)
        one = ContextOptions(n_ctx=work.n_ctx, n_seq_max=1, n_ubatch=engine.n_ubatch)
        own = layout.all(writes_reasons=bool(work.explained))
        self._sides = Sides(together=_fit_together(path, [own, [one], [one]], engine))

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms, in the order of their figures."""
        return tuple(self._measures)

    @property
    def held_together(self) -> bool:
        """Whether all arms stay in memory."""
        return self._sides.together

    def measure(self, arm: Arm) -> Pass:
        """Go through an arm's prompts once; what it needs is loaded before the clock starts.

        Raises:
            ModelError: llama.cpp fails.
        """
        side, measure = self._measures[arm]
        self._sides.use(side)
        return measure()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._sides.close()


def _arms(path: Path, work: Work, layout: Layout) -> dict[Arm, tuple[Side, Measure]]:
    with LlamaModel(path, vocab_only=True) as model:
        units = [model.tokenizer.encode(request.prompt) for request in work.requests]
        explained = [model.tokenizer.encode(request.prompt) for request in work.explained]
        banned = model.tokenizer.end_tokens
    walked = [units[index] for index in depth_first(request.path for request in work.requests)]
    ids, explained_ids = ([list(chain.from_iterable(one)) for one in many] for many in (units, explained))
    usual = default_settings(work.n_ctx, layout.engine)
    tuned = tuned_settings(work.n_ctx, layout.engine, layout.prompts())
    engine = EngineSide(layout, partial(LlamaModel, path, engine=layout.engine), work.requests[0])
    loop, own = (LoopSide(path, one, banned=banned, touched=ids[0]) for one in (usual, tuned))
    arms: dict[Arm, tuple[Side, Measure]] = {
        Arm.PREFILL: (engine, partial(engine.prefill, walked)),
        Arm.SCORES: (engine, partial(engine.judge, work.requests)),
        Arm.LOOP: (loop, partial(loop.write, ids, VERDICT_TOKENS)),
        Arm.LOOP_TUNED: (own, partial(own.write, ids, VERDICT_TOKENS)),
    }
    if work.explained:
        arms[Arm.REASONS] = (engine, partial(engine.judge, work.explained))
        # the setting that the loop is faster with: left alone it writes with half the cores
        arms[Arm.LOOP_REASONS] = (own, partial(own.write, explained_ids, work.n_reason_tokens))
    return arms


class EngineTrials:
    """The engine with other options, on weights that are loaded once; a context manager that frees them."""

    def __init__(self, path: Path, work: Work, engine: EngineOptions, *, verbose: bool = False) -> None:
        """Load the weights where these options place them.

        Raises:
            ModelError: the file does not load, cannot judge, or does not fit into memory.
        """
        set_verbose(verbose)
        self._path, self._work = path, work
        self._layout = fitting_layout(path, n_ctx=work.n_ctx, engine=engine, writes_reasons=False)
        self._model = LlamaModel(path, engine=engine)

    @contextmanager
    def of(self, variants: Sequence[EngineOptions]) -> Iterator[list[Measure]]:
        """Yield for each variant of the options a function that judges the requests once, scores only.

        Raises:
            ModelError: the memory does not suffice.
        """
        layouts = [replace(self._layout, engine=engine) for engine in variants]
        together = _fit_together(
            self._path,
            [layout.all(writes_reasons=False) for layout in layouts],
            self._layout.engine,
            share_weights=True,
        )
        sides = Sides(together=together)

        def shared() -> AbstractContextManager[LlamaModel]:
            return nullcontext(self._model)

        def measured(side: EngineSide) -> Pass:
            sides.use(side)
            return side.judge(self._work.requests)

        try:
            yield [
                partial(measured, EngineSide(layout, shared, self._work.requests[0])) for layout in layouts
            ]
        finally:
            sides.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._model.close()


def _fit_together(
    path: Path,
    held: Sequence[Sequence[ContextOptions]],
    engine: EngineOptions,
    *,
    share_weights: bool = False,
) -> bool:
    """Whether several lots of contexts, each with weights of its own if not shared, fit into free memory."""
    memory = available_memory()
    needs = [measure_need(path, contexts, engine) for contexts in held]
    for device in (memory.host, *memory.gpus):
        parts = [need.on(device.name) for need in needs]
        shared = sum(part.weights_bytes for part in parts[1:]) if share_weights else 0
        total = sum(part.total_bytes for part in parts) - shared
        if device.free_bytes is not None and total > device.free_bytes:
            return False
    return True


def measured_machine() -> dict[str, Any]:
    """Return the devices of this machine that llama.cpp sees, and the cores this process may use."""
    named = [f"{device.name}: {device.description}" for device in devices()]
    return {"devices": named, "cores": available_cores()}


def engine_settings(n_ctx: int, engine: EngineOptions) -> dict[str, Any]:
    """Return what a run header records of these options."""
    return describe(n_ctx=n_ctx, engine=engine)
