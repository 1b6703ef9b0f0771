"""What `judge bench` does with its options: prepare, measure, show."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import typer

from judgecli.cli.bench_json import benchmark_object, tuning_object
from judgecli.cli.bench_text import benchmark_lines, counted, tuning_lines
from judgecli.cli.console import complain, report_width, say, write
from judgecli.cli.exits import INTERRUPTED
from judgecli.cli.first_judge import offer_default_model
from judgecli.cli.forms import BenchForm
from judgecli.cli.run_progress import duration
from judgecli.cli.values import pair_options
from judgecli.errors import UsageError
from judgecli.run.benchmarking import (
    MADE_UP_PAIRS,
    BenchOptions,
    BenchStep,
    Explained,
    PreparedBench,
    prepare_bench,
    run_bench,
)
from judgecli.run.tuning import tune

_N_PAIRS, _N_TUNING_PAIRS = 8, 2
# what `judge pair` can be told and a benchmark has no use for
_UNUSED = {
    "orders": "both",
    "overflow": "fail",
    "min_mass": 0.0,
    "out": None,
    "fresh": False,
    "retry": False,
}
_EXPLAINED = {None: Explained.HALF, True: Explained.ALL, False: Explained.NONE}


def run_bench_command(values: Mapping[str, Any]) -> None:
    """Carry out `judge bench` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    options = _bench_options(values)
    if options.pair.model is None:
        offer_default_model(offline=values["offline"])
    try:
        bench = prepare_bench(options)
        write(_measured(bench, values))
    except KeyboardInterrupt as error:
        complain("interrupted; nothing was written, and the same command starts anew")
        raise typer.Exit(INTERRUPTED) from error


def _bench_options(values: Mapping[str, Any]) -> BenchOptions:
    """Return what is asked of a benchmark.

    Raises:
        UsageError: an option has a value it cannot take.
    """
    if values["tune"] and values["repeat"] < 2:
        message = "--tune needs --repeat 2 or more: one pass has no spread to hold a difference against"
        raise UsageError(message)
    baseline = str(MADE_UP_PAIRS) if values["baseline"] is None else values["baseline"]
    limit = values["limit"] or (_N_TUNING_PAIRS if values["tune"] else _N_PAIRS)
    given = {**values, **_UNUSED, "baseline": baseline, "limit": limit, "reasons": False}
    return BenchOptions(
        pair=pair_options(given),
        n_repeats=values["repeat"],
        explained=Explained.NONE if values["tune"] else _EXPLAINED[values["reasons"]],
        n_reason_tokens=values["reason_tokens"],
    )


def _measured(bench: PreparedBench, values: Mapping[str, Any]) -> str:
    quiet, is_json = values["quiet"], values["form"] is BenchForm.JSON
    if not quiet:
        pairs = counted(len(bench.work.requests) // 2, "pair")
        say(f"measuring {bench.setup.model['name']} on {pairs} in both orders; the first round is a warm-up")
    observe = _ignore if quiet else partial(_say_step, what=" for this option" if values["tune"] else "")
    width = report_width()
    if values["tune"]:
        tuning = tune(bench, observe)
        found, lines = tuning_object(tuning), tuning_lines(tuning, width)
    else:
        benchmark = run_bench(bench, observe)
        found, lines = benchmark_object(benchmark), benchmark_lines(benchmark, width)
    if is_json:
        return json.dumps(found, indent=2, allow_nan=False) + "\n"
    text = "".join(f"{line}\n" for line in lines)
    return f"```\n{text}```\n" if values["form"] is BenchForm.MARKDOWN else text


def _say_step(step: BenchStep, *, what: str) -> None:
    which = f"{step.repeat} of {step.n_repeats}" if step.repeat else "warm-up"
    left = "" if not step.left_s else f", about {duration(step.left_s)} left{what}"
    say(f"{which:<9} {step.name:<18} {step.elapsed_s:8.2f} s{left}")


def _ignore(_step: BenchStep) -> None:
    pass
