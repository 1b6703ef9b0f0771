"""What a gate looks at: every planned pair, in the order of the evidence, and what each one says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any

from judgecli.analysis.judged import POINTS
from judgecli.errors import DataError
from judgecli.types import DecidedBy, Item, RunRecord, Verdict, header_part

INSTRUCTION = "instruction"
_UNKNOWN = "missing"  # the group of missing answers whose rows say nothing


class Presence(StrEnum):
    """Whose answer there is."""

    BOTH = "both"
    ONLY_IN_BASELINE = "only in the baseline"  # a loss: the candidate gave none
    ONLY_IN_CANDIDATE = "only in the candidate"  # a failure: there is nothing to compare with


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair that was to be compared; without an item where one of its answers is missing.

    `fields` are then those of its row that a gate groups and splits by, as far as the run's header has them.
    """

    id: str
    item: Item | None = None
    presence: Presence = Presence.BOTH
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from all others: an id that one file lacks may read like another one."""
        return self.presence.value, self.id


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a planned pair says: its value, 1 for a win of the candidate; None if it failed or is open.

    `consistent` is whether the judge's verdict does not depend on the order; None where a rule decided.
    """

    value: float | None = None
    is_open: bool = False
    consistent: bool | None = None

    @property
    def is_failed(self) -> bool:
        """Whether it was judged to no result, or cannot be compared."""
        return self.value is None and not self.is_open


def planned_pairs(
    items: Iterable[Item],
    only_in_baseline: Iterable[str] = (),
    only_in_candidate: Iterable[str] = (),
    fields: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[PlannedPair, ...]:
    """Return every pair that was to be compared, those without an answer last; `fields` are by their ids."""
    missing = (
        *((one, Presence.ONLY_IN_BASELINE) for one in only_in_baseline),
        *((one, Presence.ONLY_IN_CANDIDATE) for one in only_in_candidate),
    )
    known = fields or {}
    return (
        *(PlannedPair(item.id, item) for item in items),
        *(PlannedPair(one, presence=presence, fields=known.get(one, {})) for one, presence in missing),
    )


def planned_of(record: RunRecord) -> tuple[PlannedPair, ...]:
    """Return every pair that a run was to compare, as its header and its rows have them."""
    given = header_part(record.header, "input")
    fields = header_part(given, "fields_of_missing")
    known = {name: value for name, value in fields.items() if isinstance(value, Mapping)}
    return planned_pairs(record.items, _ids(given.get("only_in_a")), _ids(given.get("only_in_b")), known)


def _ids(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list | tuple) else []


def outcome_of(pair: PlannedPair, verdict: Verdict | None) -> Outcome:
    """Return what a planned pair says, with the verdict on it where there is one."""
    if pair.presence is Presence.ONLY_IN_BASELINE:
        return Outcome(value=0.0)
    if pair.presence is Presence.ONLY_IN_CANDIDATE:
        return Outcome()
    if verdict is None or (verdict.winner is None and verdict.failure is None):
        return Outcome(is_open=True)
    if verdict.winner is None:
        return Outcome()
    by_judge = verdict.decided_by is DecidedBy.JUDGE
    return Outcome(value=POINTS[verdict.winner], consistent=not verdict.order_dependent if by_judge else None)


def in_units(
    pairs: Sequence[PlannedPair], group: str | None, seed: int
) -> tuple[tuple[PlannedPair, ...], ...]:
    """Return the units of the evidence in its order: pairs, or whole groups of them by a field.

    The order is that of a hash of seed and name, so it depends neither on files nor on the Python version.

    Raises:
        DataError: an item has no such field.
    """
    units: dict[str, list[PlannedPair]] = {}
    for pair, key in zip(pairs, group_keys(pairs, group), strict=True):
        units.setdefault(key, []).append(pair)
    return tuple(tuple(units[key]) for key in seeded(units, seed))


def seeded(names: Iterable[str], seed: int) -> list[str]:
    """Return the names in an order that only the seed and they themselves decide."""
    return sorted(names, key=lambda name: sha256(f"{seed}\0{name}".encode("utf-8", "surrogatepass")).digest())


def group_keys(pairs: Sequence[PlannedPair], group: str | None) -> list[str]:
    """Return the unit of each pair: what its item has in the field `group`, or the pair itself.

    Raises:
        DataError: an item has no such field.
    """
    if group is None:
        return ["\0".join(pair.key) for pair in pairs]
    values = (value_of_pair(pair, group, option="--group") for pair in pairs)
    # those of which nothing is known are one group: as many groups they would be evidence nobody has
    return [f"in\0{value}" if value is not None else _UNKNOWN for value in values]


def value_of_pair(pair: PlannedPair, field: str, *, option: str) -> str | None:
    """Return what a pair has in a field, as text; None where an answer is missing and nobody knows.

    Raises:
        DataError: its item has no such field.
    """
    if pair.item is not None:
        return value_of(pair.item, field, option=option)
    own = pair.fields.get(field)
    return None if own is None else str(own)


def value_of(item: Item, field: str, *, option: str) -> str:
    """Return what an item has in a field of its metadata, as text; "instruction" is all that was asked.

    Raises:
        DataError: it has no such field, or null in it; `option` named the field.
    """
    own = item.metadata.get(field)
    if own is not None:
        return str(own)
    if field == INSTRUCTION:
        return instruction_of(item)
    known = ", ".join(sorted(_known(item)))
    raise DataError(f"{option} {field}: item {item.id!r} has no such field; there are {known}")


def instruction_of(item: Item) -> str:
    """Return all that was asked, told apart at a character that no text holds."""
    return "\0".join((*item.earlier_instructions, item.instruction, item.input or ""))


def _known(item: Item) -> Iterator[str]:
    yield INSTRUCTION
    yield from (name for name, value in item.metadata.items() if value is not None)
