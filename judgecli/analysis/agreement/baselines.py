"""Ways to judge that read nothing, and whether the judge is better than they are.

Each gives every item a correctness in [0, 1]; the judge's advantage is the mean of its own less that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from judgecli.analysis.agreement.confusion import NO_ITEMS
from judgecli.analysis.agreement.matched import AXIS, Matched
from judgecli.analysis.by_unit import difference_by_unit, mean_by_unit, share_by_unit
from judgecli.analysis.orders import first_shown, in_one_order
from judgecli.analysis.position import graded_alone
from judgecli.types import Baseline, BaselineKind, Item, RunRecord, Winner

Array = NDArray[np.float64]

# Above this share one class says it all, and always naming it is no way to judge.
MAX_MAJORITY = 0.95
_TIE = AXIS.index(Winner.TIE)


def baselines(record: RunRecord, matched: Matched) -> tuple[Baseline, ...]:
    """Return the baselines that can be drawn up for these items, each over the same items as the judge.

    "Longer wins" needs both answers of every item, "first seat" a prompt with two seats, and "majority class"
    that no class covers over 95% of the labels. None without items.
    """
    if not matched.ids:
        return ()
    items = {item.id: item for item in record.items}
    return tuple(_baseline(kind, right, matched) for kind, right in _correctness(record, matched, items))


def longer_of(items: Mapping[str, Item], ids: tuple[str, ...]) -> NDArray[np.intp] | None:
    """Return which answer of each item has more characters, a tie for equally many; None if one has not two.

    0 is A, 1 a tie, 2 B, shape (n,).
    """
    answers = [items[item_id].responses if item_id in items else () for item_id in ids]
    if any(len(one) != 2 for one in answers):
        return None
    longer = [int(np.sign(len(b.output) - len(a.output))) for a, b in answers]
    return np.array(longer, dtype=np.intp) + _TIE


def _correctness(
    record: RunRecord, matched: Matched, items: Mapping[str, Item]
) -> Iterator[tuple[BaselineKind, Array]]:
    labels = matched.labels
    longer = longer_of(items, matched.ids)
    if longer is not None:
        yield BaselineKind.LONGER, (labels == longer).astype(np.float64)
    if not graded_alone(record.header):
        yield BaselineKind.FIRST_SEAT, _first_seat(record, matched)
    counts = np.bincount(labels, minlength=len(AXIS))
    if counts.max() <= MAX_MAJORITY * len(labels):
        yield BaselineKind.MAJORITY, (labels == counts.argmax()).astype(np.float64)


def _first_seat(record: RunRecord, matched: Matched) -> Array:
    """Return how right it is to name the first seat: in both orders half of what is decided, and no tie."""
    labels = matched.labels
    if not in_one_order(record.header):
        return np.where(labels == _TIE, 0.0, 0.5)
    firsts = [AXIS.index(winner) for winner in first_shown(record, matched.ids)]
    return np.asarray(labels == np.array(firsts, dtype=np.intp), dtype=np.float64)


def _baseline(kind: BaselineKind, right: Array, matched: Matched) -> Baseline:
    units, differences = matched.units, matched.is_right - right
    if set(right.tolist()) <= {0.0, 1.0}:
        accuracy = share_by_unit("accuracy", right == 1, units, absent=NO_ITEMS)
    else:
        accuracy = mean_by_unit("accuracy", right, units, absent=NO_ITEMS)
    return Baseline(
        kind=kind,
        accuracy=accuracy,
        advantage=difference_by_unit("advantage", differences, units, absent=NO_ITEMS),
    )
