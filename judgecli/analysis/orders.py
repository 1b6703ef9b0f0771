"""In how many orders the answers of pairs were shown, and which of them sat in the first seat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from judgecli.types import RunRecord, Winner

_A_FIRST, _B_FIRST, _BY_PAIR = "ab", "ba", "one"  # what a header calls one order


def in_one_order(header: Mapping[str, Any]) -> bool:
    """Whether each pair was judged in one order only, the same for all or not."""
    return header.get("orders") in (_A_FIRST, _B_FIRST, _BY_PAIR)


def first_shown(record: RunRecord, ids: Iterable[str]) -> list[Winner]:
    """Return which answer of each pair sat in the first seat, where pairs were judged in one order."""
    if record.header.get("orders") != _BY_PAIR:
        always = Winner.B if record.header.get("orders") == _B_FIRST else Winner.A
        return [always for _ in ids]
    by_item = {item_id: Winner(order[0]) for item_id, order in record.judgments}
    return [by_item[item_id] for item_id in ids]
