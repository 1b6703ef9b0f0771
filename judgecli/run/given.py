"""What a mode hands to a run: the items to judge, and which comparisons are made of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judgecli.answers import AnswersOptions, AnswersReport
from judgecli.prompts import PromptFamily
from judgecli.types import Item, Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What one verdict is about: the letters of its models, and the orders in which the judge is asked."""

    letters: Order
    orders: tuple[Order, ...]


def _as_for_all(comparison: Comparison, _item: Item) -> Comparison:
    return comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The input of a run, read. `comparisons` are made of every item; they may depend on the prompt family.

    `for_item` returns one with the orders of one item, as many and as long as those of all others.
    `recorded` is what the run header says about the input, `asked` what it says about the mode itself.
    For messages: `noun` is what an item is called, `joined` by what its answers were brought together, `how`
    in how many orders it is judged, and `lines` say what was read.
    The last `n_control` items are a gate's control, which is no part of what is compared.
    `for_ranking` marks prompts whose first answers are shared.
    """

    mode: str
    items: tuple[Item, ...]
    comparisons: Callable[[PromptFamily], tuple[Comparison, ...]]
    recorded: Mapping[str, Any]
    asked: Mapping[str, Any]
    noun: str = "item"
    joined: str = ""
    how: str = ""
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    for_ranking: bool = False
    for_item: Callable[[Comparison, Item], Comparison] = _as_for_all
    n_control: int = 0

    @property
    def n_with_reference(self) -> int:
        """Items that have a reference answer."""
        own = self.items[: len(self.items) - self.n_control]
        return sum(item.reference is not None for item in own)


def recorded_answers(options: AnswersOptions, report: AnswersReport) -> dict[str, Any]:
    """Return what a run header says about answer files, one a model, in the models' order."""
    return {
        "files": list(report.files),
        "models": list(report.models),
        "reference": options.reference,
        "questions": options.questions,
        "formats": list(report.formats),
        "fields": {name: dict(fields) for name, fields in report.fields_used.items()},
        "n_rows": list(report.n_rows),
        "turn": report.turn,
        "n_multi_turn": report.n_multi_turn,
    }
