"""What `judge rank` does with its options: prepare, judge, report."""

from collections.abc import Mapping
from typing import Any

from judgecli.analysis import summarise_ranking
from judgecli.cli.carrying_out import Outcome, carry_out, first_failure, has_failed_texts, report_outcome
from judgecli.cli.values import rank_options
from judgecli.run import prepare_rank
from judgecli.types import Ranking, RankSummary, RunRecord


def run_rank(values: Mapping[str, Any]) -> None:
    """Carry out `judge rank` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    options = rank_options(values)
    given = options.input
    inputs = (*given.files, given.reference, given.questions)
    record = carry_out(values, options, lambda: prepare_rank(options), inputs)
    if record is None:
        return
    summary = summarise_ranking(record)
    report_outcome(values, options.run_file, outcome_of(record, summary), record, summary)


def outcome_of(record: RunRecord, summary: RankSummary) -> Outcome:
    """Return how many comparisons came to something, and how many failed."""
    counts = summary.counts
    return Outcome(
        noun="item" if summary.ranking is Ranking.JOINT else "comparison",
        n_results=counts.n_verdicts,
        n_by_rule=counts.n_by_rule,
        n_failed=counts.n_failed,
        n_open=counts.n_open,
        n_judgments=len(record.judgments),
        first_failure=first_failure(record.judgments.values()),
        has_texts=has_failed_texts(record),
    )
