"""Folders: of those that are read, the folder of a HELM run, as one object.

It has `scenario_state.json`, or `instances.json` and `display_predictions.json`, which say the same in short.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from judgecli.answers.containers import Row, parse_json
from judgecli.answers.files import A_FOLDER, file_name, numbered_lines, open_stream
from judgecli.errors import DataError
from judgecli.types import Source

_STATE = "scenario_state.json"
_PARTS = ("instances.json", "display_predictions.json")
_SPEC = "run_spec.json"


def folder_row(path: str, name: str) -> Row:
    """Return the object that a folder stands for: the contents of its files by their names without suffix.

    Raises:
        DataError: It is not the folder of a HELM run, or one of the files cannot be read.
    """
    folder = Path(path)
    source = Source(file=name)
    if (folder / _STATE).is_file():
        state = _content(folder / _STATE)
        return Row(state if isinstance(state, dict) else {"request_states": state}, source, 1)
    there = [part for part in _PARTS if (folder / part).is_file()]
    if not there:
        raise DataError(f"{name}: {A_FOLDER}")
    if len(there) < len(_PARTS):
        (lacking,) = set(_PARTS) - set(there)
        raise DataError(f"{name}: has {there[0]} and no {lacking}; a HELM run is read from both")
    spec = [_SPEC] if (folder / _SPEC).is_file() else []
    return Row({part.removesuffix(".json"): _content(folder / part) for part in (*there, *spec)}, source, 1)


def _content(path: Path) -> Any:
    file = file_name(str(path))
    with open_stream(str(path)) as stream:
        value, _ = parse_json("".join(line.text for line in numbered_lines(stream, file)), file, 1)
        return value
