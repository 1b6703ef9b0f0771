"""What reading the input gives: files as read, items, and the reports on how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgecli.answers.options import PairBy
from judgecli.types import Item, Response


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """One row that holds two answers, in the file's order.

    `gold` is the row's label as written: `1`, `b`, `tie`.
    """

    first: Response
    second: Response
    gold: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """What was asked, where a file says so otherwise than by the text that was sent.

    `question` is what to show for it where the texts that were sent differ, read from the field `path`; None
    where only the document is known to be one.
    """

    key: str
    question: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """One answer file as read: `responses` for one answer a row, `pair_rows` for two.

    `file` names it in messages. `format` names the fields' layout and `container` how rows are stored (jsonl,
    json, csv, object, zip, parquet, folder).
    `fields_used` maps a role (id, response, ...) to the field it was read from. `one_sided` says that
    the first answer of every pair is the preferred one. `turn` is the turn that was read where an answer has
    several, or was chosen: `first`, `last` or a number; None where there is nothing to choose. `failed` are
    ids that were asked and have no answer. `fields_there` are the names of all fields of its rows.
    `documents` says by id what was asked, where the file does so otherwise than by the text that was sent.
    """

    path: str
    file: str
    format: str
    container: str
    fields_used: Mapping[str, str]
    responses: tuple[Response, ...] = ()
    pair_rows: tuple[PairRow, ...] = ()
    one_sided: bool = False
    turn: str | None = None
    notes: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    fields_there: tuple[str, ...] = ()
    documents: Mapping[str, Document] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return len(self.responses) or len(self.pair_rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersReport:
    """Everything the terminal and the run header say about the input.

    What is a tuple a model comes in the models' order: `files`, `formats`, `models`, `n_rows`, `missing` (ids
    that another file has and this one lacks), `empty` and `truncated` (ids of the items kept after `limit`).
    `turn` is which turn of conversations is judged (`first`, `last`, a number), None where every answer is a
    single one; `n_multi_turn` counts items with turns before it. `with_image` are items that come with an
    image, which no judge sees. `fields_of_missing` is what rows that not every file has have in the fields
    that the user named, by their ids.
    """

    files: tuple[str, ...]
    formats: tuple[str, ...]
    fields_used: Mapping[str, Mapping[str, str]]
    models: tuple[str, ...]
    paired_by: PairBy
    n_rows: tuple[int, ...]
    missing: tuple[tuple[str, ...], ...]
    empty: tuple[tuple[str, ...], ...]
    truncated: tuple[tuple[str, ...], ...]
    n_with_reference: int = 0
    missing_reference: tuple[str, ...] = ()
    turn: str | None = None
    n_multi_turn: int = 0
    with_image: tuple[str, ...] = ()
    fields_of_missing: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingReport:
    """What `AnswersReport` says, in the terms of a baseline (A) and a candidate (B).

    `n_a` and `n_b` count rows of the files; ids of empty, truncated and reference-less answers are
    those of the pairs kept after `limit`. Duplicated ids and different instructions stop the run.
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
    empty_a: tuple[str, ...] = ()
    empty_b: tuple[str, ...] = ()
    truncated_a: tuple[str, ...] = ()
    truncated_b: tuple[str, ...] = ()
    n_with_reference: int = 0
    missing_reference: tuple[str, ...] = ()
    turn: str | None = None
    n_multi_turn: int = 0
    with_image: tuple[str, ...] = ()
    fields_of_missing: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedInput:
    """The pairs to judge, in the baseline file's order, and the report on how they were made."""

    pairs: tuple[Item, ...]
    report: PairingReport


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAnswers:
    """The items to judge, in the first file's order, each with one response a file, and the report."""

    items: tuple[Item, ...]
    report: AnswersReport
