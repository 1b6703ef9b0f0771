"""How verdicts agree with labels, from tables of counts.

A table has the shape (..., 3, 3): rows the label, columns the verdict, each A, tie, B. Every measure takes
many tables at once and returns the shape (...), NaN where it is not defined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.agreement.matched import AXIS, Matched
from judgecli.analysis.by_unit import resampled_by_unit, share_by_unit, with_interval
from judgecli.types import Agreement, ClassScores, Estimate

Array = NDArray[np.float64]

NO_ITEMS = "no items with a label and a verdict"
NO_CHANCE = "labels and verdicts are all of one class"
NO_DECIDED = "no item decided by both label and verdict"
_DISTANCES = np.abs(np.subtract.outer(np.arange(3), np.arange(3))).astype(np.float64)


def accuracy(tables: Array) -> Array:
    """Return the share on the diagonal; NaN for an empty table."""
    return _ratio(_hits(tables).sum(axis=-1), tables.sum(axis=(-2, -1)))


def precision(tables: Array) -> Array:
    """Return the macro precision over the classes that occur in the labels; one never judged has 0 there."""
    return _macro(tables, _ratio(_hits(tables), tables.sum(axis=-2), otherwise=0.0))


def recall(tables: Array) -> Array:
    """Return the macro recall over the classes that occur in the labels."""
    return _macro(tables, _ratio(_hits(tables), tables.sum(axis=-1), otherwise=0.0))


def f1(tables: Array) -> Array:
    """Return the macro F1 over the classes that occur in the labels: the mean of theirs."""
    return _macro(tables, _class_f1(tables))


def kappa(tables: Array) -> Array:
    """Return Cohen's kappa, (po - pe) / (1 - pe); NaN where pe is 1.

    Source: Cohen, Educational and Psychological Measurement 20 (1960) 37-46.
    """
    return _weighted(tables, 1 - np.eye(3))


def weighted_kappa(tables: Array) -> Array:
    """Return the linearly weighted kappa in the order A < tie < B: calling a win a tie is half an error.

    Source: Cohen, Psychological Bulletin 70 (1968) 213-220.
    """
    return _weighted(tables, _DISTANCES)


def decided(tables: Array) -> Array:
    """Return the accuracy over items where neither label nor verdict is a tie; NaN without any."""
    return accuracy(tables[..., ::2, ::2])


def agreement_of_items(matched: Matched) -> Agreement:
    """Return how the verdicts of these items agree with their labels, with intervals by unit.

    For n = 0 every value is None.
    """
    units, n = matched.units, len(matched.ids)
    cells = matched.cells
    table = cells.sum(axis=0).reshape(3, 3)
    resampled = resampled_by_unit(cells, units).reshape(-1, 3, 3)

    def measured(name: str, measure: Callable[[Array], Array], method: str, absent: str) -> Estimate:
        value = float(measure(table))
        absent = absent if n else NO_ITEMS
        return with_interval(name, value, measure(resampled), units, n=n, method=method, absent=absent)

    macro = "mean over the classes that occur in the labels"
    return Agreement(
        n=n,
        table=tuple((int(a), int(tie), int(b)) for a, tie, b in table),
        accuracy=share_by_unit("accuracy", matched.is_right, units, absent=NO_ITEMS),
        precision=measured("precision", precision, macro, NO_ITEMS),
        recall=measured("recall", recall, macro, NO_ITEMS),
        f1=measured("f1", f1, macro, NO_ITEMS),
        kappa=measured("kappa", kappa, "Cohen's kappa", NO_CHANCE),
        weighted_kappa=measured("weighted_kappa", weighted_kappa, "linearly weighted kappa", NO_CHANCE),
        decided=_decided_share(matched),
        classes=tuple(_classes(table)),
    )


def mean_kappa(tables: Array) -> Array:
    """Return the mean kappa of several tables, shape (..., k, 3, 3), those without one left out."""
    kappas = kappa(tables)
    is_known = ~np.isnan(kappas)
    return _ratio(np.where(is_known, kappas, 0.0).sum(axis=-1), is_known.sum(axis=-1).astype(np.float64))


def _decided_share(matched: Matched) -> Estimate:
    both = matched.only(matched.both_decided)
    return share_by_unit("decided", both.is_right, both.units, absent=NO_DECIDED)


def _classes(table: Array) -> Iterator[ClassScores]:
    """Yield what is known of each class that occurs in the labels or verdicts."""
    scores = _class_f1(table)
    for k, winner in enumerate(AXIS):
        right, n_labelled, n_judged = table[k, k], table[k].sum(), table[:, k].sum()
        if n_labelled or n_judged:
            yield ClassScores(
                winner=winner,
                n_labelled=int(n_labelled),
                n_judged=int(n_judged),
                precision=float(right / n_judged) if n_judged else None,
                recall=float(right / n_labelled) if n_labelled else None,
                f1=float(scores[k]) if n_labelled else None,
            )


def _class_f1(tables: Array) -> Array:
    """Return the harmonic mean of precision and recall of each class, shape (..., 3)."""
    totals = tables.sum(axis=-1) + tables.sum(axis=-2)
    return _ratio(2 * _hits(tables), totals, otherwise=0.0)


def _macro(tables: Array, by_class: Array) -> Array:
    occurs = tables.sum(axis=-1) > 0
    return _ratio((by_class * occurs).sum(axis=-1), occurs.sum(axis=-1).astype(np.float64))


def _weighted(tables: Array, weights: Array) -> Array:
    """Return 1 minus the weighted disagreement over that of independent labels and verdicts."""
    n = tables.sum(axis=(-2, -1))
    by_chance = tables.sum(axis=-1)[..., :, None] * tables.sum(axis=-2)[..., None, :]
    observed = (tables * weights).sum(axis=(-2, -1)) * n
    return 1 - _ratio(observed, (by_chance * weights).sum(axis=(-2, -1)))


def _hits(tables: Array) -> Array:
    return np.diagonal(tables, axis1=-2, axis2=-1)


def _ratio(above: Array, below: Array, otherwise: float = np.nan) -> Array:
    below = np.asarray(below, dtype=np.float64)
    return np.asarray(np.divide(above, below, out=np.full(below.shape, otherwise), where=below > 0))
