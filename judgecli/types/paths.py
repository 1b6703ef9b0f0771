"""Looking at paths that a user typed: one that no file can have, or that may not be looked at, is not there.

`pathlib` raises for a name that is too long and for a folder without permission.
"""

from __future__ import annotations

import os
from pathlib import Path


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
