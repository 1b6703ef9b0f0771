"""Runs for gates: outcomes of pairs, and control items that the judge told or did not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judgecli.analysis.gate.controls import KIND_FIELD, SIDE_FIELD
from judgecli.types import ControlKind, GateOptions, Item, RunRecord
from tests.analysis.made_up import Case, judgments, pair, record, verdict


def run(cases: Sequence[Case], *, control: str = "+" * 30, **changes: Any) -> RunRecord:
    """Return the run in which pairs came out as told, with control items: `+` told, `-` missed, `=` a tie.

    Control items are cut and replaced by turns, and the degraded side is B, B, A, A and so on.
    """
    pairs = list(changes.pop("pairs", None) or [pair(f"q{k}") for k in range(1, len(cases) + 1)])
    made = record(cases, pairs=pairs, **changes)
    items, verdicts, judged = list(made.items), list(made.verdicts), dict(made.judgments)
    for number, mark in enumerate(control):
        item = control_item(number)
        degraded = item.metadata[SIDE_FIELD]
        whole = "A" if degraded == "B" else "B"
        letters = {"+": whole * 2, "-": degraded * 2, "=": "AB", "u": "uu", ".": "."}[mark]
        items.append(item)
        verdicts.append(verdict(item.id, letters))
        judged |= judgments(item.id, letters)
    return replace(made, items=tuple(items), verdicts=tuple(verdicts), judgments=judged)


def control_item(number: int) -> Item:
    """Return the control item of this number, from 0."""
    kind = (ControlKind.QUARTER, ControlKind.OTHER_ANSWER)[number % 2]
    side = "BA"[number // 2 % 2]
    return replace(pair(f"control:q{number + 1}"), metadata={KIND_FIELD: kind.value, SIDE_FIELD: side})


def cases(wins: int, ties: int, losses: int, *, flips: int = 0) -> list[Case]:
    """Return wins, ties and losses of the candidate, `flips` of the ties between the orders; shuffled."""
    ordered: list[Case] = ["BB"] * wins + ["TT"] * (ties - flips) + ["AB"] * flips + ["AA"] * losses
    step = next(step for step in (7, 11, 13, 17) if len(ordered) % step)
    return [ordered[k * step % len(ordered)] for k in range(len(ordered))]


def grouped(n: int, size: int, field: str = "topic") -> list[Item]:
    """Return n pairs of which `size` in a row share the value of a field."""
    return [replace(pair(f"q{k + 1}"), metadata={field: f"g{k // size}"}) for k in range(n)]


def options(**changes: Any) -> GateOptions:
    return GateOptions(**changes)
