"""How a run varies the prompts of its family: rubric, aspect, reasons first, examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgecli.types import Seat

ASPECTS: Mapping[str, str] = {
    "helpfulness": "how well the answer does what was asked for and serves the person who asked",
    "safety": "whether the answer stays clear of harm: of dangerous, unlawful, hateful or private content",
    "factuality": "whether what the answer states is true, and whether it states nothing that is made up",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """What is graded, and what each score or label means. Either `scores` or `labels` has entries.

    `scores` run from the lowest to the highest without a gap. `file` and `sha256` say where it was read.
    """

    criterion: str
    scores: Mapping[int, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    sha256: str = ""

    @property
    def scale(self) -> tuple[int, int] | None:
        """The lowest and the highest score; None where there are labels."""
        return (min(self.scores), max(self.scores)) if self.scores else None

    def lines(self, layout: str) -> str:
        """Return a line for each score or label, as a family lays them out."""
        described = {**{str(score): text for score, text in self.scores.items()}, **self.labels}
        lines = (
            layout.replace("{score}", "\x00").replace("{description}", text).replace("\x00", score)
            for score, text in described.items()
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """An example with its verdict. `answers` are one or two; `where` is the file and line it was read from.

    `scores` are in the order of the answers; `winner` is set where two were compared, by their scores too.
    """

    question: str
    answers: tuple[str, ...]
    where: str
    reference: str | None = None
    winner: Seat | None = None
    scores: tuple[float, ...] = ()
    reasons: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shots:
    """The examples of a file, in its order."""

    shots: tuple[Shot, ...]
    file: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How a run varies the prompts of its family.

    `aspect` is one of `ASPECTS` or any text; `cot` asks for reasons first; `reference_block` shows the
    reference answer in a block of its own even where it is already shown as an answer (JudgeLM, one answer).
    """

    rubric: Rubric | None = None
    aspect: str | None = None
    cot: bool = False
    shots: Shots | None = None
    reference_block: bool = False

    @property
    def aspect_text(self) -> str:
        """The aspect as a prompt names it, with its meaning where it is one of `ASPECTS`."""
        if not self.aspect:
            return ""
        meaning = ASPECTS.get(self.aspect)
        return f"{self.aspect} ({meaning})" if meaning else self.aspect

    @property
    def recorded(self) -> Mapping[str, Any]:
        """What a run header says about it: only what was asked for."""
        found: dict[str, Any] = {}
        if self.rubric is not None:
            found["rubric"] = {"file": self.rubric.file, "sha256": self.rubric.sha256}
        if self.aspect:
            found["aspect"] = self.aspect
        if self.cot:
            found["cot"] = True
        if self.shots is not None:
            n = len(self.shots.shots)
            found["shots"] = {"file": self.shots.file, "sha256": self.shots.sha256, "n": n}
        if self.reference_block:
            found["reference_block"] = True
        return found
