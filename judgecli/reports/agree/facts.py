"""The facts of an agreement, with stable names.

labels            {file, kind, source}; kind winners or scores
compared          {n, unit, n_units, n_unlabelled, n_undecided, n_without_verdict, n_not_in_run, n_failed,
                  failures: {reason: n}, no_interval}; intervals are drawn over n_units of unit, an item or
                  a field; no_interval says why there is none over so few groups, null where there can be
agreement         over items with a label and a verdict: {n, table, accuracy, precision, recall, f1, kappa,
                  weighted_kappa, decided, classes}; null for scores. table is 3 x 3 counts, rows the label,
                  columns the verdict, each A, tie, B; classes [{winner, n_labelled, n_judged, precision,
                  recall, f1}]; the others are estimates
failures_as_ties  the same, each failure a tie; leads_with_ties: whether the headline is of this
failures_wrong    the accuracy, each failure an error; both null without failures
by_order          {orders: {AB: agreement, BA: agreement}, mean, both_right}; null with one order
position          {consistency, prefers_first, prefers_second, lean, hard_flips, effect, table}, as of pairs
lengths           {judge_longer, labels_longer, when_longer_right, when_shorter_right}; null without answers
baselines         [{kind, accuracy, advantage}]; advantage is the judge's accuracy less the baseline's
scores            {pearson, spearman, kendall}; null for winners
annotators        {n, kappa, alpha, alpha_with_judge}
splits            {by, parts: [{name, agreement, before}]}, those of the most items first; by null and no
                  parts without --by
stages            [{name, agreement, before}], one a judge; before is the first judge's agreement there
rankings          [{kind, aurc, random}]; aurc is the area under the risk-coverage curve, less is better,
                  random that without any order
reliability       [{confidence, right}], the judge's verdicts in bins of a tenth by their confidence: its
                  mean, and the share that agrees with people; [] under 20 verdicts with a confidence
remarks           what was noted on the labels and the comparison

An estimate is {name, value, low, high, n, p_value, method}; shares of 1, intervals 95%.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from judgecli.types import AgreementSummary, NamedAgreement

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def facts(summary: AgreementSummary) -> dict[str, Any]:
    """Return an agreement's facts by name."""
    return {
        "labels": {"file": summary.labels_file, "kind": summary.kind, "source": summary.source},
        "compared": {**asdict(summary.compared), "n_failed": summary.compared.n_failed},
        "agreement": _if_any(summary.agreement),
        "failures_as_ties": _if_any(summary.failures_as_ties),
        "leads_with_ties": summary.leads_with_ties,
        "failures_wrong": _if_any(summary.failures_wrong),
        "by_order": _if_any(summary.by_order),
        "position": _if_any(summary.position),
        "lengths": _if_any(summary.lengths),
        "baselines": [asdict(one) for one in summary.baselines],
        "scores": _if_any(summary.scores),
        "annotators": asdict(summary.annotators),
        "splits": {"by": summary.splits_by, "parts": _parts(summary.splits)},
        "stages": _parts(summary.stages),
        "rankings": [asdict(one) for one in summary.rankings],
        "reliability": [asdict(one) for one in summary.reliability],
        "remarks": summary.notes,
    }


def _if_any(noun: DataclassInstance | None) -> dict[str, Any] | None:
    return None if noun is None else asdict(noun)


def _parts(parts: Sequence[NamedAgreement]) -> list[dict[str, Any]]:
    return [asdict(part) for part in parts]
