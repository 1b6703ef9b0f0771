"""What `judge pair` does with its options: prepare, judge, report."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

import typer

from judgecli import registry
from judgecli.analysis import summarise
from judgecli.answers import Fields, InputOptions, PairBy
from judgecli.cli.asking import agreed
from judgecli.cli.console import stderr
from judgecli.cli.exits import warn
from judgecli.cli.output import check_report_files, show_report
from judgecli.cli.pull import describe_pull
from judgecli.cli.run_progress import duration, run_progress
from judgecli.cli.transfer_progress import transfer_progress
from judgecli.errors import ModelError, NothingJudgedError, UsageError
from judgecli.run import (
    Orders,
    Overflow,
    PairOptions,
    PreparedRun,
    execute,
    load_run,
    measure_speed,
    prepare_pair,
)
from judgecli.types import Summary

E = TypeVar("E", bound=StrEnum)


def run_pair(values: Mapping[str, Any]) -> None:
    """Carry out `judge pair` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    check_report_files(values["report"])
    if not values["model"]:
        _offer_default_model(offline=values["offline"])
    run = prepare_pair(_options(values))
    if not values["quiet"]:
        _announce(run)
    if values["dry_run"]:
        _describe(run)
        return
    with run_progress(run, quiet=values["quiet"]) as observe:
        _execute(run, observe)
    record = load_run(run.path)
    summary = summarise(record)
    show_report(record, summary, values["form"].value, values["report"])
    _check_outcome(summary, values["max_failures"])


def _execute(run: PreparedRun, observe: Any) -> None:
    n_done = 0

    def count(progress: Any) -> None:
        nonlocal n_done
        n_done = progress.n_done
        observe(progress)

    try:
        execute(run, count)
    except KeyboardInterrupt as error:
        rows = f"{run.n_kept + n_done} of {len(run.plan.requests)} judgments are in {run.path}"
        stderr().print(f"judge: interrupted; {rows}, and the same command goes on from there")
        raise typer.Exit(130) from error


def _options(values: Mapping[str, Any]) -> PairOptions:
    names = ("id", "instruction", "input", "response", "response_a", "response_b", "reference", "model")
    fields = Fields(**{name: values[f"{name}_field"] for name in names})
    same = ("baseline", "candidate", "reference", "questions", "format_in", "allow_missing", "no_reference")
    source = InputOptions(
        **{name: values[name] for name in (*same, "allow_missing_reference", "limit", "sample", "seed")},
        fields=fields,
        pair_by=_member("--pair-by", PairBy, values["pair_by"]),
    )
    passed = (
        "model",
        "prompt",
        "template",
        "min_mass",
        "reasons",
        "n_ctx",
        "n_gpu_layers",
        "out",
        "fresh",
        "retry",
    )
    return PairOptions(
        input=source,
        orders=_member("--orders", Orders, values["orders"]),
        overflow=_member("--overflow", Overflow, values["overflow"]),
        n_threads=values["threads"],
        verbose=values["verbose"],
        **{name: values[name] for name in passed},
    )


def _member(name: str, kind: type[E], value: str) -> E:
    try:
        return kind(value)
    except ValueError as error:
        raise UsageError(f"{name} must be one of {', '.join(kind)}, not {value!r}") from error


def _offer_default_model(*, offline: bool) -> None:
    """On a terminal, offer to fetch the default judge if there is none; elsewhere the run says what to do."""
    asking = sys.stdin.isatty() and sys.stderr.isatty() and not offline
    if registry.default_model() is not None or not asking:
        return
    progress = transfer_progress()
    plan = registry.plan_pull(registry.DEFAULT_MODEL, progress=progress)
    for line in describe_pull(plan):
        stderr().print(line)
    plan.check_space()
    if not agreed(f"No judge model is here. Download {plan.name}?", default=True):
        raise ModelError(
            f"no judge model: fetch one with `judge pull {registry.DEFAULT_MODEL}`, or use --model"
        )
    registry.download(plan, progress=progress)


def _announce(run: PreparedRun) -> None:
    """Say on stderr what is about to happen: formats, device, resumed work, the run file."""
    console = stderr()
    report = run.plan.report
    files = ", ".join(
        f"{file} ({form})" for file, form in zip(report.fields_used, report.formats, strict=False)
    )
    console.print(f"{len(run.plan.planned)} pairs from {files}, by {report.paired_by.value}")
    for note in report.notes:
        console.print(f"note: {note}")
    settings = run.header["backend"]
    if settings.get("gpu_offload") is False and settings["name"] == "llama_cpp":
        wanted = run.options.n_gpu_layers
        if wanted:
            warn("this build of llama-cpp-python has no GPU support, so --n-gpu-layers does nothing")
        console.print(
            f"device: cpu, {settings['n_threads']} threads (this build of llama.cpp cannot use a GPU)"
        )
    elif settings["name"] == "llama_cpp":
        console.print(f"device: {settings['device']}")
    if run.existing is not None:
        console.print(
            f"resuming: {run.n_kept} of {len(run.plan.requests)} judgments are already in {run.path}"
        )
        for note in run.existing.notes:
            console.print(f"note: {run.path}: {note}")
    else:
        console.print(f"run file: {run.path}")


def _describe(run: PreparedRun) -> None:
    """Print what a run would do."""
    plan = run.plan
    decided = sum(planned.decided_by is not None for planned in plan.planned)
    n_new = sum(item.n_new_tokens for item in run.open)
    too_long = sorted({failure.pair_id for failure in plan.too_long})
    lines = [
        f"pairs        {len(plan.planned)}, {decided} of them decided without the judge",
        f"judgments    {len(plan.requests)}, {len(run.open)} of them still to make",
        f"tokens       {plan.n_tokens:,} in prompts, {n_new:,} to evaluate (shared beginnings count once)",
        f"context      {plan.n_ctx:,} tokens",
        f"too long     {len(too_long)}{': ' + ', '.join(too_long[:5]) if too_long else ''}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    speed = measure_speed(run)
    if speed:
        sys.stdout.write(
            f"time         about {duration(n_new / speed)}, at {speed:,.0f} tokens/s for one prompt\n"
        )


def _check_outcome(summary: Summary, max_failures: float | None) -> None:
    counts = summary.counts
    if not counts.n_verdicts:
        raise NothingJudgedError("nothing was judged: no pair has a verdict")
    share = counts.n_failed / (counts.n_verdicts + counts.n_failed)
    if max_failures is not None and share > max_failures:
        raise NothingJudgedError(
            f"{share:.1%} of the pairs failed, more than --max-failures {max_failures:.1%}"
        )
