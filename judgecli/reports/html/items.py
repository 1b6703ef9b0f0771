"""The items of a run as a page lists them: a row each to filter and sort, and texts to open one by one.

What the browser does with them does not depend on what was judged: columns, filters and labels are data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from judgecli.reports.pairs import PairKind
from judgecli.reports.wording import Table
from judgecli.reports.wording.rows import clean
from judgecli.types import Item, Judgment, RunRecord, Summary

_FIELDS = ("category", "group", "capability")
_MAX_VALUES = 200
_CHUNK = 100  # items whose texts are read together
Cell = str | float | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of the list: `kind` is id, outcome, number, short or text; narrow screens omit `wide` ones.

    Beside a short one that stays, they omit texts too.
    """

    name: str
    kind: str
    wide: bool = True
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One item: its cells, the colour of its outcome, the filters it passes, and its texts.

    `texts` are what is shown once it is selected, see `texts_of`.
    """

    cells: tuple[Cell, ...]
    tone: str
    passes: frozenset[str]
    item: Item
    texts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTable:
    """Rows under columns, and filters in their order; those that no row passes are left out.

    `failures` are filters that tell failures apart, left out too where there is one kind of them only.
    Items are in groups by `field`, else by the first that has some values but not many.
    """

    noun: str
    columns: tuple[Column, ...]
    filters: tuple[str, ...]
    rows: tuple[Row, ...]
    failures: tuple[str, ...] = ()
    field: str | None = None


class _Lists(Protocol):
    """A module that lists the items of one kind of run."""

    def table(self, record: RunRecord, summary: Summary) -> ItemTable: ...


def table_of(record: RunRecord, summary: Summary) -> ItemTable | None:
    """Return the items of a run; None where a report of its kind lists none, or there are none."""
    place = Path(__file__).parent / "listed" / f"{summary.about}.py"
    if not place.is_file():
        return None
    module: Any = import_module(f"{__package__}.listed.{summary.about}")
    lists: _Lists = module
    table = lists.table(record, summary)
    return table if table.rows else None


def index_of(table: ItemTable) -> dict[str, Any]:
    """Return all that the list needs, without the texts: `marks` has a bit a filter that a row passes."""
    field, values, groups = _groups(table.rows, (table.field, *_FIELDS) if table.field else _FIELDS)
    filters, counts = _filters(table)
    return {
        "noun": table.noun,
        "columns": [asdict(column) for column in table.columns],
        "filters": [{"key": name, "n": counts[name]} for name in filters],
        "rows": [row.cells for row in table.rows],
        "tones": [row.tone for row in table.rows],
        "marks": [sum(1 << i for i, name in enumerate(filters) if name in row.passes) for row in table.rows],
        "field": field,
        "values": values,
        "groups": groups,
        "chunk": _CHUNK,
    }


def chunks_of(table: ItemTable) -> Iterable[list[Mapping[str, Any]]]:
    """Yield the texts of the items, many at a time, so that a page need not read all of them to open."""
    for start in range(0, len(table.rows), _CHUNK):
        yield [row.texts for row in table.rows[start : start + _CHUNK]]


def texts_of(
    item: Item,
    answers: Sequence[tuple[str, str, str]],
    verdict: Sequence[str],
    judgments: Sequence[Mapping[str, Any]],
    compare: tuple[int, int] | None = None,
    table: Table | None = None,
) -> dict[str, Any]:
    """Return what is shown of an item: answers are (label, note, text), two of which may be compared.

    A table stands below the verdict.
    """
    return {
        "asked": list(_asked(item)),
        "answers": answers,
        "verdict": verdict,
        "judgments": judgments,
        "compare": compare,
        **({"table": asdict(table)} if table else {}),
    }


def judgment_texts(title: str, said: Sequence[str], judgment: Judgment) -> dict[str, Any]:
    """Return what is shown of a judgment: its title, phrases, the judge's text and named passages of it."""
    return {"title": title, "said": said, "text": judgment.text, "parts": list(judgment.parts.items())}


def _asked(item: Item) -> Iterable[tuple[str, str]]:
    for number, turn in enumerate(item.earlier_instructions, 1):
        yield f"turn {number}", turn
        for letter, response in zip("ABCDEFGHIJKLMNOPQRS", item.responses, strict=False):
            if number <= len(response.earlier_outputs):
                yield f"{letter} in turn {number}", response.earlier_outputs[number - 1]
    yield "instruction", item.instruction
    if item.input:
        yield "input", item.input
    if item.reference:
        yield "reference", item.reference


def filter_of(table: ItemTable, name: str | None) -> str | None:
    """Return the filter of a list that leaves what `name` does; None where it has none."""
    shown, _ = _filters(table)
    # the only kind of failures has no filter of its own
    wanted = PairKind.FAILURES if name in table.failures and name not in shown else name
    return wanted if wanted in shown else None


def _filters(table: ItemTable) -> tuple[list[str], dict[str, int]]:
    """Return the filters that a row passes, and how many rows pass each."""
    names = (*table.filters, *table.failures)
    counts = {name: sum(name in row.passes for row in table.rows) for name in names}
    failures = [name for name in table.failures if counts[name]]
    passed = [name for name in table.filters if counts[name]]
    return [*passed, *(failures if len(failures) > 1 else ())], counts


def _groups(rows: Sequence[Row], fields: Sequence[str]) -> tuple[str | None, list[str], list[list[int]]]:
    """Return the field that sorts items into groups, its values, and each row's by number."""
    for field in fields:
        named = [_values(row.item.metadata.get(field)) for row in rows]
        values = sorted({name for names in named for name in names})
        if 1 < len(values) <= _MAX_VALUES:
            numbers = {name: number for number, name in enumerate(values)}
            return (
                field,
                _distinct(values),
                [[numbers[one] for one in names] for names in named],
            )
    return None, [], []


def _distinct(values: Sequence[str]) -> list[str]:
    """Return names as they are shown, a number after those that would look like an earlier one."""
    shown: dict[str, None] = {}
    for value in values:
        name = bare = clean(value) or "(empty)"
        number = 1
        while name in shown:
            number += 1
            name = f"{bare} ({number})"
        shown[name] = None
    return list(shown)


def _values(value: Any) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return () if value is None else (str(value),)
