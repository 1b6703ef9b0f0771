"""Which format a file is in, told from the structure of its first row, never from its name."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache

from judgecli.answers import formats
from judgecli.answers.containers import Container, Row
from judgecli.answers.layout import Format, Value
from judgecli.answers.options import Fields
from judgecli.answers.unread import recognise_unread
from judgecli.answers.wording import fields_there, listed
from judgecli.errors import DataError, UsageError

_PLAIN = "plain"
_PLAIN_PAIRS = "plain-pairs"
_CONTAINERS = (Container.JSONL, Container.JSON, Container.CSV)


@cache
def format_names() -> tuple[str, ...]:
    """Return the names `--format-in` takes, containers (jsonl, json, csv) aside."""
    return tuple(sorted(m.name.replace("_", "-") for m in pkgutil.iter_modules(formats.__path__)))


def load_format(name: str) -> Format:
    """Import one format by name."""
    module = importlib.import_module(f"{formats.__name__}.{name.replace('-', '_')}")
    found: Format = module.FORMAT
    return found


def split_format_in(format_in: str | None) -> tuple[Container | None, str | None]:
    """Read `--format-in`, which names either how rows are stored or what their fields are called.

    Raises:
        UsageError: No such format.
    """
    if format_in is None:
        return None, None
    if format_in in _CONTAINERS:
        return Container(format_in), None
    if format_in in format_names():
        return None, format_in
    names = [*_CONTAINERS, *format_names()]
    close = difflib.get_close_matches(format_in, names, n=3)
    hint = f"did you mean {listed(close)}?" if close else f"there are {listed(names, n_shown=len(names))}"
    raise UsageError(f"--format-in {format_in}: no such input format; {hint}")


def choose_format(first: Row, container: Container, named: str | None, fields: Fields) -> tuple[str, Format]:
    """Return the format of a file by name: as given, else as its first row shows.

    Raises:
        DataError: Recognised but not read, claimed by two formats, or one object for the whole file.
    """
    name = named or _detected(first, container, fields)
    return name, load_format(name)


def _detected(first: Row, container: Container, fields: Fields) -> str:
    if fields.response_a is not None:
        return _PLAIN_PAIRS
    claimed = claimed_format(first)
    if claimed is not None and not (fields.response and load_format(claimed).is_paired):
        return claimed
    if fields.response is not None:
        return _PLAIN
    refuse_unread(first)
    if container is Container.OBJECT:
        raise DataError(_one_object(first.value, first.source.file))
    return _PLAIN


def refuse_unread(row: Row) -> None:
    """Raise DataError for a row of a file that is recognised and not read."""
    unread = recognise_unread(row.value)
    if unread is not None:
        raise DataError(f"{row.source.file}: looks like {unread.what}; {unread.advice}")


def claimed_format(first: Row) -> str | None:
    """Return the format that claims the row; a row with two answers is a pair whatever else it holds.

    Raises:
        DataError: two formats do.
    """
    claims = [name for name in format_names() if load_format(name).claims(first.value)]
    paired = [name for name in claims if load_format(name).is_paired]
    claims = paired or claims
    if len(claims) > 1:
        raise DataError(f"{first.source.file}: could be {' or '.join(claims)}; choose one with --format-in")
    return claims[0] if claims else None


def log_format(first: Row) -> str | None:
    """Return the format of a log, whose rows have to be sorted out, or of one answer of several in a row."""
    names = (name for name in format_names() if load_format(name).claims(first.value))
    return next((name for name in names if load_format(name).arrange is not None), None)


def holds_pair(first: Row) -> bool:
    """Whether a format of two answers a row claims the row."""
    claimed = claimed_format(first)
    return claimed is not None and load_format(claimed).is_paired


def _one_object(value: Value, file: str) -> str:
    lists = [key for key, inner in value.items() if isinstance(inner, list)]
    hint = f"; its rows may be in {lists[0]!r}" if len(lists) == 1 else ""
    return (
        f"{file}: one JSON object for the whole file ({fields_there(value)}){hint}; "
        "an answer file is one object a line, or an array of objects"
    )
