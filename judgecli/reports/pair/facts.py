"""The facts of a run of pairs, with stable names.

conclusion        candidate_better, baseline_better, no_difference_shown, no_verdicts, or not_compared where a
                  draw seated the answers
partial           true while pairs are not judged
baseline          A: {model, file, n_empty, n_thinking_only, n_cut_off, median_characters}
candidate         B: the same
counts            {pairs, judgments, verdicts, win, tie, loss, order_dependent, failed, open, cached,
                  failures: {reason: n}, without_judge: {reason: n}}; wins are the candidate's,
                  order_dependent pairs are among the ties; cached: judgments from the cache
estimates         {name: {name, value, low, high, n, p_value, method}}; shares of 1, intervals 95%.
                  Names: win_rate, worst_case, sign_test, sign_test_exact, consistency,
                  prefers_first, prefers_second, lean, hard_flips, position_effect,
                  soft_win_rate, mass, p_unopened, stronger_mass, stronger_p_unopened (of the judge that
                  doubtful pairs were handed to), candidate_longer, length_correlation
position_table    3 x 3 counts, rows order AB, columns order BA, each A, tie, B; null with one order
by_reference      [{name, counts, estimates}], empty unless some pairs only have a reference
by_category       {field, parts: [{name, counts, estimates}]}, by the values of a field of the metadata:
                  category, group or capability; field null and no parts without one that has 2 to 24 values
trust             which verdicts are trusted: {rule, first_judge, judge, escalated_open, escalated_failed,
                  temperature, threshold, agree, confidence, estimates: {trusted, doubtful, escalated,
                  changed, win_rate}}; judge is the stronger one, and threshold, agree and confidence a
                  calibration's guarantee, null where there is none; null where nothing is doubted; its
                  win_rate is over the first judge's trusted pairs alone
effort            [{judge, calls, prompt_tokens, completion_tokens, cost}], one a judge behind an endpoint
adjusted          by people's labels: {labels, labelled, lambda, estimates: {win_rate, by_people, corrected,
                  sensitivity, specificity}, reliability: [{confidence, right}], remarks}; null without labels
gate              what a gate decided and all that it rests on, as in `judgecli.types.Gate`, with decision
                  (pass, fail or inconclusive), sentence, threshold, theta, lower, upper and p_value; null
                  without one
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judgecli.reports.pair.gate import ruling
from judgecli.types import Adjusted, Counts, Effort, Estimate, Gate, PairSummary, Split, Trust


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
        "by_category": {
            "field": summary.category_field,
            "parts": [_split(part) for part in summary.by_category],
        },
        "trust": _trust(summary.trust) if summary.trust else None,
        "effort": [_effort(one) for one in summary.effort],
        "adjusted": _adjusted(summary.adjusted) if summary.adjusted else None,
        "gate": _gate(summary.gate) if summary.gate else None,
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
        "cached": counts.n_cached,
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
        summary.soft.stronger_mass,
        summary.soft.stronger_p_unopened,
        summary.lengths.candidate_longer,
        summary.lengths.correlation,
    ]


def _estimates(estimates: list[Estimate]) -> dict[str, Any]:
    return {estimate.name: asdict(estimate) for estimate in estimates}


def _split(part: Split) -> dict[str, Any]:
    estimates = _estimates([part.win_rate, part.consistency])
    return {"name": part.name, "counts": _counts(part.counts), "estimates": estimates}


def _trust(trust: Trust) -> dict[str, Any]:
    return {
        "rule": trust.rule,
        "first_judge": trust.first_judge,
        "judge": trust.judge,
        "escalated_open": trust.n_escalated_open,
        "escalated_failed": trust.n_escalated_failed,
        "temperature": trust.temperature,
        "threshold": trust.threshold,
        "agree": trust.agree,
        "confidence": trust.confidence,
        "estimates": {
            "trusted": asdict(trust.trusted),
            "doubtful": asdict(trust.doubtful),
            "escalated": asdict(trust.escalated),
            "changed": asdict(trust.changed),
            "win_rate": asdict(trust.win_rate),
        },
    }


def _gate(gate: Gate) -> dict[str, Any]:
    told = {name: getattr(gate, name) for name in ("threshold", "theta", "lower", "upper", "p_value")}
    return {**asdict(gate), **told, "sentence": ruling(gate).sentence}


def _effort(effort: Effort) -> dict[str, Any]:
    return {
        "judge": effort.judge,
        "calls": effort.n_calls,
        "prompt_tokens": effort.n_prompt_tokens,
        "completion_tokens": effort.n_completion_tokens,
        "cost": effort.cost,
    }


def _adjusted(adjusted: Adjusted) -> dict[str, Any]:
    return {
        "labels": adjusted.labels_file,
        "labelled": adjusted.n_labelled,
        "lambda": adjusted.tuning,
        "estimates": {
            "win_rate": asdict(adjusted.win_rate),
            "by_people": asdict(adjusted.by_people),
            "corrected": asdict(adjusted.corrected),
            "sensitivity": asdict(adjusted.sensitivity),
            "specificity": asdict(adjusted.specificity),
        },
        "reliability": [asdict(one) for one in adjusted.reliability],
        "remarks": adjusted.notes,
    }
