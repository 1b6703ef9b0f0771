"""How fast a judge is on this machine: the same prompts worked through in several ways, alternating.

Everything is measured in one process, because only what was measured side by side can be compared. Nothing is
written to disk.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path

from judgecli.backends.llama_cpp.benchmark import ArmBench, Work, engine_settings, measured_machine
from judgecli.errors import DataError, UsageError
from judgecli.run.fitting import VERDICT_TOKENS
from judgecli.run.judge_choice import ChosenJudge, chosen_judge
from judgecli.run.options import MAX_REASON_TOKENS
from judgecli.run.pair import PairOptions, read_pairs
from judgecli.run.planning import Plan, PlannedRequest, make_plan
from judgecli.types import BOTH_ORDERS
from judgecli.types.measurements import Arm, ArmTimes, Benchmark, Pass, Setup

MADE_UP_PAIRS = Path(__file__).with_name("made_up_pairs.jsonl")
MAX_REPEATS = 100
_CONTEXT_STEP = 256  # what llama.cpp rounds a context up to


class Explained(StrEnum):
    """On which pairs reasons are measured, which take much longer than scores."""

    ALL = "all"
    HALF = "half"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """What is measured: the judge and the pairs as for `judge pair`, and how often each arm is."""

    pair: PairOptions
    n_repeats: int = 3
    explained: Explained = Explained.HALF
    n_reason_tokens: int = 64

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing.

        Raises:
            UsageError: an option is out of its range.
        """
        for name, value, most in (
            ("--repeat", self.n_repeats, MAX_REPEATS),
            ("--reason-tokens", self.n_reason_tokens, MAX_REASON_TOKENS),
        ):
            if not 1 <= value <= most:
                raise UsageError(f"{name} must be a whole number from 1 to {most}, not {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBench:
    """Prompts made and counted, and all that the figures are figures of."""

    options: BenchOptions
    path: Path
    work: Work
    setup: Setup


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchStep:
    """A pass that is over. `repeat` 0 is the warm-up; `left_s` is None before everything was gone through."""

    name: str
    repeat: int
    n_repeats: int
    elapsed_s: float
    left_s: float | None


Observe = Callable[[BenchStep], None]


def prepare_bench(options: BenchOptions) -> PreparedBench:
    """Read the pairs, find the judge, render and count the prompts; no weights are loaded.

    Raises:
        DataError: the input or the prompt family is wrong, or no pair is left to measure with.
        ModelError: the judge is unknown, missing or damaged.
        UsageError: options that contradict each other, or a judge that is no local model.
    """
    given = read_pairs(options.pair)
    with chosen_judge(options.pair) as judge:
        if judge.weights is None:
            message = f"judge bench measures llama.cpp, and {judge.name} does not run in it"
            raise UsageError(f"{message}; name a local model with --model, such as demo")
        plan = make_plan(given, judge, options.pair)
        items = list(_as_written(plan))
        if not items:
            message = "no pair is left to measure with: all are too long or decided without the judge"
            raise DataError(f"{message}; give others, or a larger --n-ctx")
        work = _work(items, plan, options)
        return PreparedBench(
            options=options,
            path=judge.path,
            work=work,
            setup=_setup(judge, plan, work, options),
        )


def _as_written(plan: Plan) -> Iterator[PlannedRequest]:
    """Yield the requests as a user would write a loop: pair by pair, one order after the other."""
    found = {(item.request.item_id, item.request.order): item for item in plan.requests}
    keys = ((planned.item.id, order) for planned in plan.planned for order in BOTH_ORDERS)
    return (found[key] for key in keys if key in found)


def _work(items: Sequence[PlannedRequest], plan: Plan, options: BenchOptions) -> Work:
    longest = max(item.n_tokens for item in items) + VERDICT_TOKENS
    limit = options.pair.n_ctx or plan.n_ctx_limit
    n_reason_tokens = options.n_reason_tokens if options.explained is not Explained.NONE else 0
    if limit is not None:
        n_reason_tokens = min(n_reason_tokens, limit - longest)
    requests = tuple(item.request for item in items)
    n_pairs = len({request.item_id for request in requests})
    n_explained = n_pairs if options.explained is Explained.ALL else -(-n_pairs // 2)
    n_asked = n_explained * len(BOTH_ORDERS) if n_reason_tokens else 0
    return Work(
        requests=requests,
        # no text to stop at either: all arms write equally many tokens
        explained=tuple(replace(one, n_reason_tokens=n_reason_tokens, stop=()) for one in requests[:n_asked]),
        n_reason_tokens=n_reason_tokens,
        n_ctx=options.pair.n_ctx or _context(longest + n_reason_tokens, limit),
    )


def _context(n_tokens: int, limit: int | None) -> int:
    rounded = -(-n_tokens // _CONTEXT_STEP) * _CONTEXT_STEP
    return rounded if limit is None else min(rounded, limit)


def _setup(judge: ChosenJudge, plan: Plan, work: Work, options: BenchOptions) -> Setup:
    family = judge.family
    return Setup(
        machine={"platform": platform.platform(), **measured_machine()},
        model=judge.recorded(),
        prompt={"family": family.name, "hash": family.hash, "template": options.pair.template},
        backend=engine_settings(work.n_ctx, options.pair.engine),
        notes=tuple(_notes(plan, work, options)),
    )


def _notes(plan: Plan, work: Work, options: BenchOptions) -> Iterator[str]:
    if options.pair.input.baseline == str(MADE_UP_PAIRS):
        yield "the pairs are made up and short; name your own files to measure with them"
    n_by_rule = plan.n_decided
    if n_by_rule:
        yield f"{n_by_rule} left out: decided without the judge"
    n_too_long = len({failure.item_id for failure in plan.too_long})
    if n_too_long:
        yield f"{n_too_long} left out: too long for the context"
    if options.explained is not Explained.NONE and work.n_reason_tokens < options.n_reason_tokens:
        yield f"reasons have {work.n_reason_tokens} tokens, which is what the context leaves"


def run_bench(bench: PreparedBench, observe: Observe = lambda _: None) -> Benchmark:
    """Measure every arm, after one pass of each that does not count.

    Raises:
        ModelError: the judge does not load, does not fit into memory, or fails.
    """
    options, work = bench.options, bench.work
    with ArmBench(bench.path, work, options.pair.engine, verbose=options.pair.verbose) as arms:
        measures = [(arm.value, partial(arms.measure, arm)) for arm in arms.arms]
        passes = alternate(measures, options.n_repeats, observe)
        return Benchmark(
            setup=bench.setup,
            arms=tuple(
                ArmTimes(arm=arm, n_pairs=_n_pairs(arm, work), passes=each)
                for arm, each in zip(arms.arms, passes, strict=True)
            ),
            n_reason_tokens=work.n_reason_tokens,
            held_together=arms.held_together,
        )


def _n_pairs(arm: Arm, work: Work) -> int:
    requests = work.explained if arm.writes_reasons else work.requests
    return len(requests) // len(BOTH_ORDERS)


def alternate(
    measures: Sequence[tuple[str, Callable[[], Pass]]], n_repeats: int, observe: Observe = lambda _: None
) -> list[tuple[Pass, ...]]:
    """Measure named things in turn, each `n_repeats` times after a warm-up; return the passes of each.

    Every other round goes backwards, so that a machine that slows down or recovers favours none of them.
    """
    passes: list[list[Pass]] = [[] for _ in measures]
    seconds: dict[str, float] = {}
    forwards = list(enumerate(measures))
    for repeat in range(n_repeats + 1):
        order = forwards[::-1] if repeat % 2 else forwards
        for n_done, (index, (name, measure)) in enumerate(order, 1):
            one = measure()
            seconds[name] = one.elapsed_s
            if repeat:
                passes[index].append(one)
            left_s = None
            if len(seconds) == len(measures):
                later_s = sum(seconds[name] for _, (name, _) in order[n_done:])
                left_s = later_s + (n_repeats - repeat) * sum(seconds.values())
            observe(
                BenchStep(
                    name=name,
                    repeat=repeat,
                    n_repeats=n_repeats,
                    elapsed_s=one.elapsed_s,
                    left_s=left_s,
                )
            )
    return [tuple(each) for each in passes]
