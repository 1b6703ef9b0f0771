"""What `judge pair` does with its options: prepare, judge, report."""

from collections.abc import Mapping
from typing import Any

from judgecli.analysis import summarise_pairs
from judgecli.cli.carrying_out import Outcome, carry_out, first_failure, has_failed_texts, report_outcome
from judgecli.cli.console import say
from judgecli.cli.output import show_report
from judgecli.cli.report_options import kinds
from judgecli.cli.values import pair_options
from judgecli.errors import GateFailedError, InconclusiveError
from judgecli.reports.pair.gate import ruling
from judgecli.run import prepare_pair
from judgecli.types import Gate, GateDecision, PairSummary, RunRecord


def run_pair(values: Mapping[str, Any]) -> None:
    """Carry out `judge pair` with its parameters by name.

    Raises:
        JudgeError: with a sentence for the user.
        typer.Exit: interrupted.
    """
    options, only = pair_options(values), kinds(values["only"])
    given = options.input
    inputs = (given.baseline, given.candidate, given.reference, given.questions)
    record = carry_out(values, options, lambda: prepare_pair(options), inputs)
    if record is None:
        return
    summary = summarise_pairs(record)
    if summary.gate is None:
        report_outcome(values, options.run_file, outcome_of(record, summary), record, summary, only)
        return
    show_report(record, summary, values["form"].value, values["report"], only)
    check_gate(summary.gate, quiet=values["quiet"])


def check_gate(gate: Gate, *, quiet: bool) -> None:
    """Say what a gate decided, which is the command's exit code.

    Raises:
        GateFailedError: it failed.
        InconclusiveError: it neither passed nor failed.
    """
    sentence = ruling(gate).sentence
    if gate.decision is GateDecision.FAIL:
        raise GateFailedError(sentence)
    if gate.decision is GateDecision.INCONCLUSIVE:
        raise InconclusiveError(sentence)
    if not quiet:
        say(sentence)


def outcome_of(record: RunRecord, summary: PairSummary) -> Outcome:
    """Return how many pairs have a verdict, and how many failed."""
    counts = summary.counts
    return Outcome(
        noun="pair",
        n_results=counts.n_verdicts,
        n_by_rule=sum(counts.without_judge.values()),
        n_failed=counts.n_failed,
        n_open=counts.n_open,
        n_judgments=len(record.judgments),
        first_failure=first_failure(record.verdicts),
        has_texts=has_failed_texts(record),
    )
