"""What `judge pair` does with its options: prepare, judge, report."""

from collections.abc import Mapping
from typing import Any

from judgecli.analysis import summarise_pairs
from judgecli.cli.carrying_out import Outcome, carry_out, check_outcome, first_failure, has_failed_texts
from judgecli.cli.output import show_report
from judgecli.cli.values import pair_options
from judgecli.run import prepare_pair
from judgecli.types import PairSummary, RunRecord


def run_pair(values: Mapping[str, Any]) -> None:
    """Carry out `judge pair` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    options = pair_options(values)
    given = options.input
    inputs = (given.baseline, given.candidate, given.reference, given.questions)
    record = carry_out(values, options, lambda: prepare_pair(options), inputs)
    if record is None:
        return
    summary = summarise_pairs(record)
    show_report(record, summary, values["form"].value, values["report"])
    check_outcome(options.run_file, outcome_of(record, summary), values["max_failures"])


def outcome_of(record: RunRecord, summary: PairSummary) -> Outcome:
    """Return how many pairs have a verdict, and how many failed."""
    counts = summary.counts
    return Outcome(
        noun="pair",
        n_results=counts.n_verdicts,
        n_by_rule=sum(counts.without_judge.values()),
        n_failed=counts.n_failed,
        first_failure=first_failure(record.verdicts),
        has_texts=has_failed_texts(record),
    )
