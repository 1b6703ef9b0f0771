"""From the rows of a file to the parts that they make up, as its format says."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.answers.containers import Row
from judgecli.answers.files import CHOICE
from judgecli.answers.layout import Format, Part
from judgecli.answers.sorting_out import nothing_to_choose, one_set
from judgecli.answers.texts import UnreadableValueError
from judgecli.answers.wording import counted, listed, with_article
from judgecli.errors import DataError
from judgecli.types import Source


def arranged(name: str, layout: Format, rows: Iterator[Row], choice: str | None) -> list[Part]:
    """Return the parts of a file of a format, each with a row at least; rows are streamed where they can be.

    Raises:
        DataError: The file has nothing to choose from or not what was chosen, or no answers at all.
    """
    first = next(rows)
    file = first.source.file
    if layout.unfold is not None:
        unfolded = _unfolded(name, layout, first, rows)
        rows = iter(unfolded)
    else:
        rows = _with_first(first, rows)
    if layout.arrange is None:
        if choice is not None:
            raise nothing_to_choose(file, one_set(name), choice)
        return [Part(rows=rows)]
    return [_filled(part, file) for part in layout.arrange(list(rows), choice)]


def _with_first(first: Row, rest: Iterator[Row]) -> Iterator[Row]:
    yield first
    yield from rest


def _unfolded(name: str, layout: Format, first: Row, rest: Iterator[Row]) -> list[Row]:
    file = first.source.file
    try:
        values = layout.unfold(first.value) if layout.unfold is not None else ()
    except UnreadableValueError as error:
        raise DataError(f"{file}: {error}") from error
    if next(rest, None) is not None:
        raise DataError(
            f"{file}: {with_article(name)} file is one object, and there are several; give them one at a time"
        )
    if not values:
        raise DataError(
            f"{file}: {with_article(name)} file without answers; was the run that wrote it cut short?"
        )
    source = Source(file=file)
    return [Row(value, source, index, first.repaired and index == 1) for index, value in enumerate(values, 1)]


def _filled(part: Part, file: str) -> Part:
    if part.rows:
        return part
    which = f"{file}{CHOICE}{part.name}" if part.name else file
    why = f": {'; '.join(part.notes)}" if part.notes else f"; failed were {listed(part.failed)}"
    raise DataError(f"{which}: no answers in it, {counted(len(part.failed), 'failure')}{why}")
