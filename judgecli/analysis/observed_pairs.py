"""What each item of a ranking by pairs says, as numbers to add up: points won, and tables of seats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.position import position_table
from judgecli.types import LETTERS, Order, RunRecord, Verdict, Winner

Array = NDArray[np.float64]

_POINTS = {Winner.A: (1.0, 0.0), Winner.TIE: (0.5, 0.5), Winner.B: (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class ObservedPairs:
    """Items with a verdict on any two of m models.

    `points[k, i, j]` is what model i won against j on item k, shape (n, m, m); `tables[k]` counts the
    verdicts of both orders as `position_table` does, row by row, shape (n, 9).
    """

    points: Array
    tables: Array

    @property
    def n_items(self) -> int:
        """How many they are."""
        return len(self.points)

    @property
    def flat(self) -> Array:
        """Both as columns of one table, shape (n, m * m + 9)."""
        return np.concatenate(
            [self.points.reshape(self.n_items, self.points.shape[1] ** 2), self.tables], axis=1
        )

    def unflat(self, sums: Array) -> tuple[Array, Array]:
        """Return points, shape (b, m, m), and tables, shape (b, 9), of rows made from `flat`."""
        m = self.points.shape[1]
        return sums[:, : m * m].reshape(-1, m, m), sums[:, m * m :]


def observe(record: RunRecord, n_models: int) -> ObservedPairs:
    """Return what the verdicts of a ranking say, item by item; failed and open ones say nothing."""
    rows = {item.id: row for row, item in enumerate(record.items)}
    points = np.zeros((len(rows), n_models, n_models))
    tables = np.zeros((len(rows), 9))
    for letters, compared in record.comparisons.items():
        for verdict in compared.verdicts:
            if verdict.winner is not None:
                _add(points[rows[verdict.item_id]], letters, verdict.winner)
                tables[rows[verdict.item_id]] += _table(compared, verdict)
    counts = points.any(axis=(1, 2))
    return ObservedPairs(points=points[counts], tables=tables[counts])


def _add(points: Array, letters: Order, winner: Winner) -> None:
    first, second = map(LETTERS.index, letters)
    points[first, second], points[second, first] = _POINTS[winner]


def _table(compared: RunRecord, verdict: Verdict) -> Array:
    return np.asarray(position_table(compared, (verdict,)), dtype=np.float64).reshape(-1)
