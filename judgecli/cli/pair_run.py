"""What `judge pair` does with its options: prepare, judge, report."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import typer

from judgecli.analysis import summarise
from judgecli.cli.announcing import announce, describe
from judgecli.cli.console import complain
from judgecli.cli.exits import INTERRUPTED
from judgecli.cli.first_judge import offer_default_model
from judgecli.cli.output import check_report_files, show_report
from judgecli.cli.run_progress import run_progress
from judgecli.cli.values import pair_options
from judgecli.errors import NothingJudgedError
from judgecli.run import PreparedRun, Progress, execute, load_run, prepare_pair
from judgecli.types import RunRecord, Summary


def run_pair(values: Mapping[str, Any]) -> None:
    """Carry out `judge pair` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    options = pair_options(values)
    given = options.input
    script = (options.model or "").partition(":")[2]
    used = (
        given.baseline,
        given.candidate,
        given.reference,
        given.questions,
        options.prompt,
        options.template,
    )
    check_report_files(values["report"], (*used, script or None, str(options.run_file)))
    if options.model is None:
        offer_default_model(offline=values["offline"])
    run = prepare_pair(options)
    if not values["quiet"]:
        announce(run, dry=values["dry_run"])
    if values["dry_run"]:
        describe(run, values["form"], quiet=values["quiet"])
        return
    with run_progress(run, quiet=values["quiet"]) as observe:
        _execute(run, observe)
    path = run.path
    del run  # the file is read back now: its pairs need not be in memory twice
    record = load_run(path)
    summary = summarise(record)
    show_report(record, summary, values["form"].value, values["report"])
    check_outcome(path, record, summary, values["max_failures"])


def _execute(run: PreparedRun, observe: Callable[[Progress], None]) -> None:
    n_done = 0

    def count(progress: Progress) -> None:
        nonlocal n_done
        n_done = progress.n_done
        observe(progress)

    try:
        execute(run, count)
    except KeyboardInterrupt as error:
        rows = f"{run.n_kept + n_done} of {len(run.plan.requests)} judgments are in {run.path}"
        complain(f"interrupted; {rows}, and the same command goes on from there")
        raise typer.Exit(INTERRUPTED) from error


def check_outcome(path: Path, record: RunRecord, summary: Summary, max_failures: float | None) -> None:
    """Refuse a result without a single verdict, or with more failures than allowed.

    Raises:
        NothingJudgedError: with the share that failed, and why the first pair did.
    """
    counts = summary.counts
    n_tried = counts.n_verdicts + counts.n_failed
    failed = f"{counts.n_failed} of {n_tried} pairs failed"
    why = f"({_first_failure(record)}); the texts are in {path}"
    n_by_rule = sum(counts.without_judge.values())
    if not counts.n_verdicts or (counts.n_failed and counts.n_verdicts == n_by_rule):
        raise NothingJudgedError(f"nothing was judged: {failed} {why}")
    share = counts.n_failed / n_tried
    if max_failures is not None and share > max_failures:
        raise NothingJudgedError(
            f"{failed}, {share:.1%} and more than --max-failures {max_failures:.1%} {why}"
        )


def _first_failure(record: RunRecord) -> str:
    for verdict in record.verdicts:
        if verdict.failure is not None:
            return f"{verdict.pair_id} {verdict.failure.replace('_', ' ')}: {verdict.detail}"
    return "no pair was asked"
