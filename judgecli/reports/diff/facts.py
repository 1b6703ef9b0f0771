"""The facts of the difference between two runs, with stable names.

runs              {first: {name, header}, second: {name}}; the second header is the report's own
same_judge        whether weights, prompt, orders and least mass are the same
same_answers      whether every item of both is the same in both: question, reference and answers
shared            {items, compared, only_first, only_second, n_only_first, n_only_second, n_both_failed,
                  n_open}; compared have a verdict in both; only_first and only_second are ids in one run
                  only; n_only_first have a verdict in the first run and a failure in the second,
                  n_only_second the reverse
table             3 x 3 counts, rows the first run, columns the second, each A, tie, B
estimates         {name: estimate} over the compared items: rate_first, rate_second, difference, agreement,
                  kappa
changed           [{id, before, after, same_question, same_a, same_b}], the items that came to something else
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from judgecli.reports.pairs import outcome
from judgecli.types import Change, DiffSummary


def facts(summary: DiffSummary) -> dict[str, Any]:
    """Return the facts of a difference by name; the second run's header is the report's own."""
    first, second = summary.names
    rates = (replace(summary.rate_first, name="rate_first"), replace(summary.rate_second, name="rate_second"))
    estimates = (*rates, summary.difference, summary.agreement, summary.kappa)
    return {
        "runs": {"first": {"name": first, "header": summary.first.header}, "second": {"name": second}},
        "same_judge": summary.same_judge,
        "same_answers": summary.same_answers,
        "shared": {
            "items": len(summary.changes),
            "compared": summary.n_compared,
            "only_first": summary.only_first,
            "only_second": summary.only_second,
            "n_only_first": summary.n_only_first,
            "n_only_second": summary.n_only_second,
            "n_both_failed": summary.n_both_failed,
            "n_open": summary.n_open,
        },
        "table": summary.table,
        "estimates": {estimate.name: asdict(estimate) for estimate in estimates},
        "changed": [_change(one) for one in summary.changes if one.has_other_verdict],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "id": change.first.id,
        "before": outcome(change.before),
        "after": outcome(change.after),
        "same_question": change.same_question,
        "same_a": change.same_a,
        "same_b": change.same_b,
    }
