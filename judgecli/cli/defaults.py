"""Defaults from `judge.toml` or `[tool.judge]` in `pyproject.toml`; flags and environment win over them."""

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from judgecli.cli.options import Form
from judgecli.errors import UsageError
from judgecli.types.paths import is_file


def default_map(commands: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the defaults that hold in a folder for some commands, as the default map of Typer's context.

    The nearest folder upwards that has some decides. A key is an option's name without its dashes
    (`min-mass`) and holds for each of the commands that has the option.

    Raises:
        UsageError: a defaults file cannot be read, or has an unknown key or a value that no option takes.
    """
    for path, table in _tables(folder):
        known = {key for command in commands.values() for key in _options(command)}
        for key, value in table.items():
            if key not in known:
                message = f"{path}: {key!r} is no option of judge"
                raise UsageError(f"{message}; use an option's name without its dashes")
            if not isinstance(value, str | int | float) and not _is_list_of_texts(value):
                raise UsageError(f"{path}: {key} must be a text, a number, true or false")
        return {name: _mapped(command, table) for name, command in commands.items()}
    return {}


def default_of(key: str, folder: Path) -> tuple[Any, Path] | None:
    """Return the default that holds in a folder for an option, and the file it is from; None where none does.

    Raises:
        UsageError: a defaults file cannot be read.
    """
    for path, table in _tables(folder):
        return (table[key], path) if key in table else None
    return None


def _options(command: Any) -> Iterator[str]:
    for sub in getattr(command, "commands", {}).values():
        yield from _options(sub)
    yield from (key for parameter in command.params for key in _keys(parameter))


def _keys(parameter: Any) -> list[str]:
    return [name.removeprefix("--") for name in parameter.opts if name.startswith("--")]


def _mapped(command: Any, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the map of a command, by its parameters' names, which need not be their options'."""
    subs = {name: _mapped(sub, table) for name, sub in getattr(command, "commands", {}).items()}
    own = {
        parameter.name: _listed(table[key]) if parameter.multiple else table[key]
        for parameter in command.params
        if not subs
        for key in _keys(parameter)
        if key in table and _takes(parameter, table[key])
    }
    return subs or own


def _takes(parameter: Any, value: Any) -> bool:
    """Whether an option follows a default: a format of reports is nothing to commands that write none."""
    usual: object = parameter.default
    if not isinstance(usual, StrEnum):
        return True
    return value not in list(Form) or value in list(type(usual))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _tables(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for place in (folder, *folder.parents):
        own = place / "judge.toml"
        if is_file(own):
            yield own, _load(own)
        project = place / "pyproject.toml"
        tool = _load(project).get("tool") if is_file(project) else None
        if isinstance(tool, dict) and "judge" in tool:
            if not isinstance(tool["judge"], dict):
                raise UsageError(f"{project}: tool.judge must be a table, as in [tool.judge]")
            yield project, tool["judge"]


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path}: cannot read the defaults ({error}); mend the file") from error
