"""The facts of an alternative annotator test, with stable names.

labels            the file
passes            whether omega is 0.5 or more; null where the test cannot be made
epsilon           how much worse than an annotator the judge may be, for costing less
q                 false discovery rate of the tests (Benjamini-Yekutieli)
items             how many items have a verdict and labels
group, groups     the field that makes one unit of several items, and how many units; null by item
tests             [{annotator, n, advantage, human_advantage, p_value, adjusted_p_value, rejected, reason}];
                  advantage is the share of n items, or its mean over n groups, on which the judge agrees
                  with the other annotators as well as this one or better, human_advantage the other way
                  round; adjusted_p_value allows for the number of annotators; rejected: the judge is shown
                  to hold against this one; reason says why there is no test where p_value is null
estimates         {omega, rho}: the share of annotators against whom it is shown to hold, and the mean
                  advantage; each {name, value, low, high, n, p_value, method}
remarks           what was noted on the labels
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgecli.types import ValidationSummary


def facts(summary: ValidationSummary) -> dict[str, Any]:
    """Return a test's facts by name."""
    return {
        "labels": summary.labels_file,
        "passes": summary.passes,
        "epsilon": summary.epsilon,
        "q": summary.q,
        "items": summary.n_items,
        "group": summary.group,
        "groups": summary.n_groups,
        "tests": [asdict(test) for test in summary.tests],
        "estimates": {"omega": asdict(summary.omega), "rho": asdict(summary.rho)},
        "remarks": summary.notes,
    }
