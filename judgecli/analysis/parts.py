"""The result for parts of the pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgecli.analysis.counts import count
from judgecli.analysis.position import position
from judgecli.analysis.winrate import win_rate
from judgecli.types import RunRecord, Split, Verdict

_FIELDS = ("category", "group", "capability")
_MAX_PARTS = 24


def part_of(name: str, record: RunRecord, verdicts: tuple[Verdict, ...]) -> Split:
    """Return the result for these pairs of a run."""
    counts = count(record, verdicts)
    consistency = position(record, verdicts).consistency
    return Split(name=name, counts=counts, win_rate=win_rate(counts), consistency=consistency)


def split_by_category(record: RunRecord, first: str | None = None) -> tuple[str | None, tuple[Split, ...]]:
    """Return the field that sorts the pairs into categories, and the result for each, the largest first.

    It is the first of `first`, category, group and capability that has from 2 to 24 values, and half as many
    at most as there are pairs. A pair with several values counts in each. (None, ()) where there is none.
    """
    for field in (first, *_FIELDS) if first else _FIELDS:
        values = {item.id: values_of(item.metadata, field) for item in record.items}
        names = {name for named in values.values() for name in named}
        if 1 < len(names) <= min(_MAX_PARTS, len(record.items) // 2):
            parts = [_category(name, record, values) for name in names]
            return field, tuple(sorted(parts, key=lambda part: (-part.counts.n_pairs, part.name)))
    return None, ()


def values_of(metadata: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """Return the values that an item has in a field, as texts; () without it."""
    value = metadata.get(field)
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return () if value is None else (str(value),)


def _category(name: str, record: RunRecord, values: Mapping[str, tuple[str, ...]]) -> Split:
    return part_of(name, record, tuple(v for v in record.verdicts if name in values.get(v.item_id, ())))
