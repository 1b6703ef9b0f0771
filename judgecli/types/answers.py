"""Nouns of the input: answers, pairs, and where they were read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

_THINKING = re.compile(r"<(think|thinking)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# of these categories no character shows by itself: controls, formats (zero widths, U+FEFF), separators
_INVISIBLE_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
# and so do these of other categories: joiners, fillers, a blank Braille cell, variation selectors
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10))
)


LETTERS = "ABCDEFGHIJKLMNOPQRS"  # of the models compared, in the order they are named; 19 at most
# What A and B are called where a draw seated the answers of a file that always has the preferred one first.
DRAWN_MODELS = ("A (drawn)", "B (drawn)")


class Order(str):
    """Which answers a prompt shows and in which seats, a letter a seat.

    `AB` shows both answers of a pair, the baseline's first; `C` the third model's alone; `BCA` three.
    """

    __slots__ = ()
    AB: ClassVar[Order]
    BA: ClassVar[Order]

    def __new__(cls, letters: str) -> Self:
        """Check the letters.

        Raises:
            ValueError: they are none, not those of models, or one occurs twice.
        """
        if not letters or not set(letters) <= set(LETTERS) or len(set(letters)) < len(letters):
            raise ValueError(f"{letters!r} is no order of answers; one looks like AB")
        return super().__new__(cls, letters)

    @property
    def seats(self) -> tuple[int, ...]:
        """The index of the answer in each seat."""
        return tuple(map(LETTERS.index, self))


Order.AB, Order.BA = Order("AB"), Order("BA")
BOTH_ORDERS = (Order.AB, Order.BA)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a row was read: a file as the user named it, and its line (1-based; None in arrays)."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer of one model. `output` is "" where the file has none or null.

    In a conversation it is the answer of the turn that is judged; `earlier_outputs` are those before it.
    `instruction`, `input`, `reference` and their earlier ones are what the answer's own file says.
    """

    output: str
    source: Source
    earlier_outputs: tuple[str, ...] = ()
    id: str | None = None
    instruction: str | None = None
    input: str | None = None
    reference: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    earlier_instructions: tuple[str, ...] = ()
    earlier_references: tuple[str | None, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing visible is left of the answer without its thinking blocks, closed or not."""
        return all(map(_is_invisible, _THINKING.sub("", self.output)))

    @property
    def is_only_thinking(self) -> bool:
        """Whether the answer is empty because all that it says is inside of thinking blocks."""
        return self.is_empty and _THINKING.search(self.output) is not None


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _INVISIBLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The answers of one or more models to one instruction, with what belongs to the instruction itself.

    In a conversation `instruction` and `reference` are those of the turn that is judged; `earlier_*` are
    those of the turns before it, one for each.
    """

    id: str
    instruction: str
    responses: tuple[Response, ...]
    input: str | None = None
    reference: str | None = None
    earlier_instructions: tuple[str, ...] = ()
    earlier_references: tuple[str | None, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def response_a(self) -> Response:
        """The baseline's answer."""
        return self.responses[0]

    @property
    def response_b(self) -> Response:
        """The candidate's answer."""
        return self.responses[1]

    @property
    def n_turns(self) -> int:
        """Turns of the conversation up to the one that is judged: 1 where there is no other."""
        return len(self.earlier_instructions) + 1

    def seated(self, order: Order) -> tuple[Response, ...]:
        """Return the answers as seated."""
        return tuple(self.responses[seat] for seat in order.seats)
