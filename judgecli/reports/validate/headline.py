"""The first sentence of a report on an alternative annotator test, and its warnings."""

from __future__ import annotations

from judgecli.reports.wording.cautions import Judged, caution_lines
from judgecli.reports.wording.rows import coefficient, hundredths, plural
from judgecli.reports.wording.setup import judge_name
from judgecli.types import Caution, RunRecord, ValidationSummary


def headline(record: RunRecord, summary: ValidationSummary) -> str:
    """Say whether the judge may stand in for an annotator, in one sentence."""
    who = f"{judge_name(record.header)} against {plural(len(summary.tests), 'annotator')}"
    if summary.passes is None or summary.omega.value is None:
        return f"{who}: no alt-test, {summary.omega.method}"
    outcome = f"{'PASS' if summary.passes else 'FAIL'} at epsilon {summary.epsilon:g}"
    rho = f", rho {hundredths(summary.rho.value)}" if summary.rho.value is not None else ""
    return f"{who}: alt-test omega {coefficient(summary.omega)} ({outcome}){rho}"


def cautions(summary: ValidationSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    judged = Judged(noun="item", results="verdicts", n_items=summary.n_items, n_open=0)
    return [(caution, caution_lines(caution, judged)) for caution in summary.cautions]
