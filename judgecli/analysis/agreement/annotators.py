"""How far annotators agree among themselves, and with the judge as one more of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.agreement.confusion import NO_CHANCE, mean_kappa
from judgecli.analysis.agreement.krippendorff import NO_PAIRS, alpha_interval, alpha_nominal
from judgecli.analysis.agreement.matched import AXIS
from judgecli.analysis.by_unit import Units, resampled_by_unit, with_interval
from judgecli.types import Annotators, Estimate, Labels, Winner

Array = NDArray[np.float64]

MAX_PAIRS = 66  # of annotators, up to which their mean kappa is resampled: a table a pair
_METHOD = "mean of Cohen's kappa over every two annotators"


def annotators_of_winners(
    labels: Labels, judged: Mapping[str, Winner | None], units: Mapping[str, str], group: str | None
) -> Annotators:
    """Return how annotators agree on the items of `judged`, the judge's verdicts; None where it failed."""
    own = [_codes(labels.by_item[item_id].winners, labels.annotators) for item_id in judged]
    ratings = np.array(own, dtype=np.float64).reshape(len(judged), len(labels.annotators))
    judge = np.array([_code(winner) for winner in judged.values()], dtype=np.float64)
    if len(labels.annotators) < 2:
        return _alone(labels)
    drawn = Units.of([units[item_id] for item_id in judged], group)
    n_classes, with_judge = len(AXIS), np.column_stack([ratings, judge])
    return Annotators(
        n=len(labels.annotators),
        kappa=_kappa(ratings, drawn),
        alpha=alpha_nominal("alpha", ratings, drawn, n_classes=n_classes),
        alpha_with_judge=alpha_nominal("alpha_with_judge", with_judge, drawn, n_classes=n_classes),
    )


def annotators_of_scores(
    labels: Labels, judged: Mapping[str, float | None], units: Mapping[str, str], group: str | None
) -> Annotators:
    """Return how annotators' scores agree on the items of `judged`; the judge's is None where it failed."""
    names = labels.annotators
    own = [[labels.by_item[item_id].scores.get(name, np.nan) for name in names] for item_id in judged]
    ratings = np.array(own, dtype=np.float64).reshape(len(judged), len(names))
    judge = np.array([np.nan if score is None else score for score in judged.values()], dtype=np.float64)
    if len(names) < 2:
        return _alone(labels)
    drawn = Units.of([units[item_id] for item_id in judged], group)
    return Annotators(
        n=len(names),
        kappa=Estimate(name="kappa", value=None, n=0, method="scores, not classes"),
        alpha=alpha_interval("alpha", ratings, drawn),
        alpha_with_judge=alpha_interval("alpha_with_judge", np.column_stack([ratings, judge]), drawn),
    )


def _alone(labels: Labels) -> Annotators:
    kappa, alpha, with_judge = (
        Estimate(name=name, value=None, n=0, method="fewer than two annotators")
        for name in ("kappa", "alpha", "alpha_with_judge")
    )
    return Annotators(n=len(labels.annotators), kappa=kappa, alpha=alpha, alpha_with_judge=with_judge)


def _kappa(ratings: Array, units: Units) -> Estimate:
    """Return the mean of Cohen's kappa over every two annotators, each over the items that both rated."""
    pairs = list(combinations(ratings.T, 2))
    value = float(mean_kappa(np.stack([_cells(*pair).sum(axis=0).reshape(3, 3) for pair in pairs])))
    n = int((np.isfinite(ratings).sum(axis=1) > 1).sum())
    if np.isnan(value):
        return Estimate(name="kappa", value=None, n=n, method=NO_CHANCE if n else NO_PAIRS)
    if len(pairs) > MAX_PAIRS:
        method = f"{_METHOD}; too many annotators for an interval"
        return Estimate(name="kappa", value=value, n=n, method=method)
    rows = np.concatenate([_cells(*pair) for pair in pairs], axis=1)
    resampled = mean_kappa(resampled_by_unit(rows, units).reshape(-1, len(pairs), 3, 3))
    return with_interval("kappa", value, resampled, units, n=n, method=_METHOD, absent=NO_CHANCE)


def _cells(first: Array, second: Array) -> Array:
    """Return each item's 3 x 3 table of two annotators, row by row, shape (n, 9); 0 where one is missing."""
    cells = np.zeros((len(first), 9))
    both = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    cells[both, (first[both] * 3 + second[both]).astype(np.intp)] = 1.0
    return cells


def _codes(winners: Mapping[str, Winner], names: Sequence[str]) -> list[float]:
    return [_code(winners.get(name)) for name in names]


def _code(winner: Winner | None) -> float:
    return np.nan if winner is None else float(AXIS.index(winner))
