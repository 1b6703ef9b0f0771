"""The facts of a ranking, with stable names.

ranking           pairs or joint
partial           true while comparisons are not judged yet
models            [{letter, model, file, n_empty, n_thinking_only, n_cut_off, median_characters, rank,
                  rank_low, rank_high, p_first, estimates}], the best one first; rank_low to rank_high
                  hold 95% of the ranks in resamples of the items, p_first is the share of them in which
                  no model is ahead. Estimates of pairs: strength (Elo scale), win_rate; of joint: score,
                  mean_rank, best (share of items with the best score, ties shared)
counts            {items, compared, judgments, verdicts, failed, failed_judgments, open,
                  failures: {reason: n}, without_judge: {reason: n}}; compared counts an item once
                  for each two models, with joint once
meetings          [{letters, models, counts, estimates}] of each two models: win, loss and win_rate are
                  the second one's, consistency the judge's; [] with joint
estimates         {name: {name, value, low, high, n, p_value, method}}; intervals 95%. Names: mass,
                  p_unopened; of pairs consistency, prefers_first, prefers_second, lean, hard_flips,
                  position_effect; of joint seat_test
position_table    3 x 3 counts over all comparisons, rows the order of the letters, columns the other one,
                  each first model, tie, second model; null with joint, and where answers are graded alone
fit               {items, resamples, separated, separated_resamples, unbeaten, winless, groups}; null with
                  joint. groups are the letters of models that verdicts link: of two or more, ranks across
                  them mean nothing
rotations         in how many seats each answer was shown; null with pairs
seats             [{seat, estimates: {seat_mean, seat_effect}}]; [] with pairs
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from judgecli.reports.rank.names import names_of
from judgecli.types import (
    Estimate,
    Fit,
    JointStanding,
    PairsStanding,
    Position,
    RankCounts,
    RankSummary,
    SeatEffect,
    Split,
    Standing,
)


def facts(summary: RankSummary) -> dict[str, Any]:
    """Return a ranking's facts by name."""
    pairs, joint = summary.pairs, summary.joint
    names = names_of(summary)
    everywhere = [summary.mass, summary.p_unopened]
    own = _of_position(pairs.position) if pairs else [joint.seat_test] if joint else []
    return {
        "ranking": summary.ranking,
        "partial": summary.counts.n_open > 0,
        "models": [_model(one) for one in summary.standings],
        "counts": _counts(summary.counts),
        "meetings": [_meeting(one, names) for one in pairs.meetings] if pairs else [],
        "estimates": _estimates([*everywhere, *own]),
        "position_table": pairs.position.table if pairs else None,
        "fit": _fit(pairs.fit) if pairs else None,
        "rotations": joint.n_rotations if joint else None,
        "seats": [_seat(one) for one in joint.seats] if joint else [],
    }


def _model(one: Standing) -> dict[str, Any]:
    estimates = [one.merit]
    if isinstance(one, PairsStanding):
        estimates.append(one.win_rate)
    if isinstance(one, JointStanding):
        estimates += [one.mean_rank, one.best]
    places = {"rank": one.rank, "rank_low": one.rank_low, "rank_high": one.rank_high, "p_first": one.p_first}
    return {"letter": one.letter, **asdict(one.side), **places, "estimates": _estimates(estimates)}


def _counts(counts: RankCounts) -> dict[str, Any]:
    return {
        "items": counts.n_items,
        "compared": counts.n_compared,
        "judgments": counts.n_judgments,
        "verdicts": counts.n_verdicts,
        "failed": counts.n_failed,
        "failed_judgments": counts.n_failed_judgments,
        "open": counts.n_open,
        "failures": counts.failures,
        "without_judge": counts.without_judge,
    }


def _meeting(one: Split, names: dict[str, str]) -> dict[str, Any]:
    counts = {
        "verdicts": one.counts.n_verdicts,
        "win": one.counts.n_win,
        "tie": one.counts.n_tie - one.counts.n_order_dependent,
        "loss": one.counts.n_loss,
        "order_dependent": one.counts.n_order_dependent,
        "failed": one.counts.n_failed,
        "open": one.counts.n_open,
    }
    return {
        "letters": one.name,
        "models": [names.get(letter, letter) for letter in one.name],
        "counts": counts,
        "estimates": _estimates([one.win_rate, one.consistency]),
    }


def _of_position(seats: Position) -> list[Estimate]:
    preferences = [seats.prefers_first, seats.prefers_second, seats.lean]
    return [seats.consistency, *preferences, seats.hard_flips, seats.effect]


def _fit(fit: Fit) -> dict[str, Any]:
    return {
        "items": fit.n_items,
        "resamples": fit.n_resamples,
        "separated": fit.is_separated,
        "separated_resamples": fit.n_separated,
        "unbeaten": fit.unbeaten,
        "winless": fit.winless,
        "groups": fit.groups,
    }


def _seat(one: SeatEffect) -> dict[str, Any]:
    return {"seat": one.seat, "estimates": _estimates([one.mean, one.effect])}


def _estimates(estimates: Iterable[Estimate]) -> dict[str, Any]:
    return {estimate.name: asdict(estimate) for estimate in estimates}
