"""Whose judgments of an item count: the first judge's, or those of the stronger one it was handed on to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judgecli.errors import DataError
from judgecli.ledger import LedgerFile, PlannedItem, current_judgments, escalated_judgments
from judgecli.run.cascade import escalation_key, first_verdicts
from judgecli.types import Judgment, Order, recorded_judge


class Whose(StrEnum):
    """A judge of a run with two."""

    FIRST = "first"
    STRONGER = "stronger"


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOn:
    """That an item was handed on: from which judge to which, and whether that one has answered."""

    first: str
    stronger: str
    is_answered: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One judge's judgments of an item by their orders.

    `header` and `planned` say how this judge was asked, as if the run were its own. `handed_on` None: the
    item stayed with the first judge.
    """

    whose: Whose
    header: Mapping[str, Any]
    planned: PlannedItem
    judgments: Mapping[Order, Judgment]
    handed_on: HandedOn | None = None


def standing(ledger: LedgerFile, planned: PlannedItem, whose: Whose | None = None) -> Standing:
    """Return the judgments of the judge whose verdict on an item stands, or of the one that is asked for.

    While the stronger judge has not answered, the first one's are there to be talked about.

    Raises:
        DataError: those of a stronger judge are asked for, and there are none.
    """
    known = current_judgments([planned], ledger.judgments)
    own = {order: judgment for (_, order), judgment in known.items()}
    key = escalation_key(ledger.header)
    second = planned.as_second() if key else None
    if second is None or not _is_doubtful(ledger, planned):
        if whose is Whose.STRONGER:
            raise DataError(f"{planned.item.id} was not handed on to a stronger judge; leave out --judge")
        return Standing(whose=Whose.FIRST, header=ledger.header, planned=planned, judgments=own)
    found = escalated_judgments([planned], ledger.judgments, key)
    stronger = {order: judgment for (_, order), judgment in found.items()}
    header = {**ledger.header, **ledger.header["escalation"]}
    handed_on = HandedOn(
        first=recorded_judge(ledger.header) or "the first judge",
        stronger=recorded_judge(header) or "the stronger judge",
        is_answered=bool(stronger),
    )
    if whose is Whose.STRONGER and not stronger:
        message = f"{handed_on.stronger} has not answered about {planned.item.id} yet"
        raise DataError(f"{message}; the command that began the run goes on with it")
    if whose is Whose.FIRST or not stronger:
        return Standing(
            whose=Whose.FIRST, header=ledger.header, planned=planned, judgments=own, handed_on=handed_on
        )
    return Standing(
        whose=Whose.STRONGER, header=header, planned=second, judgments=stronger, handed_on=handed_on
    )


def _is_doubtful(ledger: LedgerFile, planned: PlannedItem) -> bool:
    return any(one.item_id == planned.item.id and one.is_doubtful for one in first_verdicts(ledger))
