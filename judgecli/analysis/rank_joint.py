"""A ranking from scores that were given to all answers in one prompt, over the rotations of the seats.

Of fewer rotations than seats, each item may have its own, one after the other. An item counts where every
rotation that was asked for was read: with one missing, some answers would have sat
in a good seat more often than others. A failed rotation therefore fails its item.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.counts import ordered_counts
from judgecli.analysis.intervals import t_interval
from judgecli.analysis.lengths import mean_ranks
from judgecli.analysis.resampling import Places, places, resampled_sums, with_percentiles
from judgecli.analysis.scales import read_scale
from judgecli.analysis.seats import seat_effects
from judgecli.types import (
    LETTERS,
    DecidedBy,
    Estimate,
    Failure,
    Item,
    JointResult,
    JointStanding,
    Judgment,
    Order,
    RankCounts,
    RunRecord,
    Scale,
    Side,
    rotations,
)

Array = NDArray[np.float64]

_NO_SCORES = "no scores"


def n_rotations(record: RunRecord, n_models: int) -> int:
    """Return in how many seats each answer was to be shown; all of them where the header does not say."""
    asked = record.header.get("rotations")
    return asked if type(asked) is int and 1 <= asked <= n_models else n_models


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of an item: its scores by rotation and model, a failure, a rule, or nothing yet.

    `first` is the number of the first rotation it was judged in.
    """

    scores: Array | None = None
    first: int = 0
    failure: Failure | None = None
    rule: DecidedBy | None = None

    @property
    def is_open(self) -> bool:
        return self.scores is None and self.failure is None and self.rule is None

    @property
    def by_first_seat(self) -> Array | None:
        """The scores with the models in the order of the seats of the first rotation."""
        return None if self.scores is None else np.roll(self.scores, -self.first, axis=1)


def joint_counts(record: RunRecord, n_models: int) -> RankCounts:
    """Count items: each is one comparison of all models."""
    outcomes = _outcomes(record, n_models)
    n_open = sum(one.is_open for one in outcomes)
    return RankCounts(
        n_items=len(record.items) + record.n_missing,
        n_compared=len(record.items) + record.n_missing,
        n_judgments=len(record.judgments),
        n_open=n_open + record.n_missing,
        n_failed_judgments=sum(one.failure is not None for one in record.judgments.values()),
        failures=ordered_counts(one.failure for one in outcomes if one.failure is not None),
        without_judge=ordered_counts(one.rule for one in outcomes if one.rule is not None),
    )


def joint_result(record: RunRecord, sides: Sequence[Side]) -> JointResult:
    """Return what the scores of a ranking say about the models, and about the seats."""
    m = len(sides)
    n_seats = n_rotations(record, m)
    outcomes = _outcomes(record, m)
    scores = _stacked((one.scores for one in outcomes), n_seats, m)
    seated = _stacked((one.by_first_seat for one in outcomes), n_seats, m)
    n_ruled = sum(one.rule is not None for one in outcomes)
    seats, test = seat_effects(seated)
    scale = read_scale(record.header)
    return JointResult(
        standings=_standings(scores.mean(axis=1), n_ruled, sides, scale),
        n_rotations=n_seats,
        seats=tuple(replace(seat, mean=_on(scale, seat.mean)) for seat in seats),
        seat_test=test,
    )


def _stacked(scores: Iterable[Array | None], n_rotations: int, n_models: int) -> Array:
    """Return the scores of the items that have some, shape (items, rotations, models)."""
    read = [one for one in scores if one is not None]
    return np.stack(read) if read else np.zeros((0, n_rotations, n_models))


def _outcomes(record: RunRecord, n_models: int) -> list[_Outcome]:
    if n_models == 0:
        return []
    orders, n_asked = rotations(n_models, n_models), n_rotations(record, n_models)
    return [_outcome(record, item, orders, n_asked) for item in record.items]


