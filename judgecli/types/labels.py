"""Nouns of what people say about items: labels, and whose they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from judgecli.types.judgments import Winner


class LabelKind(StrEnum):
    """What a label says of an item: which of two answers is better, or what score the one answer deserves."""

    WINNERS = "winners"
    SCORES = "scores"


class LabelSource(StrEnum):
    """Where the label that counts comes from."""

    GOLD = "gold"  # the file says who is right
    SINGLE = "one annotator"
    MAJORITY = "majority of annotators"  # more than half of them
    MEAN = "mean of annotators"  # of scores


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLabel:
    """What people say about one item, in the caller's A and B.

    `winner`, or `score` if one answer was graded, is the label that counts: both None where annotators have
    no majority. `winners` and `scores` are the annotators' own by their names; empty where the file has one
    label an item. `metadata` are the small fields of the label's row, to group and split by.
    """

    item_id: str
    winner: Winner | None = None
    score: float | None = None
    winners: Mapping[str, Winner] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The labels of a file, by item id. `annotators` are the names of those who gave several; else empty."""

    file: str
    kind: LabelKind
    source: LabelSource
    by_item: Mapping[str, ItemLabel]
    annotators: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def n_undecided(self) -> int:
        """Items whose annotators have no majority."""
        return sum(one.winner is None and one.score is None for one in self.by_item.values())
