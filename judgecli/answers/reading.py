"""One answer file to responses: open, tell container and format, read row by row."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.answers.containers import Container, Row, read_rows
from judgecli.answers.detection import choose_format, refuse_unread, split_format_in
from judgecli.answers.files import file_name, open_lines
from judgecli.answers.loaded import AnswerFile, PairRow
from judgecli.answers.options import Fields
from judgecli.answers.rows import RowReader
from judgecli.answers.spreading import lone_object
from judgecli.answers.turns import turn_index
from judgecli.errors import DataError, UsageError
from judgecli.types import Response


def read_answers(
    path: str,
    *,
    format_in: str | None = None,
    fields: Fields | None = None,
    turn: str | int | None = None,
) -> AnswerFile:
    """Read a file that holds one answer a row; `-` is stdin.

    Raises:
        DataError: The file cannot be read, a row is bad, or rows hold two answers.
        UsageError: No such format or turn, or fields that contradict each other.
    """
    answers = read_file(path, format_in=format_in, fields=fields, turn=turn)
    if answers.pair_rows:
        raise DataError(f"{answers.file}: holds two answers a row ({answers.format}); one is wanted here")
    return answers


def read_file(
    path: str,
    *,
    format_in: str | None = None,
    fields: Fields | None = None,
    turn: str | int | None = None,
) -> AnswerFile:
    """Read a file of answers or of pairs.

    Raises:
        DataError: The file cannot be read, or a row is bad.
        UsageError: No such format or turn, or fields that contradict each other.
    """
    fields = fields or Fields()
    _check_fields(fields)
    forced, named = split_format_in(format_in)
    if turn is not None:
        turn_index(turn)
    file = file_name(path)
    with open_lines(path) as lines:
        container, rows = read_rows(lines, file, forced)
        return file_of_rows(path, container, rows, named=named, fields=fields, turn=turn)


def file_of_rows(
    path: str,
    container: Container,
    rows: Iterator[Row],
    *,
    named: str | None = None,
    fields: Fields,
    turn: str | int | None = None,
) -> AnswerFile:
    """Return what the rows of a file of answers or of pairs hold; `named` is the format that the user chose.

    Raises:
        DataError: There is no row, or one is bad.
        UsageError: No such turn.
    """
    mapping, rows = lone_object(container, rows, fields)
    if mapping is not None and fields.response is None:
        refuse_unread(mapping)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{file_name(path)}: a header and no rows; an answer file needs at least one row")
    is_mapped = mapping is not None
    name, layout = choose_format(first, Container.JSON if is_mapped else container, named, fields)
    reader = RowReader(layout, first, fields, None if turn is None else turn_index(turn))
    found = list(reader.read(rows))
    return AnswerFile(
        path=path,
        file=file_name(path),
        format=name,
        container=(Container.OBJECT if is_mapped else container).value,
        fields_used=reader.finder.fields_used,
        responses=tuple(row for row in found if isinstance(row, Response)),
        pair_rows=tuple(row for row in found if isinstance(row, PairRow)),
        one_sided=layout.one_sided,
        turn=reader.turn if turn is None else str(turn),
        notes=tuple(reader.notes()),
    )


def _check_fields(fields: Fields) -> None:
    both = (fields.response_a, fields.response_b)
    if (both[0] is None) != (both[1] is None):
        raise UsageError("--response-a-field and --response-b-field go together; give both or neither")
    if both[0] is not None and fields.response is not None:
        raise UsageError("--response-field names one answer a row, --response-a-field two; choose one")
