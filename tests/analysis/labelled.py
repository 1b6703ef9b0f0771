"""Runs of pairs with probabilities, and labels for them, made up verdict by verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.types import (
    DecidedBy,
    Failure,
    Item,
    ItemLabel,
    LabelKind,
    Labels,
    LabelSource,
    RunRecord,
    Verdict,
    Winner,
)
from tests.analysis.made_up import WINNERS, header, response

P = tuple[float, float, float]


@dataclass(frozen=True)
class Case:
    """A pair: its verdict and label as `A`, `B`, `T`, and the judge's probabilities of A, tie, B.

    A verdict of `u` is a failure; a label of "" is none.
    """

    said: str
    label: str = ""
    p: P | None = None
    instruction: str | None = None
    by_rule: bool = False


def record_of(cases: Sequence[Case], **changes: Any) -> RunRecord:
    """Return the run of pairs q1, q2, ..., each of its own instruction unless it is told."""
    return RunRecord(
        header=header(**changes),
        items=tuple(_item(item_id, case) for item_id, case in _named(cases)),
        judgments={},
        verdicts=tuple(_verdict(item_id, case) for item_id, case in _named(cases)),
    )


def labels_of(cases: Sequence[Case], **more: Any) -> Labels:
    by_item = {
        item_id: ItemLabel(item_id=item_id, winner=WINNERS[case.label])
        for item_id, case in _named(cases)
        if case.label
    }
    return labels(by_item, **more)


def labels(by_item: Mapping[str, ItemLabel], **more: Any) -> Labels:
    given = {"file": "labels.jsonl", "kind": LabelKind.WINNERS, "source": LabelSource.SINGLE, **more}
    return Labels(by_item=by_item, **given)


def annotated(by_item: Mapping[str, Mapping[str, Winner]]) -> Labels:
    """Return labels of several annotators, item by item."""
    return labels(
        {item_id: ItemLabel(item_id=item_id, winners=winners) for item_id, winners in by_item.items()},
        source=LabelSource.MAJORITY,
        annotators=tuple(sorted({name for winners in by_item.values() for name in winners})),
    )


def _named(cases: Sequence[Case]) -> list[tuple[str, Case]]:
    return [(f"q{number}", case) for number, case in enumerate(cases, 1)]


def _item(item_id: str, case: Case) -> Item:
    instruction = case.instruction or f"Why {item_id}?"
    return Item(id=item_id, instruction=instruction, responses=(response("a"), response("b")))


def _verdict(item_id: str, case: Case) -> Verdict:
    if case.said not in WINNERS:
        return Verdict(item_id=item_id, failure=Failure.UNREADABLE)
    winner = WINNERS[case.said]
    p_a, p_tie, p_b = case.p or (None, None, None)
    return Verdict(
        item_id=item_id,
        winner=winner,
        p_a=p_a,
        p_tie=p_tie,
        p_b=p_b,
        confidence={Winner.A: p_a, Winner.TIE: p_tie, Winner.B: p_b}[winner],
        decided_by=DecidedBy.EQUAL if case.by_rule else DecidedBy.JUDGE,
    )
