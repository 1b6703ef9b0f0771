"""Agreement order by order: what a run in one order would have shown, and what both say together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from judgecli.analysis.agreement.confusion import NO_ITEMS, agreement_of_items
from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.by_unit import mean_by_unit, share_by_unit
from judgecli.types import BOTH_ORDERS, ByOrder, DecidedBy, Order, RunRecord, Verdict, Winner


def by_order(record: RunRecord, matched: Matched, verdicts: Mapping[str, Verdict]) -> ByOrder | None:
    """Return the agreement of each order over the items that the judge read in both; None without any.

    Each judgment is the run's own judge's, whoever gave the verdict.
    """
    read = {order: _winners(record, order) for order in BOTH_ORDERS}
    judged = {item_id for item_id in matched.ids if verdicts[item_id].decided_by is DecidedBy.JUDGE}
    in_both = matched.among(judged & read[Order.AB].keys() & read[Order.BA].keys())
    if not in_both.ids:
        return None
    orders = {order: in_both.judged_as(winners) for order, winners in read.items()}
    ab, ba = (one.is_right for one in orders.values())
    units = in_both.units
    return ByOrder(
        orders={order: agreement_of_items(one) for order, one in orders.items()},
        mean=mean_by_unit("mean_of_orders", (ab + ba.astype(np.float64)) / 2, units, absent=NO_ITEMS),
        both_right=share_by_unit("both_right", ab & ba, units, absent=NO_ITEMS),
    )


def _winners(record: RunRecord, order: Order) -> dict[str, Winner]:
    return {
        item_id: Winner(judgment.winner)
        for (item_id, known), judgment in record.judgments.items()
        if known == order and judgment.winner is not None
    }
