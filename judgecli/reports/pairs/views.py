"""A pair with all that a run file says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from judgecli.reports.pairs.kinds import PairKind, kinds_of
from judgecli.types import Item, Judgment, Order, RunRecord, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairView:
    """A pair, its verdict, and the judgments behind it.

    `judgments` are the run's own judge's. Where a stronger one was asked, `escalated` are its judgments,
    `verdict` is its verdict and `first` the own judge's; else `first` is None.
    """

    item: Item
    verdict: Verdict
    judgments: tuple[Judgment, ...]
    kinds: frozenset[PairKind]
    first: Verdict | None = None
    escalated: tuple[Judgment, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """Every flag on the item, its verdict or a judgment, once."""
        made = (*self.judgments, *self.escalated)
        named = (self.item.flags, self.verdict.flags, *(one.flags for one in made))
        return tuple(dict.fromkeys(flag for flags in named for flag in flags))


def views(record: RunRecord) -> Iterator[PairView]:
    """Yield the pairs of a run in its order; those whose answers the record does not hold are left out."""
    items = {item.id: item for item in record.items}
    own, stronger = _by_item(record.judgments), _by_item(record.escalated)
    for verdict in record.verdicts:
        item = items.get(verdict.item_id)
        if item is None:
            continue
        judgments, escalated = own.get(item.id, ()), stronger.get(item.id, ())
        first = record.first_verdicts.get(item.id)
        yield PairView(
            item=item,
            verdict=verdict,
            judgments=judgments,
            kinds=kinds_of(verdict, (*judgments, *escalated), item.flags),
            first=None if first is verdict else first,
            escalated=escalated,
        )


def selected(record: RunRecord, kinds: Collection[PairKind]) -> tuple[PairView, ...]:
    """Return the pairs that are of one of these kinds, in the order of the run."""
    wanted = frozenset(kinds)
    return tuple(view for view in views(record) if view.kinds & wanted)


def _by_item(judgments: Mapping[tuple[str, Order], Judgment]) -> dict[str, tuple[Judgment, ...]]:
    """Return the judgments of each item, by their orders."""
    found: dict[str, dict[Order, Judgment]] = {}
    for (item_id, order), judgment in judgments.items():
        found.setdefault(item_id, {})[order] = judgment
    return {item_id: tuple(made[order] for order in sorted(made)) for item_id, made in found.items()}
