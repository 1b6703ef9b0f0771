"""Two of many models seen as a pair: the first one as A, the second one as B."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from judgecli.types import BOTH_ORDERS, Item, Judgment, Order


def pair_of(item: Item, letters: Order) -> Item:
    """Return an item with the answers of two models only."""
    return replace(item, responses=item.seated(letters))


def order_of_pair(order: Order, letters: Order) -> Order:
    """Return an order of two models, or of one of them, in the letters of a pair: `CA` of `AC` is `BA`."""
    return Order("".join(_names(letters)[letter] for letter in order))


def as_of_pair(judgment: Judgment, letters: Order) -> Judgment:
    """Return a judgment of two models, or of one of them, in the letters of a pair.

    Where `letters` is AC, one of order CA that names C the winner is one of order BA that names B.
    """
    names = _names(letters)

    def renamed(table: Mapping[str, float]) -> dict[str, float]:
        return {names.get(letter, letter): value for letter, value in table.items()}

    return replace(
        judgment,
        order=order_of_pair(judgment.order, letters),
        winner=None if judgment.winner is None else names.get(judgment.winner, judgment.winner),
        scores=renamed(judgment.scores),
        expected=renamed(judgment.expected),
        p=renamed(judgment.p),
    )


def _names(letters: Order) -> dict[str, str]:
    """Return each letter's name in a pair; a tie has no letter and keeps its own."""
    return dict(zip(letters, BOTH_ORDERS[0], strict=True))
