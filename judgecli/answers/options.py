"""What the caller asks of the input, and what it is told about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from judgecli.types import Pair, Response


class PairBy(StrEnum):
    """What joins a baseline row to a candidate row."""

    AUTO = "auto"
    ID = "id"
    INSTRUCTION = "instruction"
    LINE = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Dotted field names given by the user (`choices[0].text`); None lets the format decide.

    `response_a` and `response_b` go together: one file that holds both answers.
    """

    id: str | None = None
    instruction: str | None = None
    input: str | None = None
    response: str | None = None
    reference: str | None = None
    model: str | None = None
    response_a: str | None = None
    response_b: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions:
    """The input of a run. `candidate` None: the baseline file holds both answers.

    `limit` keeps the first N pairs, or with `sample` N pairs drawn with `seed`; the seed also seats
    one-sided pairs such as chosen/rejected.
    """

    baseline: str
    candidate: str | None = None
    reference: str | None = None
    questions: str | None = None
    format_in: str | None = None
    fields: Fields = Fields()
    pair_by: PairBy = PairBy.AUTO
    allow_missing: bool = False
    no_reference: bool = False
    allow_missing_reference: bool = False
    limit: int | None = None
    sample: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One row that holds two answers, in the file's order.

    `gold` is the row's label as written: `1`, `b`, `tie`.
    """

    first: Response
    second: Response
    gold: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """One answer file as read: `responses` for one answer a row, `pair_rows` for two.

    `format` names the fields' layout and `container` how rows are stored (jsonl, json, csv).
    `fields_used` maps a role (id, response, ...) to the field it was read from. `one_sided` says that
    the first answer of every pair is the preferred one.
    """

    path: str
    file: str
    format: str
    container: str
    fields_used: Mapping[str, str]
    responses: tuple[Response, ...] = ()
    pair_rows: tuple[PairRow, ...] = ()
    one_sided: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingReport:
    """Everything the terminal and the run header say about the input.

    `n_a` and `n_b` count rows of the files; ids of empty, truncated and reference-less answers are
    those of the pairs kept after `limit`. Duplicated ids and different instructions stop the run, so
    those three are empty in a report that was returned.
    """

    formats: tuple[str, ...]
    fields_used: Mapping[str, Mapping[str, str]]
    model_a: str
    model_b: str
    paired_by: PairBy
    n_a: int
    n_b: int
    only_in_a: tuple[str, ...] = ()
    only_in_b: tuple[str, ...] = ()
    duplicated_a: tuple[str, ...] = ()
    duplicated_b: tuple[str, ...] = ()
    different_instruction: tuple[str, ...] = ()
    empty_a: tuple[str, ...] = ()
    empty_b: tuple[str, ...] = ()
    truncated_a: tuple[str, ...] = ()
    truncated_b: tuple[str, ...] = ()
    n_with_reference: int = 0
    missing_reference: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedInput:
    """The pairs to judge, in the baseline file's order, and the report on how they were made."""

    pairs: tuple[Pair, ...]
    report: PairingReport
