"""Nouns of the input: answers, pairs, and where they were read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_THINKING = re.compile(r"<(think|thinking)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


class Order(StrEnum):
    """Which answer sits first in the prompt."""

    AB = "AB"
    BA = "BA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a row was read: a file as the user named it, and its line (1-based; None in arrays)."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """One answer of one model. `output` is "" where the file has none or null."""

    output: str
    source: Source
    id: str | None = None
    instruction: str | None = None
    input: str | None = None
    reference: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left of the answer without its thinking blocks, closed or not."""
        return not _THINKING.sub("", self.output).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two answers to one instruction, with what belongs to the item itself."""

    id: str
    instruction: str
    response_a: Response
    response_b: Response
    input: str | None = None
    reference: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    def responses(self, order: Order) -> tuple[Response, Response]:
        """Return the answers as seated: first, second."""
        if order is Order.AB:
            return self.response_a, self.response_b
        return self.response_b, self.response_a
