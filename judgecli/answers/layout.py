"""What a format module declares, and the usual names of each field.

A format is one file in `formats/` with a module-level `FORMAT`; its name is the file's, `_` read as
`-`. A format only says where things are; reading them is the same code for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.loaded import Document
from judgecli.answers.paths import MISSING, look_up

Value = Mapping[str, Any]


class Role(StrEnum):
    """What a field is for. Values that are user options are named like the attributes of `Fields`."""

    ID = "id"
    INSTRUCTION = "instruction"
    INPUT = "input"
    RESPONSE = "response"
    REFERENCE = "reference"
    MODEL = "model"
    FINISH_REASON = "finish_reason"
    RESPONSE_A = "response_a"
    RESPONSE_B = "response_b"
    MODEL_A = "model_a"
    MODEL_B = "model_b"
    GOLD = "gold"


ID_NAMES = (
    "id",
    "question_id",
    "qid",
    "uid",
    "custom_id",
    "doc_id",
    "sample_id",
    "idx",
    "index",
    "instruction_index",
    "task_id",
)
INSTRUCTION_NAMES = ("question", "prompt", "instruction", "question_body", "query", "input", "messages")
QUESTION_NAMES = ("prompt", "question")  # of answers whose questions have mostly a file of their own
BODY_NAMES = ("body.messages", "body.prompt", "body.input")
RESPONSE_NAMES = (
    "answer",
    "response",
    "output",
    "text",
    "completion",
    "generation",
    "prediction",
    "pred",
    "model_output",
    "choices[0].message.content",
    "choices[0].text",
)
REFERENCE_NAMES = ("reference", "reference_answer", "expected", "ideal", "target", "gold")
ANY_OF_NAMES = ("ideal",)  # of OpenAI evals: of several references in it any will do
MODEL_NAMES = ("model", "model_id", "generator", "provider.id")
FINISH_REASON_NAMES = ("finish_reason", "choices[0].finish_reason", "stop_reason")
GOLD_NAMES = ("gold", "winner", "label")


Roles = Mapping[Role, tuple[str, ...]]


class Holds(StrEnum):
    """What the field of an answer holds: the answer, an answer for each turn, or the whole conversation."""

    ANSWER = "answer"
    TURNS = "turns"
    MESSAGES = "messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of a file that are one model's answers, of all that the file holds.

    `failed` are ids that were asked and have no answer, which count as missing. `name` is what the part is
    chosen by (`file.json#name`), None where the file is one part. `layout` is how its rows are read, None
    for as the format says.
    """

    rows: Iterable[Row]
    name: str | None = None
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    layout: Format | None = None


Arrange = Callable[[Sequence[Row], str | None], Sequence[Part]]
"""From all rows of a file, and what the user chose of it, to its parts: several only without a choice."""


def _unchanged(value: Value) -> Value:
    return value


def _as_declared(_: Value) -> Roles:
    return {}


def _no_document(_: Value) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Where a format keeps what. For each role the first path that is present in the file is used.

    `claims` tells from a row's structure whether it is this format's; it is exact: no row may be
    claimed twice. `prepare` rewrites a row before its fields are looked up; `narrow` gives the roles that the
    first row leaves fewer paths for. `unfold` returns the rows of a file that is one object, and `arrange`
    sorts out rows that belong together. Of a list of turns the first is judged, of a conversation the last,
    unless the user says which. `one_sided`: the first answer is the preferred one. `document` returns what
    says of two rows that the same was asked, however their prompts are written. `asked_apart`: questions have
    mostly a file of their own, before which those beside the answers give way.
    """

    claims: Callable[[Value], bool]
    roles: Roles
    holds: Holds = Holds.ANSWER
    prepare: Callable[[Value], Value] = _unchanged
    narrow: Callable[[Value], Roles] = _as_declared
    unfold: Callable[[Value], Sequence[Value]] | None = None
    arrange: Arrange | None = None
    one_sided: bool = False
    document: Callable[[Value], Document | None] = _no_document
    asked_apart: bool = False

    @property
    def is_paired(self) -> bool:
        """Whether one row holds both answers."""
        return Role.RESPONSE_A in self.roles


def is_any_of(path: str) -> bool:
    """Whether several references at a path are right answers any of which will do."""
    return path.rpartition(".")[2] in ANY_OF_NAMES


def has(value: Value, *paths: str) -> bool:
    """Whether every one of the paths is present in a row, null or not."""
    return all(look_up(value, path) is not MISSING for path in paths)
