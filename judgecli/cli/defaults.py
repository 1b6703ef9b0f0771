"""Defaults from `judge.toml` or `[tool.judge]` in `pyproject.toml`; flags and environment win over them."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from judgecli.errors import UsageError


def read_defaults(folder: Path, known: Iterable[str]) -> dict[str, Any]:
    """Return the defaults of the nearest folder that has some, by parameter name.

    `known` are the option names without their dashes: `min-mass`.

    Raises:
        UsageError: a defaults file cannot be read, or has an unknown key.
    """
    names = set(known)
    for path, table in _tables(folder):
        for key in table:
            if key not in names:
                raise UsageError(
                    f"{path}: {key!r} is no option of judge; use an option's name without its dashes"
                )
        return {key.replace("-", "_"): value for key, value in table.items()}
    return {}


def _tables(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for place in (folder, *folder.parents):
        own = place / "judge.toml"
        if own.is_file():
            yield own, _load(own)
        project = place / "pyproject.toml"
        if project.is_file():
            table = _load(project).get("tool", {}).get("judge")
            if isinstance(table, dict):
                yield project, table


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot read the defaults ({error})") from error
