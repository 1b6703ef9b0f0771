"""Lengths of the answers in characters, and whether verdicts go with them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from judgecli.analysis.intervals import share
from judgecli.types import DecidedBy, Estimate, Item, Lengths, RunRecord, Verdict, Winner

# Below this the t approximation of the p-value is not worth printing.
_MIN_FOR_P = 10

_POINTS = {Winner.A: 0.0, Winner.TIE: 0.5, Winner.B: 1.0}


def lengths(record: RunRecord) -> Lengths:
    """Return how often the candidate is longer, and how verdicts go with the difference."""
    longer = sum(_difference(pair) > 0 for pair in record.items)
    return Lengths(
        candidate_longer=share("candidate_longer", longer, len(record.items), absent="no pairs"),
        correlation=length_correlation(record.items, record.verdicts),
    )


def length_correlation(pairs: Sequence[Item], verdicts: Sequence[Verdict]) -> Estimate:
    """Return Spearman's rho of the verdict (loss 0, tie 1/2, win 1) against B's extra characters.

    Over pairs the judge decided. It is a diagnostic: a longer answer may be the better one. None
    for fewer than three pairs and where either side does not vary.
    """
    by_id = {pair.id: pair for pair in pairs}
    rows = [
        (_POINTS[verdict.winner], _difference(by_id[verdict.item_id]))
        for verdict in verdicts
        if verdict.winner and verdict.decided_by is DecidedBy.JUDGE and verdict.item_id in by_id
    ]
    n = len(rows)
    rho = spearman([row[0] for row in rows], [row[1] for row in rows])
    if rho is None:
        method = "fewer than three judged pairs" if n < 3 else "verdicts or lengths do not vary"
        return Estimate(name="length_correlation", value=None, n=n, method=method)
    p_value = correlation_p(rho, n) if n >= _MIN_FOR_P else None
    return Estimate(name="length_correlation", value=rho, n=n, p_value=p_value, method="Spearman's rho")


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return the correlation of ranks, ties given their mean rank; None where it is not defined."""
    if len(x) < 3 or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    rho = float(np.corrcoef(mean_ranks(x), mean_ranks(y))[0, 1])
    return min(1.0, max(-1.0, rho))


def correlation_p(rho: float, n: int) -> float:
    """Return the two-sided p-value of a rank correlation, by Student's t with n - 2 degrees."""
    if abs(rho) == 1:
        return 0.0
    t = rho * sqrt((n - 2) / (1 - rho * rho))
    return 2 * float(stdtr(n - 2, -abs(t)))


def mean_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return ranks from 1, equal values sharing the mean of theirs; shape as `values`, (n,)."""
    _, inverse, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ranks[inverse], dtype=np.float64)


def _difference(pair: Item) -> int:
    return len(pair.response_b.output) - len(pair.response_a.output)
