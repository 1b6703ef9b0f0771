"""What the caller asks of the input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum


class PairBy(StrEnum):
    """What joins the rows of several files."""

    AUTO = "auto"
    ID = "id"
    INSTRUCTION = "instruction"
    LINE = "line"


_NO_ROLES = ("kept", "required")
Named = str | tuple[str, ...] | None
"""A field name, or several of which each file has one; None lets the format decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Dotted field names given by the user (`choices[0].text`); None lets the format decide.

    Of several names for one role each file is read by the first that it has: files whose fields are called
    differently. `response_a` and `response_b` go together: one file that holds both answers.

    `kept` are further fields that items keep as metadata, to group and split by. `required` are those that
    every item has to have, each after the option that names it; they are kept too.
    """

    id: Named = None
    instruction: Named = None
    input: Named = None
    response: Named = None
    reference: Named = None
    model: Named = None
    response_a: Named = None
    response_b: Named = None
    kept: tuple[str, ...] = ()
    required: tuple[tuple[str, str], ...] = ()

    @property
    def metadata(self) -> tuple[str, ...]:
        """The fields that are kept because they are named, each once."""
        return tuple(dict.fromkeys((*self.kept, *(name for _, name in self.required))))

    def named(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the roles that the user named fields for, with those names."""
        for field in fields(self):
            if field.name in _NO_ROLES:
                continue
            given = getattr(self, field.name)
            if given:
                yield field.name, (given,) if isinstance(given, str) else tuple(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReading:
    """How a file of labels is read: by fields that the user names, None for the usual names.

    `seed` seats pairs whose first answer is always the better one.
    """

    id_field: str | None = None
    label_field: str | None = None
    seed: int = 0


USUAL_READING = LabelReading()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadingOptions:
    """What can be asked of any input, whatever the number of its answer files.

    `turn` says which turn of a conversation is judged: `first`, `last` or its number from 1; None leaves it
    to the format. `limit` keeps the first N items, or with `sample` N items drawn with `seed`; the seed also
    seats one-sided pairs such as chosen/rejected.
    """

    reference: str | None = None
    questions: str | None = None
    format_in: str | None = None
    fields: Fields = Fields()
    pair_by: PairBy = PairBy.AUTO
    allow_missing: bool = False
    no_reference: bool = False
    allow_missing_reference: bool = False
    turn: str | int | None = None
    limit: int | None = None
    sample: bool = False
    seed: int = 0

    @property
    def has_questions(self) -> bool:
        """Whether a file says what was asked, so that answers need not: unless they are joined by it."""
        return self.questions is not None and self.pair_by is not PairBy.INSTRUCTION


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions(LoadingOptions):
    """The input of a run over pairs. `candidate` None: the baseline file holds both answers."""

    baseline: str
    candidate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOptions(LoadingOptions):
    """The input of a run over the answers of one model, or of several in files of their own."""

    files: tuple[str, ...]
