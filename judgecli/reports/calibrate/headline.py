"""The first sentence of a report on a calibration, and its warnings."""

from __future__ import annotations

from judgecli.reports.wording import Headline
from judgecli.reports.wording.cautions import Judged, caution_lines
from judgecli.reports.wording.rows import clean, with_interval
from judgecli.reports.wording.setup import file_name, first_judge_name
from judgecli.reports.wording.trusting import baseline_lines, nothing_certified, share
from judgecli.types import Calibration, CalibrationSummary, Caution, CautionKind, RunRecord


def headline(record: RunRecord, summary: CalibrationSummary) -> Headline:
    """Say from which confidence on the judge is trusted, and how much that covers, in one sentence."""
    fitted, labels = summary.calibration, clean(file_name(summary.labels_file) or "the labels")
    who = f"{first_judge_name(record.header)} on {labels}"
    if fitted.threshold is None:
        result = f"every verdict is doubtful, {_asked(fitted)} is not certified"
        return Headline(subject=who, result=result)
    result = (
        f"trusted from confidence {fitted.threshold:g} on, "
        f"{with_interval(summary.coverage)} of verdicts, for at least {_asked(fitted)}"
    )
    return Headline(subject=who, result=result)


def _asked(calibration: Calibration) -> str:
    return f"{share(calibration.agree)} agreement with {share(calibration.confidence)} confidence"


def cautions(summary: CalibrationSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def _caution(caution: Caution, summary: CalibrationSummary) -> tuple[str, ...]:
    fitted, n = summary.calibration, summary.n_fit + summary.n_test
    if caution.kind is CautionKind.NOTHING_CERTIFIED:
        return (
            f"{nothing_certified(fitted.agree, fitted.confidence).removeprefix('none: ')}:",
            "with this calibration every verdict is doubtful.",
        )
    if caution.kind is CautionKind.NOT_BETTER:
        return baseline_lines(caution, summary.cautions, summary.baselines, accuracy=summary.accuracy)
    return caution_lines(caution, Judged(noun="pair", results="verdicts", n_items=n, n_open=0))
