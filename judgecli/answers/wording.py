"""Pieces of the sentences that errors and notes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_N_SHOWN = 5
_N_CHARACTERS = 60


def shown(text: str, n_characters: int = _N_CHARACTERS) -> str:
    """Return foreign text fit for a one-line message: cut, and control characters escaped.

    An id or a field name comes from a file anyone may have written; raw, it could move the cursor.
    """
    cut = text if len(text) <= n_characters else f"{text[:n_characters]}..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def listed(names: Iterable[str], n_shown: int = _N_SHOWN, n_characters: int = _N_CHARACTERS) -> str:
    """Return the first few names and how many more there are; `none` for n = 0."""
    everything = list(names)
    if not everything:
        return "none"
    text = ", ".join(shown(name, n_characters) for name in everything[:n_shown])
    n_more = len(everything) - n_shown
    return f"{text}, ... ({n_more} more)" if n_more > 0 else text


def fields_there(value: Mapping[str, Any]) -> str:
    """Return the field names of a row, for an error that misses one."""
    return f"fields there: {listed(value, n_shown=12)}"


def counted(n: int, noun: str) -> str:
    """Return `1 row`, `2 rows`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def none_of(n: int, noun: str) -> str:
    """Return `its one row is not`, `none of its 2 rows is`."""
    return f"its one {noun} is not" if n == 1 else f"none of its {n} {noun}s is"


def with_article(noun: str) -> str:
    """Return `a row`, `an id`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"
