"""The positive control: answers of this very run against their own degraded copies.

Any judge must tell them apart: one at chance would pass every candidate as no worse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

from judgecli.analysis.gate.evidence import instruction_of, seeded
from judgecli.types import ControlItem, ControlKind, Item, Response, RunRecord, Winner

PREFIX = "control:"
# What marks a control item in the rows of a run: how its answer was degraded, and on which side.
KIND_FIELD, SIDE_FIELD = "control_kind", "control_degraded"
_KINDS = (ControlKind.QUARTER, ControlKind.OTHER_ANSWER)
_SIDES = (Winner.B, Winner.A)


def control_plan(items: Sequence[Item], n: int, seed: int) -> tuple[ControlItem, ...]:
    """Return up to n control items: the baseline's answer against its own degraded copy.

    Which items is the seed's choice. One half of the copies is cut to a quarter of the characters, the other
    replaced by another item's answer of the nearest length, and each half sits on either side in turn. Items
    are passed over whose answer is empty, or whose copy would be empty or the same. Where too few can be cut,
    as with answers of a word, more are replaced; there may be fewer than n.
    """
    taken = {item.id for item in items}
    usable = {
        item.id: item for item in items if not item.response_a.is_empty and f"{PREFIX}{item.id}" not in taken
    }
    answers = tuple((instruction_of(item), item.response_a.output) for item in usable.values())
    ids = seeded(usable, seed)
    plan = _degraded(usable, ids, n, answers, _KINDS)
    left = [item_id for item_id in ids if item_id not in {one.of for one in plan}]
    return (*plan, *_degraded(usable, left, n - len(plan), answers, (ControlKind.OTHER_ANSWER,)))


def _degraded(
    items: Mapping[str, Item],
    ids: Sequence[str],
    n: int,
    answers: Sequence[tuple[str, str]],
    kinds: Sequence[ControlKind],
) -> tuple[ControlItem, ...]:
    """Return up to n control items of these kinds in turn; sides change when each kind had its turn."""
    slots = cycle([(kind, side) for side in _SIDES for kind in kinds])
    plan: list[ControlItem] = []
    slot = next(slots)
    for item in (items[item_id] for item_id in ids):
        if len(plan) == n:
            break
        copy = next((one for one in _copies(item, slot[0], answers) if _is_worse(one, item.response_a)), None)
        if copy is not None:
            plan.append(_control_item(item, copy, *slot))
            slot = next(slots)
    return tuple(plan)


def _copies(item: Item, kind: ControlKind, answers: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield what the answer may be degraded to, the best first."""
    whole = item.response_a.output
    if kind is ControlKind.QUARTER:
        yield whole[: len(whole) // 4]
        return
    asked = instruction_of(item)
    others = (answer for instruction, answer in answers if instruction != asked)
    yield from sorted(others, key=lambda answer: abs(len(answer) - len(whole)))


def _is_worse(copy: str, whole: Response) -> bool:
    # What a rule decides without the judge, equal or empty answers, says nothing about it.
    return copy.strip() != whole.output.strip() and not replace(whole, output=copy).is_empty


def _control_item(item: Item, copy: str, kind: ControlKind, side: Winner) -> ControlItem:
    whole = item.response_a
    degraded = replace(whole, output=copy, finish_reason=None)
    seats = (degraded, whole) if side is Winner.A else (whole, degraded)
    marked = {**item.metadata, KIND_FIELD: kind.value, SIDE_FIELD: side.value}
    control = replace(item, id=f"{PREFIX}{item.id}", responses=seats, metadata=marked)
    return ControlItem(item=control, of=item.id, kind=kind, degraded=side, text=copy)


def is_control(item: Item) -> bool:
    """Whether an item of a run is one of its control."""
    return item.id.startswith(PREFIX) and KIND_FIELD in item.metadata and SIDE_FIELD in item.metadata


def split_control(record: RunRecord) -> tuple[RunRecord, RunRecord]:
    """Return the record without its control items, and the one of these alone.

    What is said about pairs is said about the first. Items that are still to be read belong to it.
    """
    if record.control is not None:
        return replace(record, control=None), record.control
    ids = {item.id for item in record.items if is_control(item)}
    return _only(record, ids, inside=False), replace(_only(record, ids, inside=True), n_missing=0)


def _only(record: RunRecord, ids: set[str], *, inside: bool) -> RunRecord:
    """Return the record of the items with these ids, or of all others."""
    return replace(
        record,
        items=tuple(item for item in record.items if (item.id in ids) is inside),
        verdicts=tuple(one for one in record.verdicts if (one.item_id in ids) is inside),
        judgments={key: one for key, one in record.judgments.items() if (key[0] in ids) is inside},
        decided={key: one for key, one in record.decided.items() if (key[0] in ids) is inside},
        escalated={key: one for key, one in record.escalated.items() if (key[0] in ids) is inside},
        first_verdicts={key: one for key, one in record.first_verdicts.items() if (key in ids) is inside},
        entropies={key: one for key, one in record.entropies.items() if (key[0] in ids) is inside},
        base_entropies={key: one for key, one in record.base_entropies.items() if (key[0] in ids) is inside},
    )
