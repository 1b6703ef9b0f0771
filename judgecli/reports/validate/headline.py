"""The first sentence of a report on an alternative annotator test, and its warnings."""

from __future__ import annotations

from judgecli.reports.wording import Headline
from judgecli.reports.wording.cautions import Judged, caution_lines
from judgecli.reports.wording.rows import coefficient, hundredths, plural
from judgecli.reports.wording.setup import judge_name
from judgecli.types import Caution, CautionKind, RunRecord, ValidationSummary


def headline(record: RunRecord, summary: ValidationSummary) -> Headline:
    """Say whether the judge may stand in for an annotator, in one sentence."""
    who = f"{judge_name(record.header)} against {plural(len(summary.tests), 'annotator')}"
    if summary.passes is None or summary.omega.value is None:
        return Headline(subject=who, result=f"no alt-test, {summary.omega.method}")
    outcome = f"{'PASS' if summary.passes else 'not shown to hold'} at epsilon {summary.epsilon:g}"
    rho = f", rho {hundredths(summary.rho.value)}" if summary.rho.value is not None else ""
    return Headline(subject=who, result=f"alt-test omega {coefficient(summary.omega)} ({outcome}){rho}")


def cautions(summary: ValidationSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def _caution(caution: Caution, summary: ValidationSummary) -> tuple[str, ...]:
    if caution.kind is CautionKind.SHARED_INSTRUCTIONS:
        return (
            f"{plural(summary.n_items, 'item')}, but {plural(int(caution.value or 0), 'instruction')}:",
            "p is too small where items share one; use --group instruction.",
        )
    noun = "item" if summary.group is None else "group"
    return caution_lines(caution, Judged(noun=noun, results="verdicts", n_items=summary.n_items, n_open=0))
