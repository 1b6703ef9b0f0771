"""Verdicts made elsewhere, as the record of a run; with the pairs they are about, where these are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from judgecli.answers import LabelFile, VerdictRow, read_verdicts
from judgecli.answers.files import file_name
from judgecli.errors import DataError
from judgecli.types import (
    BOTH_ORDERS,
    TIE,
    Item,
    Judgment,
    Labels,
    Order,
    Response,
    RunRecord,
    Verdict,
    Winner,
)
from judgecli.verdicts import merge_orders

_ALONE = Order("A")
_BOTH, _BY_PAIR = "both", "one"  # what a header calls the orders; else `ab` or `ba`
_N_SHOWN = 3


def imported(path: str, label_file: LabelFile) -> tuple[RunRecord, Labels]:
    """Return verdicts made elsewhere as a record, and the labels of their items.

    Where the file of labels holds the pairs themselves, the record has them; else items are bare ids.

    Raises:
        DataError: a file cannot be read, or no verdict is on a labelled item.
    """
    rows = read_verdicts(path)
    grades = [row.score is not None for row in rows if row.failure is None]
    if any(grades):
        if not all(grades):
            raise DataError(
                f"{path}: winners in some rows and scores in others; give them in files of their own"
            )
        items = tuple(_graded(row) for row in rows)
        return _record_of_grades(path, rows, items), label_file.labels(items)
    pairs = label_file.pairs
    if pairs is None:
        items = tuple(_bare(rows))
        return _record_of_pairs(path, rows, items), label_file.labels(items)
    _require_shared(path, rows, label_file.file, pairs)
    labels = label_file.labels(pairs)
    items = (*pairs, *_bare(rows, {pair.id for pair in pairs}))
    if label_file.is_one_sided:
        rows = _reseated(rows, labels)
    return _record_of_pairs(path, rows, items), labels


def _require_shared(path: str, rows: Iterable[VerdictRow], file: str, pairs: Sequence[Item]) -> None:
    ids = dict.fromkeys(row.item_id for row in rows)
    if ids.keys().isdisjoint(pair.id for pair in pairs):
        ours, theirs = (", ".join(list(names)[:_N_SHOWN]) for names in (ids, [pair.id for pair in pairs]))
        none = "its one verdict is not" if len(ids) == 1 else f"none of its {len(ids):,} verdicts is"
        message = f"{path}: {none} on a pair of {file}"
        raise DataError(
            f"{message}: ids look like {ours} here and {theirs} there; --id-field names the ids there"
        )


def _bare(rows: Iterable[VerdictRow], known: Container[str] = ()) -> Iterator[Item]:
    """Yield an item for each id that is not known, in the order of the rows."""
    ids = dict.fromkeys(row.item_id for row in rows)
    yield from (Item(id=one, instruction="", responses=()) for one in ids if one not in known)


def _graded(row: VerdictRow) -> Item:
    return Item(id=row.item_id, instruction="", responses=(Response(output="", source=row.source),))


def _reseated(rows: Sequence[VerdictRow], labels: Labels) -> tuple[VerdictRow, ...]:
    """Return verdicts by A and B of the file as verdicts by the seats that its pairs were drawn into.

    The first answer of the file is always the better one; where the label says B, it sits there.
    """
    exchanged = {item_id for item_id, label in labels.by_item.items() if label.winner is Winner.B}
    return tuple(_exchanged(row) if row.item_id in exchanged else row for row in rows)


def _exchanged(row: VerdictRow) -> VerdictRow:
    return replace(
        row,
        order=Order(row.order[::-1]) if row.order else None,
        winner=row.winner.swapped() if row.winner else None,
        p={Winner(name).swapped().value: p for name, p in row.p.items()},
    )


def _record_of_pairs(path: str, rows: Sequence[VerdictRow], items: tuple[Item, ...]) -> RunRecord:
    orders = _said_orders(rows)
    judge = PurePath(file_name(path)).name
    judgments = {(row.item_id, row.order): _judgment(row, row.order) for row in rows if row.order}
    if orders is not None:
        verdicts = tuple(_merged(item, judgments, n_orders=2 if orders == _BOTH else 1) for item in items)
    else:
        by_item = {row.item_id: _verdict(row) for row in rows}
        verdicts = tuple(by_item.get(item.id, Verdict(item_id=item.id)) for item in items)
    return RunRecord(
        header={**_header("pair", path), "orders": orders},
        items=items,
        judgments=judgments,
        verdicts=tuple(replace(verdict, judge=judge) for verdict in verdicts),
    )


def _header(mode: str, path: str) -> dict[str, str]:
    return {"mode": mode, "imported": file_name(path)}


def _said_orders(rows: Iterable[VerdictRow]) -> str | None:
    """Return what a run header calls these orders: `one` where each pair has one and not all the same."""
    found = [(row.item_id, row.order) for row in rows if row.order]
    if not found:
        return None
    if max(Counter(item_id for item_id, _ in found).values()) > 1:
        return _BOTH
    orders = {order for _, order in found}
    return _BY_PAIR if len(orders) > 1 else orders.pop().lower()


def _merged(item: Item, judgments: Mapping[tuple[str, Order], Judgment], *, n_orders: int) -> Verdict:
    found = {order: judgments[item.id, order] for order in BOTH_ORDERS if (item.id, order) in judgments}
    wanted = BOTH_ORDERS if n_orders > 1 else tuple(found) or BOTH_ORDERS[:1]
    return merge_orders(item, found, wanted)


def _judgment(row: VerdictRow, order: Order) -> Judgment:
    return Judgment(
        item_id=row.item_id,
        order=order,
        prompt_hash="",
        winner=row.winner,
        failure=row.failure,
        detail=row.detail,
        scores={} if row.score is None else {"A": row.score},
        p=row.p,
    )


def _verdict(row: VerdictRow) -> Verdict:
    return Verdict(
        item_id=row.item_id,
        winner=row.winner,
        failure=row.failure,
        detail=row.detail,
        p_a=row.p.get("A"),
        p_tie=row.p.get(TIE),
        p_b=row.p.get("B"),
        confidence=row.p.get(row.winner) if row.winner else None,
    )


def _record_of_grades(path: str, rows: Sequence[VerdictRow], items: tuple[Item, ...]) -> RunRecord:
    return RunRecord(
        header=_header("grade", path),
        items=items,
        judgments={(row.item_id, _ALONE): _judgment(row, _ALONE) for row in rows},
        verdicts=(),
    )
