"""The facts of a run that grades, with stable names.

partial           true while answers are not judged yet
answers           {model, file, n_empty, n_thinking_only, n_cut_off, median_characters}
scale             {low, high, has_decimals, labels: {label: score}}, labels empty where scores are given;
null where the run file names none
counts            {answers, judgments, scores, graded, failed, open, failures: {reason: n},
without_judge: {reason: n}}; scores are the judge's (graded) and those that a rule gives
estimates         {name: {name, value, low, high, n, p_value, method}}; intervals 95%. Names:
mean_score, expected_score, median_score (null on a scale of labels);
label_share, label_probability (the best label's, shares of 1, null on a scale of scores);
at_lowest, at_highest, most_common (shares of the judge's scores);
mass, p_unopened, length_correlation
histogram         [{name, low, high, n, p}] from the lowest; n counts the judge's scores, a decimal with the
whole number below it; p is the mean of its probability for them, null without any
by_metadata       [{name, value, n_failed, result}], result an estimate; empty without a category, group or
capability that has 2 to 12 values
by_reference      the same, value with or without; empty unless some answers only have a reference

Empty answers get no score from the judge. By rule they count with the lowest one, in every mean, the median
and label_share, and not in the histogram.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgecli.types import Estimate, GradeCounts, GradeSummary


def facts(summary: GradeSummary) -> dict[str, Any]:
    """Return a run's facts by name."""
    return {
        "partial": summary.counts.n_open > 0,
        "answers": asdict(summary.side),
        "scale": None if summary.scale is None else asdict(summary.scale),
        "counts": _counts(summary.counts),
        "estimates": {estimate.name: asdict(estimate) for estimate in _all_estimates(summary)},
        "histogram": [asdict(one) for one in summary.histogram],
        "by_metadata": [asdict(part) for part in summary.by_metadata],
        "by_reference": [asdict(part) for part in summary.by_reference],
    }


def _counts(counts: GradeCounts) -> dict[str, Any]:
    return {
        "answers": counts.n_items,
        "judgments": counts.n_judgments,
        "scores": counts.n_scores,
        "graded": counts.n_graded,
        "failed": counts.n_failed,
        "open": counts.n_open,
        "failures": counts.failures,
        "without_judge": counts.without_judge,
    }


def _all_estimates(summary: GradeSummary) -> list[Estimate]:
    return [
        summary.mean,
        summary.expected,
        summary.median,
        summary.label_share,
        summary.label_probability,
        summary.at_lowest,
        summary.at_highest,
        summary.most_common,
        summary.mass,
        summary.p_unopened,
        summary.length_correlation,
    ]
