"""A ranking by pairs, read back: each two of its models as if they alone had been judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from judgecli.ledger import PlannedItem
from judgecli.types import LETTERS, Judgment, Order
from judgecli.verdicts import as_of_pair, order_of_pair, pair_of

Judgments = Mapping[tuple[str, Order], Judgment]


def pairs_of_models(n_models: int) -> list[Order]:
    """Return the letters of each two models, in the order of their files: AB, AC, BC of three."""
    return [Order(a + b) for a, b in combinations(LETTERS[:n_models], 2)]


def orders_of(letters: Order) -> tuple[Order, Order]:
    """Return both orders of two models."""
    return letters, Order(letters[::-1])


def plan_of_pair(planned: Sequence[PlannedItem], letters: Order) -> tuple[PlannedItem, ...]:
    """Return the plan as it would be had only these two models been judged."""
    return tuple(_of_pair(one, letters) for one in planned)


def judgments_of_pair(
    planned: Sequence[PlannedItem], judgments: Judgments, letters: Order
) -> dict[tuple[str, Order], Judgment]:
    """Return the judgments of two models, or of each of them, as of A and B."""
    keys = ((one.item.id, order) for one in planned for order in _asked(one, letters))
    found = (as_of_pair(judgments[key], letters) for key in keys if key in judgments)
    return {(judgment.item_id, judgment.order): judgment for judgment in found}


def _of_pair(planned: PlannedItem, letters: Order) -> PlannedItem:
    hashes = planned.prompt_hashes
    rule = planned.decided.get(letters)
    return PlannedItem(
        item=pair_of(planned.item, letters),
        prompt_hashes={order_of_pair(order, letters): hashes[order] for order in _asked(planned, letters)},
        decided={} if rule is None else {Order.AB: rule},
        shown_characters=planned.shown_characters,
    )


def _asked(planned: PlannedItem, letters: Order) -> list[Order]:
    """Return the orders that were asked about two models: both of them, or each of the answers alone."""
    orders = (*orders_of(letters), Order(letters[0]), Order(letters[1]))
    return [order for order in orders if order in planned.prompt_hashes]
