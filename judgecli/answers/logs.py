"""Files of questions or references as rows: one item a row, or a log of answers, sorted out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from judgecli.answers.arranging import arranged
from judgecli.answers.containers import Row
from judgecli.answers.detection import load_format, log_format
from judgecli.answers.files import CHOICE, file_name, split_choice
from judgecli.answers.finding import present
from judgecli.answers.layout import Format, Part, Role, Roles
from judgecli.answers.opening import open_rows
from judgecli.answers.options import Fields
from judgecli.answers.paths import look_up
from judgecli.answers.sorting_out import nothing_to_choose
from judgecli.answers.spreading import lone_object
from judgecli.answers.texts import id_text
from judgecli.answers.wording import listed, shown
from judgecli.errors import DataError


def rows_beside(path: str, fields: Fields, roles: Roles, wanted: Role) -> tuple[list[Row], Roles]:
    """Return the rows of a file, and where they keep what: by usual names, or as the format of the log says.

    Raises:
        DataError: The file cannot be read, holds nothing to choose from or not what was chosen, or the
            answers of several models none of which was chosen.
    """
    place, choice = split_choice(path)
    with open_rows(place) as (container, stored):
        rows = lone_object(container, stored, fields)[1]
        first = next(rows, None)
        if first is None:
            return [], roles
        name = log_format(first)
        if name is not None:
            layout = load_format(name)
            parts = arranged(name, layout, chain([first], rows), choice)
            return _log_rows(file_name(path), layout, parts, roles, wanted)
        if choice is not None:
            raise nothing_to_choose(file_name(place), "such files hold one set of rows", choice)
        return [first, *rows], roles


def _log_rows(
    file: str, layout: Format, parts: Sequence[Part], roles: Roles, wanted: Role
) -> tuple[list[Row], Roles]:
    """Return the rows of a log; answers are the references where it has no others."""
    layouts = [part.layout or layout for part in parts]
    own = layouts[0].roles
    by_part = [_prepared(part, one) for part, one in zip(parts, layouts, strict=True)]
    has_reference = any(present(own.get(Role.REFERENCE, ()), row.value) for rows in by_part for row in rows)
    reference = own.get(Role.REFERENCE if has_reference else Role.RESPONSE, ())
    if wanted is Role.REFERENCE and not has_reference and len(parts) > 1:
        names = [part.name or "" for part in parts]
        raise DataError(
            f"{file}: holds {len(parts)} sets of answers: {listed(names, 12)}; choose one with "
            f"{shown(f'{file}{CHOICE}{names[0]}', 200)}"
        )
    rows = by_part[0] if len(parts) == 1 else _each_id_once(by_part, own.get(Role.ID, ()))
    return rows, {role: reference if role is Role.REFERENCE else own.get(role, ()) for role in roles}


def _prepared(part: Part, layout: Format) -> list[Row]:
    return [Row(layout.prepare(row.value), row.source, row.index, row.repaired) for row in part.rows]


def _each_id_once(by_part: Sequence[Sequence[Row]], paths: Sequence[str]) -> list[Row]:
    """Return of rows of the same id the first: what several models were asked is the same."""
    firsts: dict[str | int, Row] = {}
    for row in chain.from_iterable(by_part):
        ids = (id_text(look_up(row.value, path)) for path in present(paths, row.value))
        firsts.setdefault(next(filter(None, ids), row.index), row)
    return list(firsts.values())
