"""One answer file to responses: open, tell container and format, read row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from judgecli.answers.containers import Row, read_rows
from judgecli.answers.detection import choose_format, split_format_in
from judgecli.answers.files import file_name, open_lines
from judgecli.answers.finding import FieldFinder
from judgecli.answers.layout import Format, Role, Value
from judgecli.answers.options import AnswerFile, Fields, PairRow
from judgecli.answers.paths import look_up
from judgecli.answers.texts import (
    UnreadableValueError,
    answer_text,
    id_text,
    instruction_text,
    kept_metadata,
    reference_text,
    scalar_text,
)
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError, UsageError
from judgecli.types import Response


def read_answers(path: str, *, format_in: str | None = None, fields: Fields | None = None) -> AnswerFile:
    """Read a file that holds one answer a row; `-` is stdin.

    Raises:
        DataError: The file cannot be read, a row is bad, or rows hold two answers.
        UsageError: No such format, or fields that contradict each other.
    """
    answers = read_file(path, format_in=format_in, fields=fields)
    if answers.pair_rows:
        raise DataError(f"{answers.file}: holds two answers a row ({answers.format}); one is wanted here")
    return answers


def read_file(path: str, *, format_in: str | None = None, fields: Fields | None = None) -> AnswerFile:
    """Read a file of answers or of pairs.

    Raises:
        DataError: The file cannot be read, or a row is bad.
        UsageError: No such format, or fields that contradict each other.
    """
    fields = fields or Fields()
    _check_fields(fields)
    forced, named = split_format_in(format_in)
    file = file_name(path)
    with open_lines(path) as lines:
        container, rows = read_rows(lines, file, forced)
        first = next(rows, None)
        if first is None:
            raise DataError(f"{file}: a header and no rows; an answer file needs at least one row")
        name, layout = choose_format(first, container, named, fields)
        reader = _RowReader(layout, fields, file)
        found = list(reader.read(first, rows))
    return AnswerFile(
        path=path,
        file=file,
        format=name,
        container=container.value,
        fields_used=reader.finder.fields_used,
        responses=tuple(row for row in found if isinstance(row, Response)),
        pair_rows=tuple(row for row in found if isinstance(row, PairRow)),
        one_sided=layout.one_sided,
        notes=tuple(reader.notes()),
    )


def _check_fields(fields: Fields) -> None:
    both = (fields.response_a, fields.response_b)
    if (both[0] is None) != (both[1] is None):
        raise UsageError("--response-a-field and --response-b-field go together; give both or neither")
    if both[0] is not None and fields.response is not None:
        raise UsageError("--response-field names one answer a row, --response-a-field two; choose one")


class _RowReader:
    """Reads the rows of one file and counts what should be said about them afterwards."""

    def __init__(self, layout: Format, fields: Fields, file: str) -> None:
        self.finder = FieldFinder(layout.roles, fields)
        self._layout = layout
        self._file = file
        self._n_turned = 0
        self._n_third = 0
        self._repaired = False
        self._others: list[str] = []

    def read(self, first: Row, rest: Iterator[Row]) -> Iterator[Response | PairRow]:
        """Yield what each row holds."""
        read_one = self._pair_row if self._layout.is_paired else self._response
        value = self._layout.prepare(first.value)
        yield read_one(first, value)
        if not self._layout.is_paired and not self.finder.is_named(Role.RESPONSE):
            self._others = self.finder.also_present(Role.RESPONSE, value)
        for row in rest:
            yield read_one(row, self._layout.prepare(row.value))
            self._count(row)
        self._count(first)

    def _count(self, row: Row) -> None:
        self._repaired = self._repaired or row.repaired
        self._n_third += "answer3_body" in row.value
        if self._layout.turns is not None:
            turns = look_up(row.value, self._layout.turns)
            self._n_turned += isinstance(turns, list) and len(turns) > 1

    def notes(self) -> Iterator[str]:
        """Yield sentences on what a reader of the result should know about this file."""
        if self._n_turned and not self.finder.is_named(Role.RESPONSE):
            n = counted(self._n_turned, "answer")
            yield f"{self._file}: {n} of two or more turns; the first turn is judged"
        if self._n_third:
            n = counted(self._n_third, "row")
            yield f"{self._file}: {n} with three or more answers; the first two are judged"
        if self._others:
            used, others = self.finder.path(Role.RESPONSE), listed(self._others)
            yield f"{self._file}: answers are read from {used}; there is {others} too (--response-field)"
        if self._repaired:
            yield f"{self._file}: lone surrogates in its texts were replaced by U+FFFD"

    def _response(self, row: Row, value: Value) -> Response:
        return self._made(row, value, Role.RESPONSE, Role.MODEL)

    def _pair_row(self, row: Row, value: Value) -> PairRow:
        return PairRow(
            first=self._made(row, value, Role.RESPONSE_A, Role.MODEL_A),
            second=self._made(row, value, Role.RESPONSE_B, Role.MODEL_B),
            gold=_label(self.finder.find(Role.GOLD, row, value)),
        )

    def _made(self, row: Row, value: Value, answer: Role, model: Role) -> Response:
        instruction, extra = self._asked(row, value)
        return Response(
            output=self._text(answer, row, value, answer_text) or "",
            source=row.source,
            id=self._id(row, value),
            instruction=instruction,
            input=extra,
            reference=self._text(Role.REFERENCE, row, value, reference_text),
            model=self._text(model, row, value, scalar_text) or None,
            finish_reason=_finish_reason(self.finder.find(Role.FINISH_REASON, row, value)),
            metadata=kept_metadata(value),
        )

    def _id(self, row: Row, value: Value) -> str | None:
        found = self.finder.find(Role.ID, row, value)
        text = id_text(found)
        if text is None and self.finder.is_named(Role.ID):
            path = self.finder.path(Role.ID)
            raise DataError(f"{row.where}: the id ({path}) is neither a text nor a whole number")
        return text

    def _asked(self, row: Row, value: Value) -> tuple[str | None, str | None]:
        """Return the instruction and the text it works on; `input` is that only beside `instruction`.

        Where the instruction is blank, as in one row of PandaLM's test set, its input is what was asked.
        """
        instruction = self._text(Role.INSTRUCTION, row, value, instruction_text)
        if self.finder.used.get(Role.INSTRUCTION) != "instruction" and not self.finder.is_named(Role.INPUT):
            return instruction, None
        extra = self._text(Role.INPUT, row, value, instruction_text)
        return (instruction, extra) if instruction else (extra, None)

    def _text(self, role: Role, row: Row, value: Value, convert: Callable[[Any], str | None]) -> str | None:
        found = self.finder.find(role, row, value)
        try:
            return convert(found)
        except UnreadableValueError as error:
            raise self.finder.unreadable(role, row, error) from error


def _label(value: Any) -> str | None:
    """Return a label as written; what cannot be one is kept as a text that no label equals."""
    try:
        return scalar_text(value)
    except UnreadableValueError as error:
        return str(error)


def _finish_reason(value: Any) -> str | None:
    return str(value) if isinstance(value, str) and value else None
