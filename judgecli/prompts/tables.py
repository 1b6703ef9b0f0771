"""Checked access to the tables of a TOML file, with a sentence for what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from judgecli.errors import DataError

E = TypeVar("E", bound=StrEnum)

_KINDS: Mapping[type, str] = {
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    list: "a list",
    dict: "a table",
}


def check_keys(where: str, table: Mapping[str, Any], known: Mapping[str, type]) -> None:
    """Refuse keys that are not known and values of another kind.

    Raises:
        DataError: the sentence names the table and what is known in it.
    """
    for key, value in table.items():
        if key not in known:
            raise DataError(f"{where}: unknown key {key!r}; known keys: {', '.join(known)}")
        if type(value) is not known[key]:
            found = _KINDS.get(type(value), f"a {type(value).__name__}")
            raise DataError(f"{where}: {key} must be {_KINDS[known[key]]}, not {found}")


def member(where: str, kind: type[E], value: Any) -> E:
    """Return an enum's member by value.

    Raises:
        DataError: there is no such member; the sentence names those there are.
    """
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(repr(member.value) for member in kind)
        raise DataError(f"{where} is {value!r}; it must be one of {known}") from error


def members(where: str, kind: type[E], value: Any) -> tuple[E, ...]:
    """Return the members that a value or a list of values names.

    Raises:
        DataError: one of them is not there.
    """
    values: Sequence[Any] = value if isinstance(value, list) else [value]
    return tuple(member(where, kind, one) for one in values)


def texts(where: str, values: Sequence[Any]) -> tuple[str, ...]:
    """Return a list of texts, none of them empty.

    Raises:
        DataError: one is empty, or no text.
    """
    for value in values:
        if not isinstance(value, str) or not value:
            raise DataError(f"{where} {value!r} must be a text that is not empty")
    return tuple(values)