def _outcome(record: RunRecord, item: Item, orders: Sequence[Order], n_asked: int) -> _Outcome:
    """Return what became of an item that was to be judged in `n_asked` of all orders, one after the other."""
    rule = record.decided.get((item.id, orders[0]))
    if rule is not None:
        return _Outcome(rule=rule)
    found = [record.judgments.get((item.id, order)) for order in orders]
    failed = next((one.failure for one in found if one is not None and one.failure is not None), None)
    if failed is not None:
        return _Outcome(failure=failed)
    for first in range(len(orders)):
        around = [*found[first:], *found[:first]][:n_asked]
        read = [one for one in around if one is not None and set(orders[0]) <= one.scores.keys()]
        if len(read) == n_asked:
            return _Outcome(scores=np.array([_by_letter(one, orders[0]) for one in read]), first=first)
    return _Outcome()


def _by_letter(judgment: Judgment, letters: Order) -> list[float]:
    return [judgment.scores[letter] for letter in letters]


def _standings(
    scores: Array, n_ruled: int, sides: Sequence[Side], scale: Scale | None
) -> tuple[JointStanding, ...]:
    """Return the models by their mean scores; `scores` are means over rotations, shape (items, models).

    Items that a rule decided, whose answers are all alike, have no scores: there every model has the middle
    rank, and an equal share in the best.
    """
    n, m = scores.shape
    scores = scores.round(9)  # means of the same scores in another order are equal
    item_ranks = np.array([mean_ranks(-row) for row in scores] + [np.full(m, (m + 1) / 2)] * n_ruled)
    is_best = scores == scores.max(axis=1, keepdims=True, initial=-np.inf)
    shares = np.concatenate([is_best / is_best.sum(axis=1, keepdims=True), np.full((n_ruled, m), 1 / m)])
    drawn_shares = resampled_sums(shares) / max(len(shares), 1)
    found = places(scores.mean(axis=0), resampled_sums(scores) / n) if n else None
    standings = [
        _standing(
            sides[k],
            k,
            found,
            _on(scale, _mean("score", scores[:, k])),
            _within(1, m, _mean("mean_rank", item_ranks[:, k] if len(item_ranks) else scores[:, k])),
            _best(shares[:, k], drawn_shares[:, k]),
            int((shares[:, k] == 1).sum()),
        )
        for k in range(m)
    ]
    return tuple(sorted(standings, key=lambda one: -(one.merit.value or 0.0)))


def _standing(
    side: Side,
    k: int,
    found: Places | None,
    merit: Estimate,
    mean_rank: Estimate,
    best: Estimate,
    n_best: int,
) -> JointStanding:
    has_interval = found is not None and merit.n > 1 and bool(found.is_known[k])
    return JointStanding(
        letter=LETTERS[k],
        side=side,
        merit=merit,
        mean_rank=mean_rank,
        best=best,
        n_best=n_best,
        rank=None if found is None else int(found.rank[k]),
        rank_low=int(found.low[k]) if found is not None and has_interval else None,
        rank_high=int(found.high[k]) if found is not None and has_interval else None,
        p_first=float(found.p_first[k]) if found is not None and has_interval else None,
    )


def _mean(name: str, values: Array) -> Estimate:
    if not values.size:
        return Estimate(name=name, value=None, n=0, method=_NO_SCORES)
    value, interval = float(values.mean()), t_interval([float(value) for value in values])
    low, high = interval or (None, None)
    method = "mean over items, t interval, 95%" if interval else "mean, no spread to judge it by"
    return Estimate(name=name, value=value, low=low, high=high, n=values.size, method=method)


def _on(scale: Scale | None, mean: Estimate) -> Estimate:
    return _within(scale.low, scale.high, mean) if scale else mean


def _within(low: float, high: float, mean: Estimate) -> Estimate:
    """Return the mean with its interval cut off at the ends of what it can be."""
    if mean.low is None or mean.high is None:
        return mean
    return replace(mean, low=max(float(low), mean.low), high=min(float(high), mean.high))


def _best(shares: Array, resampled: Array) -> Estimate:
    if not shares.size:
        return Estimate(name="best", value=None, n=0, method=_NO_SCORES)
    method = "share of items with the best score, ties shared"
    return with_percentiles("best", float(shares.mean()), resampled, n=shares.size, method=method)
