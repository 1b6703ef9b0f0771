"""One answer file to responses: open, tell container and format, read row by row."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from judgecli.answers.arranging import arranged
from judgecli.answers.containers import Container, Row
from judgecli.answers.detection import choose_format, refuse_unread, split_format_in
from judgecli.answers.files import CHOICE, file_name, split_choice
from judgecli.answers.finding import named_fields, present
from judgecli.answers.layout import Format, Part, Role
from judgecli.answers.loaded import AnswerFile, PairRow
from judgecli.answers.opening import open_rows
from judgecli.answers.options import Fields
from judgecli.answers.rows import RowReader
from judgecli.answers.spreading import lone_object
from judgecli.answers.turns import turn_index
from judgecli.answers.wording import listed, shown
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
    """Read a file of one model's answers, or of pairs; `file.json#model-a` chooses of several models.

    Raises:
        DataError: The file cannot be read, a row is bad, or it holds several models' answers.
        UsageError: No such format or turn, or fields that contradict each other.
    """
    return lone_part(read_parts(path, format_in=format_in, fields=fields, turn=turn))


def lone_part(parts: Sequence[AnswerFile]) -> AnswerFile:
    """Return the answers of a file that holds one model's.

    Raises:
        DataError: It holds those of several, none of which was chosen.
    """
    if len(parts) > 1:
        file = split_choice(parts[0].path)[0]
        names = [part.file.removeprefix(f"{file_name(file)}{CHOICE}") for part in parts]
        raise DataError(
            f"{file_name(file)}: holds {len(parts)} sets of answers: {listed(names, 12)}; choose one with "
            f"{shown(parts[0].file, 200)}"
        )
    return parts[0]


def read_parts(
    path: str,
    *,
    format_in: str | None = None,
    fields: Fields | None = None,
    turn: str | int | None = None,
    has_questions: bool = False,
) -> list[AnswerFile]:
    """Read a file of the answers of one model or more, one `AnswerFile` each.

    `has_questions` says that a file of questions goes with it, before which its own may give way.

    Raises:
        DataError: The file cannot be read, or a row is bad.
        UsageError: No such format or turn, or fields that contradict each other.
    """
    fields = fields or Fields()
    _check_fields(fields)
    forced, named = split_format_in(format_in)
    if turn is not None:
        turn_index(turn)
    place, choice = split_choice(path)
    with open_rows(place, forced) as (container, rows):
        options = _Reading(named, choice, turn, has_questions)
        return _parts(place, container, rows, fields, options)


def file_of_rows(path: str, container: Container, rows: Iterator[Row], *, fields: Fields) -> AnswerFile:
    """Return what the rows of a file of answers or of pairs hold.

    Raises:
        DataError: There is no row, one is bad, or they are the answers of several models.
    """
    return lone_part(_parts(path, container, rows, fields, _Reading()))


class _Reading(NamedTuple):
    """How a file is read besides its fields: a format by name, what is chosen of it, and for what."""

    named: str | None = None
    choice: str | None = None
    turn: str | int | None = None
    has_questions: bool = False


def _parts(
    path: str, container: Container, rows: Iterator[Row], fields: Fields, options: _Reading
) -> list[AnswerFile]:
    choice = options.choice
    mapping, rows = lone_object(container, rows, fields)
    if mapping is not None and fields.response is None:
        refuse_unread(mapping)
    first = next(rows, None)
    if first is None:
        raise DataError(f"{file_name(path)}: a header and no rows; an answer file needs at least one row")
    is_mapped = mapping is not None
    name, layout = choose_format(first, Container.JSON if is_mapped else container, options.named, fields)
    if options.has_questions and layout.asked_apart and _has_id(layout, first, fields):
        layout = replace(layout, roles={**layout.roles, Role.INSTRUCTION: ()})
    is_one_object = is_mapped or (layout.unfold is not None and container is Container.JSONL)
    stored = (Container.OBJECT if is_one_object else container).value

    def read(part: Part) -> AnswerFile:
        chosen = part.name if choice is None else choice
        suffix = "" if chosen is None else f"{CHOICE}{chosen}"
        empty = AnswerFile(
            path=path + suffix,
            file=file_name(path) + suffix,
            format=name,
            container=stored,
            fields_used={},
            notes=part.notes,
            failed=part.failed,
        )
        return _with_answers(empty, part, part.layout or layout, fields, options.turn)

    return [read(part) for part in arranged(name, layout, itertools.chain([first], rows), choice)]


def _has_id(layout: Format, first: Row, fields: Fields) -> bool:
    """Whether a file of questions can say by id what was asked."""
    return bool(present(named_fields(fields).get(Role.ID, layout.roles[Role.ID]), first.value))


def _with_answers(
    empty: AnswerFile, part: Part, layout: Format, fields: Fields, turn: str | int | None
) -> AnswerFile:
    """Return a part of a file with its answers; there is at least one row."""
    rows = iter(part.rows)
    reader = RowReader(layout, next(rows), fields, None if turn is None else turn_index(turn))
    found = list(reader.read(rows))
    return replace(
        empty,
        fields_used=reader.finder.fields_used,
        responses=tuple(row for row in found if isinstance(row, Response)),
        pair_rows=tuple(row for row in found if isinstance(row, PairRow)),
        one_sided=layout.one_sided,
        turn=reader.turn if turn is None else str(turn),
        notes=(*empty.notes, *reader.notes()),
        fields_there=reader.fields_there,
        documents=reader.documents,
    )


def _check_fields(fields: Fields) -> None:
    both = (fields.response_a, fields.response_b)
    if (both[0] is None) != (both[1] is None):
        raise UsageError("--response-a-field and --response-b-field go together; give both or neither")
    if both[0] is not None and fields.response is not None:
        raise UsageError("--response-field names one answer a row, --response-a-field two; choose one")
