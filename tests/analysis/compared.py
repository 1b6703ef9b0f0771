"""Labels a letter an item, and runs in which both orders said the same, a letter an item."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from judgecli.analysis.agreement.matched import Matched
from judgecli.analysis.by_unit import Units
from judgecli.types import Item, ItemLabel, Labels, RunRecord
from tests.analysis.labelled import labels
from tests.analysis.made_up import WINNERS, record, response

LETTERS = "ATB"


def winners(letters: Sequence[str], *, metadata: Sequence[Mapping[str, Any]] = (), **more: Any) -> Labels:
    """Return the labels of q1, q2, ...: `A`, `T`, `B`, `?` without a majority, `.` none at all."""
    by_item = {}
    for number, letter in enumerate(letters, 1):
        if letter != ".":
            row = metadata[number - 1] if metadata else {}
            name = f"q{number}"
            by_item[name] = ItemLabel(item_id=name, winner=WINNERS.get(letter), metadata=row)
    return labels(by_item, **more)


def rated(rows: Sequence[str], names: str = "xyz") -> Labels:
    """Return what annotators said, a row of letters an item, `.` for nothing; more than half decide."""
    by_item = {}
    for number, row in enumerate(rows, 1):
        given = {name: WINNERS[letter] for name, letter in zip(names, row, strict=True) if letter != "."}
        most = max(given.values(), key=list(given.values()).count)
        decides = list(given.values()).count(most) * 2 > len(given)
        name = f"q{number}"
        by_item[name] = ItemLabel(item_id=name, winner=most if decides else None, winners=given)
    return labels(by_item, annotators=tuple(names))


def asked(n: int, *, a: str = "short", b: str = "a longer one", **more: Any) -> list[Item]:
    """Return pairs q1, q2, ... of instructions of their own."""
    return [
        Item(id=f"q{k}", instruction=f"Why {k}?", responses=(response(a), response(b)), **more)
        for k in range(1, n + 1)
    ]


def run(letters: Sequence[str], **changes: Any) -> RunRecord:
    """Return the run in which both orders of q1, q2, ... said the same; `u` is unreadable, `.` open."""
    pairs = changes.pop("pairs", None) or asked(len(letters))
    return record([letter * 2 if letter in LETTERS else letter for letter in letters], pairs=pairs, **changes)


def from_table(table: Sequence[Sequence[int]]) -> tuple[str, str]:
    """Return labels and verdicts that make a 3 x 3 table: rows the label, columns the verdict, A, tie, B."""
    cells = [(row, column, n) for row, counts in enumerate(table) for column, n in enumerate(counts)]
    labelled = "".join(LETTERS[row] * n for row, _, n in cells)
    return labelled, "".join(LETTERS[column] * n for _, column, n in cells)


def matched(labelled: str, judged: str, groups: Sequence[str] | None = None) -> Matched:
    """Put labels and verdicts of q1, q2, ... side by side, in groups or each its own unit."""
    ids = [f"q{number}" for number in range(1, len(labelled) + 1)]
    return Matched.of(
        {item_id: WINNERS[letter] for item_id, letter in zip(ids, labelled, strict=True)},
        {item_id: WINNERS[letter] for item_id, letter in zip(ids, judged, strict=True)},
        dict(zip(ids, groups or ids, strict=True)),
        None if groups is None else "topic",
    )


def units(n: int, groups: Sequence[object] | None = None) -> Units:
    keys = [str(key) for key in (range(n) if groups is None else groups)]
    return Units.of(keys, None if groups is None else "topic")


def random_letters(draw: np.random.Generator, n: int) -> tuple[str, str]:
    """Return labels, and verdicts that are right more often than not."""
    labelled = draw.choice(3, n, p=[0.5, 0.15, 0.35])
    judged = np.where(draw.random(n) < 0.6, labelled, draw.choice(3, n))
    return "".join(LETTERS[k] for k in labelled), "".join(LETTERS[k] for k in judged)
