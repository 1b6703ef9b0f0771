"""A ranking from verdicts on pairs of models: strengths, win rates, who met whom, and the judge's seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.bradley_terry import (
    elo_scale,
    is_bounded,
    log_strengths,
    met_groups,
    with_virtual_ties,
)
from judgecli.analysis.counts import count, ordered_counts
from judgecli.analysis.observed_pairs import observe
from judgecli.analysis.position import position, position_of
from judgecli.analysis.resampling import N_RESAMPLES, Places, places, resampled_sums, with_percentiles
from judgecli.analysis.winrate import win_rate
from judgecli.types import (
    LETTERS,
    DecidedBy,
    Estimate,
    Fit,
    Order,
    PairsResult,
    PairsStanding,
    Position,
    RankCounts,
    RunRecord,
    Side,
    Split,
)

Array = NDArray[np.float64]

_NO_VERDICTS = "no verdicts"
# Which of two answers is empty means nothing where there are more.
_RULES = {DecidedBy.EMPTY_A: DecidedBy.EMPTY, DecidedBy.EMPTY_B: DecidedBy.EMPTY}
# Of a 3 x 3 table of verdicts in both orders, row by row: what each cell counts for.
_SEATS = {
    "consistency": (1, 0, 0, 0, 1, 0, 0, 0, 1),
    "prefers_first": (0, 1, 1, 0, 0, 1, 0, 0, 0),
    "prefers_second": (0, 0, 0, 1, 0, 0, 1, 1, 0),
    "lean": (0, 1, 1, -1, 0, 1, -1, -1, 0),
    "hard_flips": (0, 0, 1, 0, 0, 0, 1, 0, 0),
}


def pairs_counts(record: RunRecord) -> RankCounts:
    """Count comparisons: an item once for each two models."""
    meetings = record.comparisons.values()
    counted = [count(one, one.verdicts, n_missing=one.n_missing) for one in meetings]
    verdicts = [verdict for one in meetings for verdict in one.verdicts]
    ruled = (one.decided_by for one in verdicts if one.decided_by is not DecidedBy.JUDGE)
    return RankCounts(
        n_items=len(record.items) + record.n_missing,
        n_compared=sum(one.n_pairs for one in counted),
        n_judgments=len(record.judgments),
        n_open=sum(one.n_open for one in counted),
        n_failed_judgments=sum(one.failure is not None for one in record.judgments.values()),
        failures=ordered_counts(one.failure for one in verdicts if one.failure is not None),
        without_judge=ordered_counts(_RULES.get(rule, rule) for rule in ruled),
    )


def pairs_result(record: RunRecord, sides: Sequence[Side]) -> PairsResult:
    """Return what the verdicts of a ranking say about the models, and about the judge."""
    observed = observe(record, len(sides))
    resampled, tables = observed.unflat(resampled_sums(observed.flat))
    points, n = observed.points.sum(axis=0), observed.n_items
    return PairsResult(
        standings=_standings(points, resampled, sides, n),
        meetings=tuple(_meeting(letters, one) for letters, one in record.comparisons.items()),
        position=_position(record, observed.tables.sum(axis=0), tables, n),
        fit=_fit(points, resampled, n),
    )


def _meeting(letters: Order, compared: RunRecord) -> Split:
    counts = count(compared, compared.verdicts, n_missing=compared.n_missing)
    consistency = position(compared, compared.verdicts).consistency
    return Split(name=letters, counts=counts, win_rate=win_rate(counts), consistency=consistency)


def _fit(points: Array, resampled: Array, n: int) -> Fit:
    rated = _rated(points)
    letters = [LETTERS[k] for k in rated]
    table = _among(points, rated)
    return Fit(
        n_items=n,
        n_resamples=N_RESAMPLES,
        is_separated=bool(rated.size and not is_bounded(table)),
        n_separated=int((~is_bounded(_among(resampled, rated))).sum()) if rated.size else 0,
        unbeaten=tuple(k for k, lost in zip(letters, table.sum(axis=0), strict=True) if lost == 0),
        winless=tuple(k for k, won in zip(letters, table.sum(axis=1), strict=True) if won == 0),
        groups=tuple("".join(letters[row] for row in group) for group in met_groups(table)),
    )


def _standings(points: Array, resampled: Array, sides: Sequence[Side], n: int) -> tuple[PairsStanding, ...]:
    """Return the models with verdicts by their strengths, and after them those without."""
    rated = _rated(points)
    unrated = [k for k in range(len(sides)) if k not in rated]
    last = tuple(_without_verdicts(LETTERS[k], sides[k]) for k in unrated)
    if not rated.size:
        return last
    merits, drawn = _strengths(_among(points, rated), _among(resampled, rated))
    found = places(merits, drawn)
    rates, drawn_rates = _win_rates(points)[rated], _win_rates(resampled)[:, rated]
    standings = [
        _standing(
            LETTERS[k],
            sides[k],
            found,
            row,
            with_percentiles("strength", float(merits[row]), drawn[:, row], n=n, method=_STRENGTH),
            with_percentiles("win_rate", float(rates[row]), drawn_rates[:, row], n=n, method=_RATE),
        )
        for row, k in enumerate(rated)
    ]
    return (*sorted(standings, key=lambda one: -(one.merit.value or 0.0)), *last)


_STRENGTH = "Bradley-Terry, ties half wins, Elo scale around 1000"
_RATE = "ties half a win"


def _standing(
    letter: str, side: Side, found: Places, row: int, merit: Estimate, rate: Estimate
) -> PairsStanding:
    has_interval = merit.n > 1 and bool(found.is_known[row])
    return PairsStanding(
        letter=letter,
        side=side,
        merit=merit,
        win_rate=rate,
        rank=int(found.rank[row]),
        rank_low=int(found.low[row]) if has_interval else None,
        rank_high=int(found.high[row]) if has_interval else None,
        p_first=float(found.p_first[row]) if has_interval else None,
    )


def _without_verdicts(letter: str, side: Side) -> PairsStanding:
    merit = Estimate(name="strength", value=None, n=0, method=_NO_VERDICTS)
    rate = Estimate(name="win_rate", value=None, n=0, method=_NO_VERDICTS)
    return PairsStanding(letter=letter, side=side, merit=merit, win_rate=rate)


def _rated(points: Array) -> NDArray[np.intp]:
    """Return the indexes of the models that met another one."""
    return np.flatnonzero((points + points.T).sum(axis=1))


def _among(points: Array, rated: NDArray[np.intp]) -> Array:
    return np.asarray(points[..., rated[:, None], rated])


def _strengths(points: Array, resampled: Array) -> tuple[Array, Array]:
    """Return strengths on the Elo scale of all items, shape (m,), and of resamples, shape (b, m)."""
    is_separated = ~is_bounded(points)
    everywhere = ~is_bounded(resampled) | is_separated
    strengths = log_strengths(with_virtual_ties(points, is_separated))
    return elo_scale(strengths), elo_scale(log_strengths(with_virtual_ties(resampled, everywhere)))


def _win_rates(points: Array) -> Array:
    """Return points won by each model out of those it played for, shape (..., m); NaN for none."""
    won, lost = points.sum(axis=-1), points.sum(axis=-2)
    played = won + lost
    return np.asarray(np.divide(won, played, out=np.full_like(won, np.nan), where=played > 0))


def _position(record: RunRecord, table: Array, resampled: Array, n: int) -> Position:
    """Return the statistics of the seats over all comparisons, with intervals by item.

    Comparisons of one item share answers, so that the intervals of independent pairs would be too narrow.
    """
    if not table.any():
        return position(record, ())
    rows = [tuple(int(cell) for cell in row) for row in table.reshape(3, 3)]
    seats = position_of(tuple((a, tie, b) for a, tie, b in rows), absent=_NO_VERDICTS)
    totals = resampled.sum(axis=1)
    totals[totals == 0] = np.nan

    def by_item(name: str, method: str = "share of comparisons") -> Estimate:
        cells = np.array(_SEATS[name])
        value = float(table @ cells / table.sum())
        return with_percentiles(name, value, np.asarray(resampled @ cells / totals), n=n, method=method)

    return replace(
        seats,
        consistency=by_item("consistency"),
        prefers_first=by_item("prefers_first"),
        prefers_second=by_item("prefers_second"),
        lean=by_item("lean", "first minus second seat"),
        hard_flips=by_item("hard_flips"),
    )
