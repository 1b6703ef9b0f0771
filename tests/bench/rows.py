"""What is compared with what: one function a row of the table."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from judgecli.backends.llama_cpp.completion_loop import default_settings, tuned_settings
from judgecli.backends.llama_cpp.context import available_cores
from judgecli.backends.llama_cpp.contexts import Layout
from judgecli.backends.llama_cpp.distribution import Limits
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.sides import EngineSide, LoopSide
from judgecli.types import EngineOptions, depth_first
from tests.bench.alternating import Arm, Times, measure, spread
from tests.bench.server import Server
from tests.bench.work import Work

_CONTEXT_STEP = 256
N_REASON_TOKENS = 64
VERDICT_TOKENS = 4


@dataclass(frozen=True)
class Row:
    """A line of the table: a ratio of two arms, round by round, and what it should be."""

    work: str
    arms: str
    ratios: list[float]
    target: str = ""

    def __str__(self) -> str:
        return f"| {self.work} | {self.arms} | {spread(self.ratios)} | {self.target} |"


class Arms:
    """The arms for some work on some weights; a context manager that frees what they hold."""

    def __init__(self, weights: Path, work: Work, *, n_streams: int = 2) -> None:
        self._weights, self._work = weights, work
        self._stack = ExitStack()
        with LlamaModel(weights, vocab_only=True) as model:
            self._units = [model.tokenizer.encode(request.prompt) for request in work.requests]
            self._banned = model.tokenizer.end_tokens
        self._ids = [list(chain.from_iterable(units)) for units in self._units]
        longest = max(map(len, self._ids)) + VERDICT_TOKENS + N_REASON_TOKENS
        self._n_ctx = -(-longest // _CONTEXT_STEP) * _CONTEXT_STEP
        self._layout = Layout(
            n_ctx=self._n_ctx, engine=EngineOptions(), n_streams=n_streams, splits_calls=True
        )
        self._engine = EngineSide(self._layout, partial(LlamaModel, weights), work.requests[0])
        self._open(self._engine)

    def _open(self, side: EngineSide | LoopSide) -> None:
        side.start()
        self._stack.callback(side.close)

    def prefill(self) -> Arm:
        walked = [self._units[n] for n in depth_first(request.path for request in self._work.requests)]
        return Arm(lambda: self._engine.prefill(walked))

    def engine(self, n_branches: int | None = None) -> Arm:
        limits = Limits(n_branches=n_branches)
        return Arm(lambda: self._engine.judge(self._work.requests, limits))

    def loop(self, n_tokens: int, *, tuned: bool = False) -> Arm:
        options = EngineOptions()
        settings = default_settings(self._n_ctx, options)
        if tuned:
            settings = tuned_settings(self._n_ctx, options, self._layout.prompts())
        side = LoopSide(self._weights, settings, banned=self._banned, touched=self._ids[0])
        self._open(side)
        return Arm(lambda: side.write(self._ids, n_tokens))

    def server(self, n_tokens: int) -> Arm:
        server = Server(self._weights, self._n_ctx, available_cores())
        self._stack.callback(server.stop)
        # it keeps prompts: one that goes on would have the last round's
        return Arm(lambda: server.write(self._ids, n_tokens), before=server.start)

    def __enter__(self) -> "Arms":
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()


def scores(weights: Path, work: Work, n_rounds: int) -> Iterator[Row]:
    """Joint distributions against the loop, against bare prompts, and against reading the greedy scores."""
    with Arms(weights, work) as arms:
        times = measure(
            {
                "prefill": arms.prefill(),
                "greedy": arms.engine(1),
                "3 branches": arms.engine(3),
                "8 branches": arms.engine(8),
                "loop": arms.loop(VERDICT_TOKENS),
                "tuned loop": arms.loop(VERDICT_TOKENS, tuned=True),
            },
            n_rounds,
        )
    name = f"{work.name}, {weights.stem}"
    yield Row(name, "loop / 3 branches", times.ratio("loop", "3 branches"), "at least 1.15")
    yield Row(name, "3 branches / prefill", times.ratio("3 branches", "prefill"), "at most 1.15")
    yield Row(name, "3 branches / greedy", times.ratio("3 branches", "greedy"), "at most 1.05")
    yield Row(name, "loop / 8 branches", times.ratio("loop", "8 branches"))
    yield Row(name, "tuned loop / 3 branches", times.ratio("tuned loop", "3 branches"))


def ranking(weights: Path, work: Work, n_rounds: int) -> Iterator[Row]:
    """A round-robin against the loop in the order in which a user would write it."""
    with Arms(weights, work) as arms:
        arms_of = {"engine": arms.engine(3), "loop": arms.loop(VERDICT_TOKENS)}
        times = measure(arms_of, n_rounds)
    name = f"{work.name}, {weights.stem}"
    yield Row(name, "loop / 3 branches", times.ratio("loop", "engine"), "at least 1.5")


def reasons(weights: Path, work: Work, n_rounds: int, n_streams: int) -> Iterator[Row]:
    """Explanations against the better of the loop and llama.cpp's server with four slots."""
    n_tokens = VERDICT_TOKENS + N_REASON_TOKENS
    with Arms(weights, work, n_streams=n_streams) as arms:
        arms_of = {
            "engine": arms.engine(3),
            "loop": arms.loop(n_tokens),
            "tuned loop": arms.loop(n_tokens, tuned=True),
        }
        if Server.is_installed():
            arms_of["server"] = arms.server(n_tokens)
        times = measure(arms_of, n_rounds)
    yield from _reasons_rows(f"{work.name}, {N_REASON_TOKENS} tokens of reasons, {weights.stem}", times)


def _reasons_rows(name: str, times: Times) -> Iterator[Row]:
    others = [arm for arm in times.seconds if arm != "engine"]
    best = times.faster(*others)
    for arm in others:
        target = "at least 1.3" if arm == best else ""
        yield Row(name, f"{arm} / engine", times.ratio(arm, "engine"), target)
