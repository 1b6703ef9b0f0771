"""The facts of fitting a calibration, with stable names.

labels            the file
calibration       {temperature, threshold, agree, confidence, judge}, as in the calibration file; threshold
                  null where nothing is certified: every verdict is doubtful then
fitted            how many items the temperature was fitted on
tested            how many others everything below is about
group, left_out   the field of which one item a value was taken, and how many others were left out
before, after     {n, brier, nll, ece} without and with the temperature, less is better; ece null under 300
steps             [{threshold, n, k, bound, passed}], from the highest: k of n items are wrong, bound on the
                  share of errors
estimates         {coverage, agreement}: the share of items at the threshold or above, and how many of those
                  agree with people; each {name, value, low, high, n, p_value, method}
accuracy          how many of all these verdicts agree with people, an estimate
baselines         [{kind, accuracy, advantage}], ways to judge that read nothing, over the same items;
                  advantage is the judge's accuracy less the baseline's
remarks           what was noted on the labels
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgecli.types import CalibrationSummary


def facts(summary: CalibrationSummary) -> dict[str, Any]:
    """Return a fit's facts by name."""
    return {
        "labels": summary.labels_file,
        "calibration": asdict(summary.calibration),
        "fitted": summary.n_fit,
        "tested": summary.n_test,
        "group": summary.group,
        "left_out": summary.n_left_out,
        "before": asdict(summary.before),
        "after": asdict(summary.after),
        "steps": [asdict(step) for step in summary.steps],
        "estimates": {"coverage": asdict(summary.coverage), "agreement": asdict(summary.agreement)},
        "accuracy": asdict(summary.accuracy) if summary.accuracy else None,
        "baselines": [asdict(one) for one in summary.baselines],
        "remarks": summary.notes,
    }
