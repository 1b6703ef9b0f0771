"""A report before it is laid out: the same words for a terminal and for Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from judgecli.reports.wording.rows import Section
from judgecli.types import Caution, GateDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The first sentence of a report: whom it is about, and what came of it where that stands apart."""

    subject: str
    result: str = ""

    def __str__(self) -> str:
        return f"{self.subject}: {self.result}" if self.result else self.subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How often something came out; `kind` picks its mark and colour where a format has such.

    `filter` is the one of the report's list of items that leaves these, None where none does.
    """

    name: str
    n: int
    kind: str = ""
    filter: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a gate decided, and the one sentence that says why."""

    decision: GateDecision
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A headline, warnings with their sentences, counts to draw, and sections; the first is the setup.

    `ruling` is a gate's, None where there was none.
    """

    headline: Headline
    warnings: tuple[tuple[Caution, tuple[str, ...]], ...]
    bars: tuple[Bar, ...]
    sections: tuple[Section, ...]
    ruling: Ruling | None = None
