"""Looking at paths that a user typed: one that no file can have, or that may not be looked at, is not there.

`pathlib` raises for a name that is too long and for a folder without permission.
"""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from judgecli.errors import UsageError


def is_there(path: Path) -> bool:
    """Whether there is anything at a path."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: Path) -> bool:
    """Whether there is a file at a path."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: Path) -> bool:
    """Whether there is a folder at a path."""
    return os.path.isdir(path)  # noqa: PTH112


def is_same_place(path: Path, other: Path) -> bool:
    """Whether two paths lead to the same place, links followed."""
    return os.path.realpath(path) == os.path.realpath(other)


def check_folder(option: str, name: str | PathLike[str]) -> None:
    """Refuse what an option cannot name as a folder; its `~` is for who opens it to replace.

    Raises:
        UsageError: it names none, or one in a home that there is not.
    """
    if name == "":
        raise UsageError(f"{option} must name a folder, not ''; or leave it out")
    expanded = os.path.expanduser(os.fspath(name))  # noqa: PTH111 - pathlib's raises without a home
    if expanded.startswith("~"):
        home = Path(expanded).parts[0]
        raise UsageError(
            f"{option}: there is no home folder {home}; write ./{home} for a folder of that name"
        )
