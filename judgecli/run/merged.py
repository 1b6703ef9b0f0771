"""The verdicts of pairs, from what the items of a run file and one judge's judgments say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from judgecli.ledger import PlannedItem
from judgecli.types import Judgment, Order, Verdict
from judgecli.verdicts import merge_grades, merge_orders, verdict_by_rule


def merged_verdicts(
    planned: Iterable[PlannedItem], judgments: Mapping[tuple[str, Order], Judgment], judge: str | None
) -> Iterator[Verdict]:
    """Yield the verdict of each pair: by a rule, or by the judge of this name."""
    for one in planned:
        rule = one.decided.get(Order.AB)
        if rule is not None:
            yield verdict_by_rule(one.item, rule)
            continue
        orders = tuple(one.prompt_hashes)
        keys = {order: (one.item.id, order) for order in orders}
        found = {order: judgments[key] for order, key in keys.items() if key in judgments}
        alone = all(len(order) == 1 for order in orders)
        verdict = merge_grades(one.item, found) if alone else merge_orders(one.item, found, orders)
        yield replace(verdict, judge=judge)
