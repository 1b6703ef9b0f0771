"""What a command does with its options, whatever is judged: prepare, judge, and look at what came of it."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from judgecli.cli.announcing import announce
from judgecli.cli.console import complain, say, warn
from judgecli.cli.dry_run import describe
from judgecli.cli.exits import INTERRUPTED
from judgecli.cli.first_judge import offer_default_model
from judgecli.cli.output import check_report_files, show_report
from judgecli.cli.run_progress import entropy_progress, run_progress
from judgecli.errors import NothingJudgedError
from judgecli.reports import PairKind
from judgecli.reports.wording.rows import MAX_ID, shortened
from judgecli.run import FromCache, Left, PreparedRun, Progress, RunOptions, execute, load_run
from judgecli.types import Judgment, RunRecord, Summary, Verdict

# Options that name a file, or a judge that may be a file after its backend; no report may overwrite these.
_FILES = ("prompt", "template", "rubric", "shots", "calibration", "escalate_prompt", "base")
_JUDGES = ("model", "escalate")
_MAX_DETAIL = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How many items of a run have a result (`n_by_rule` of them by a rule), and how many failed.

    `n_open` are left to be asked, and `n_judgments` are made. `noun` is what an item is called;
    `first_failure` says which item failed first, and why; `has_texts` whether the judge wrote anything that
    failed.
    """

    noun: str
    n_results: int
    n_by_rule: int
    n_failed: int
    n_open: int
    n_judgments: int
    first_failure: str | None
    has_texts: bool


def carry_out(
    values: Mapping[str, Any],
    options: RunOptions,
    prepare: Callable[[], PreparedRun],
    inputs: Iterable[str | None],
) -> RunRecord | None:
    """Do what a command's parameters ask for, up to the run read back; None where it was a dry run.

    `inputs` are the files that a report must not overwrite, beside the run file and those of the judge.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    check_report_files(values["report"], (*inputs, *_named(values)), options.run_file)
    if options.model is None:
        offer_default_model(offline=values["offline"])
    run = prepare()
    if not values["quiet"]:
        announce(run, dry=values["dry_run"])
    if values["dry_run"]:
        describe(run, values["form"], quiet=values["quiet"])
        return None
    with run_progress(run, quiet=values["quiet"]) as observe:
        _execute(run, observe, quiet=values["quiet"])
    path = run.path
    del run  # the file is read back now: its items need not be in memory twice
    return load_run(path)


def _named(values: Mapping[str, Any]) -> Iterator[str | None]:
    """Yield the files that a command's options name beside its input, and those after a judge's backend."""
    yield from (str(values[name]) for name in _FILES if values.get(name) is not None)
    yield from ((values.get(name) or "").partition(":")[2] or None for name in _JUDGES)


def _execute(run: PreparedRun, observe: Callable[[Progress], None], *, quiet: bool) -> None:
    n_done, n_stronger = 0, 0

    def count(progress: Progress) -> None:
        nonlocal n_done, n_stronger
        if progress.judgment.judge:
            n_stronger = progress.n_done
        else:
            n_done = progress.n_done
        observe(progress)

    def say_cached(found: FromCache) -> None:
        if found.n_total and not quiet:
            whose = f" of {found.judge}" if run.second else ""
            say(f"{found.n_found:,} of {found.n_total:,} judgments{whose} from the cache")

    def there() -> str:
        rows = f"{run.n_kept + n_done} of {len(run.plan.requests)} judgments are in {run.path}"
        stronger = f" and {n_stronger} new ones of {run.second.name}" if run.second and n_stronger else ""
        return f"{rows}{stronger}, and the same command goes on from there"

    try:
        left = execute(run, count, entropy_progress(quiet=quiet), say_cached)
    except KeyboardInterrupt as error:
        complain(f"interrupted; {there()}")
        raise typer.Exit(INTERRUPTED) from error
    _say_what_is_left(left, there())


def _say_what_is_left(left: Left, there: str) -> None:
    if left.spent is not None:
        warn(f"partial run: {left.spent}; {there}")
    if left.unmeasured:
        one = left.unmeasured[0]
        first = f"item {shortened(one.item_id, MAX_ID)!r}, order {one.order}: {one.reason}"
        warn(f"no entropy for {len(left.unmeasured)} of the judge's texts ({first})")


def problem_of(path: Path, outcome: Outcome, max_failures: float | None) -> NothingJudgedError | None:
    """Return what is wrong with a run that has no result of the judge, or more failures than allowed.

    It names the share that failed, and why the first item did.
    """
    if outcome.n_open and not outcome.n_failed and not outcome.n_results:
        n, noun = outcome.n_judgments, "judgment" if outcome.n_judgments == 1 else "judgments"
        message = f"no {outcome.noun} was finished before the calls were spent: {n} {noun} made"
        return NothingJudgedError(f"{message}; the same command goes on from there")
    n_failed, n_tried = outcome.n_failed, outcome.n_results + outcome.n_failed
    failed = f"{n_failed} of {n_tried} {outcome.noun}{'s' * (n_tried != 1)} failed"
    why = f"({outcome.first_failure or f'no {outcome.noun} was asked'})"
    if outcome.has_texts:
        why += f"; the texts are in {path}"
    if not outcome.n_results or (n_failed and outcome.n_results == outcome.n_by_rule):
        return NothingJudgedError(f"nothing was judged: {failed} {why}")
    share = n_failed / n_tried
    if max_failures is not None and share > max_failures:
        said = f"{failed}, {share:.1%} and more than --max-failures {max_failures:.1%} {why}"
        return NothingJudgedError(said)
    return None


def report_outcome(
    values: Mapping[str, Any],
    path: Path,
    outcome: Outcome,
    record: RunRecord,
    summary: Summary,
    only: Collection[PairKind] = (),
) -> None:
    """Show the report of a run, whose file is `path`, and then say what is wrong with the run.

    Raises:
        NothingJudgedError: as `problem_of` returns.
        OutputError: a file cannot be written.
    """
    problem = problem_of(path, outcome, values["max_failures"])
    show_report(record, summary, values["form"].value, values["report"], only, problem=problem)
    if problem is not None:
        raise problem


def first_failure(outcomes: Iterable[Judgment | Verdict]) -> str | None:
    """Return which item failed first, and why; None where none did."""
    for one in outcomes:
        if one.failure is not None:
            detail = f", {shortened(one.detail, _MAX_DETAIL)}" if one.detail else ""
            return f"item {shortened(one.item_id, MAX_ID)!r}: {one.failure.replace('_', ' ')}{detail}"
    return None


def has_failed_texts(record: RunRecord) -> bool:
    """Whether the run file holds a text of the judge that failed."""
    return any(one.failure is not None and one.text.strip() for one in record.judgments.values())
