"""The facts of a run of pairs, with stable names.

conclusion        candidate_better, baseline_better, no_difference_shown, no_verdicts
partial           true while pairs are not judged yet
baseline          A: {model, file, n_empty, n_thinking_only, n_cut_off, median_characters}
candidate         B: the same
counts            {pairs, judgments, verdicts, win, tie, loss, order_dependent, failed, open,
failures: {reason: n}, without_judge: {reason: n}}; wins are the candidate's,
order_dependent pairs are among the ties
estimates         {name: {name, value, low, high, n, p_value, method}}; shares of 1, intervals 95%.
Names: win_rate, worst_case, sign_test, sign_test_exact, consistency,
prefers_first, prefers_second, lean, hard_flips, position_effect,
soft_win_rate, mass, p_unopened, candidate_longer, length_correlation
position_table    3 x 3 counts, rows order AB, columns order BA, each A, tie, B; null with one order
by_reference      [{name, counts, estimates}], empty unless some pairs only have a reference
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgecli.types import Counts, Estimate, PairSummary, Split


def facts(summary: PairSummary) -> dict[str, Any]:
    """Return a run's facts by name."""
    return {
        "conclusion": summary.conclusion,
        "partial": summary.counts.n_open > 0,
        "baseline": asdict(summary.side_a),
        "candidate": asdict(summary.side_b),
        "counts": _counts(summary.counts),
        "estimates": _estimates(_all_estimates(summary)),
        "position_table": summary.position.table,
        "by_reference": [_split(part) for part in summary.by_reference],
    }


def _counts(counts: Counts) -> dict[str, Any]:
    return {
        "pairs": counts.n_pairs,
        "judgments": counts.n_judgments,
        "verdicts": counts.n_verdicts,
        "win": counts.n_win,
        "tie": counts.n_tie - counts.n_order_dependent,
        "loss": counts.n_loss,
        "order_dependent": counts.n_order_dependent,
        "failed": counts.n_failed,
        "open": counts.n_open,
        "failures": counts.failures,
        "without_judge": counts.without_judge,
    }


def _all_estimates(summary: PairSummary) -> list[Estimate]:
    seats = summary.position
    return [
        summary.win_rate,
        summary.worst_case,
        summary.sign_test,
        summary.sign_exact,
        seats.consistency,
        seats.prefers_first,
        seats.prefers_second,
        seats.lean,
        seats.hard_flips,
        seats.effect,
        summary.soft.win_rate,
        summary.soft.mass,
        summary.soft.p_unopened,
        summary.lengths.candidate_longer,
        summary.lengths.correlation,
    ]


def _estimates(estimates: list[Estimate]) -> dict[str, Any]:
    return {estimate.name: asdict(estimate) for estimate in estimates}


def _split(part: Split) -> dict[str, Any]:
    estimates = _estimates([part.win_rate, part.consistency])
    return {"name": part.name, "counts": _counts(part.counts), "estimates": estimates}
