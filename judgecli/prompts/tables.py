"""Tables of a family file that become enums and verdict grammars, with a sentence for what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from judgecli.errors import DataError
from judgecli.types import Grammar, LabelsGrammar, ScoresGrammar, Seat

E = TypeVar("E", bound=StrEnum)


def read_grammar(path: Path, table: Mapping[str, Any]) -> Grammar:
    """Return the verdict grammar of a [grammar] table.

    Raises:
        DataError: it cannot match anything, or is ambiguous.
    """
    kind = table.get("kind")
    if kind == "scores":
        return _scores_grammar(path, table)
    if kind == "labels":
        return _labels_grammar(path, table)
    raise DataError(f"{path}: [grammar] kind is {kind!r}; it must be 'scores' or 'labels'")


def _scores_grammar(path: Path, table: Mapping[str, Any]) -> ScoresGrammar:
    _only(path, table, {"kind", "low", "high", "separator", "terminator"})
    low, high = table.get("low"), table.get("high")
    if not isinstance(low, int) or not isinstance(high, int) or not 0 <= low < high <= 100:
        raise DataError(f"{path}: [grammar] needs whole numbers with 0 <= low < high <= 100")
    separator, terminator = table.get("separator", " "), table.get("terminator", "\n")
    for name, value in (("separator", separator), ("terminator", terminator)):
        if not isinstance(value, str) or not value or value[0].isdigit() or value[0] == ".":
            raise DataError(f"{path}: [grammar] {name} must be a text that no number can run into")
    return ScoresGrammar(low=low, high=high, separator=separator, terminator=terminator)


def _labels_grammar(path: Path, table: Mapping[str, Any]) -> LabelsGrammar:
    _only(path, table, {"kind", "labels"})
    labels = table.get("labels")
    if not isinstance(labels, dict) or not all(labels):
        raise DataError(f"{path}: [grammar] needs labels, such as labels = {{ A = 'first', B = 'second' }}")
    seats = {text: member(path, f"[grammar] label {text!r}", Seat, seat) for text, seat in labels.items()}
    for seat in (Seat.FIRST, Seat.SECOND):
        if seat not in seats.values():
            raise DataError(f"{path}: [grammar] no label stands for {seat.value!r}")
    for text in seats:
        longer = [other for other in seats if other != text and other.startswith(text)]
        if longer:
            raise DataError(
                f"{path}: [grammar] label {text!r} begins {longer[0]!r}; one could not be told from the other"
            )
    return LabelsGrammar(labels=seats)


def _only(path: Path, table: Mapping[str, Any], known: set[str]) -> None:
    for key in table:
        if key not in known:
            raise DataError(f"{path}: [grammar] unknown key {key!r}; known keys: {', '.join(sorted(known))}")


def member(path: Path, name: str, kind: type[E], value: Any) -> E:
    """Return an enum's member by value.

    Raises:
        DataError: there is no such member; the sentence names those there are.
    """
    try:
        return kind(value)
    except ValueError as error:
        known = ", ".join(repr(member.value) for member in kind)
        raise DataError(f"{path}: {name} is {value!r}; it must be one of {known}") from error
