"""Arguments of the wrong type, refused in a sentence as on the command line."""

from __future__ import annotations

import os
from typing import Any

from judgecli.errors import UsageError

_N_SHOWN = 40


def path_text(name: str, value: Any) -> str:
    """Return a path as text.

    Raises:
        UsageError: it is none.
    """
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"{name} must be the path of a file, not {value!r:.{_N_SHOWN}}")
    return os.fspath(value)


def optional_path(name: str, value: Any) -> str | None:
    """Return a path as text, None for none.

    Raises:
        UsageError: it is something else.
    """
    return None if value is None else path_text(name, value)


def number(name: str, value: Any) -> float:
    """Return a number.

    Raises:
        UsageError: it is none; true and false are none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{name} must be a number, not {value!r:.{_N_SHOWN}}")
    return value
