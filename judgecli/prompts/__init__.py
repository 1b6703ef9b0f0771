"""Prompt families: how each kind of judge is asked. A new family is one new TOML file in families/."""

from __future__ import annotations

from pathlib import Path

from judgecli.errors import DataError
from judgecli.prompts.asking import ASPECTS, Asking, Rubric, Shot, Shots
from judgecli.prompts.chat_template import named_template
from judgecli.prompts.checking import check_items
from judgecli.prompts.family import PromptFamily, Task, Wrapper, is_off_protocol
from judgecli.prompts.family_file import read_family
from judgecli.prompts.follow_up import FollowUp, follow_up
from judgecli.prompts.rendering import render
from judgecli.prompts.rubric_file import read_rubric
from judgecli.prompts.shots_file import read_shots
from judgecli.types.paths import is_there

__all__ = [
    "ASPECTS",
    "Asking",
    "FollowUp",
    "PromptFamily",
    "Rubric",
    "Shot",
    "Shots",
    "Task",
    "Wrapper",
    "check_items",
    "family_names",
    "follow_up",
    "is_off_protocol",
    "load_family",
    "named_template",
    "read_rubric",
    "read_shots",
    "render",
]

_FAMILIES = Path(__file__).parent / "families"


def family_names() -> list[str]:
    """Return the names of the families that come with judgecli."""
    return sorted(file.stem for file in _FAMILIES.glob("*.toml"))


def load_family(name: str) -> PromptFamily:
    """Return a family by name, or from a user's own TOML file.

    Raises:
        DataError: there is no such family, or its file is wrong.
    """
    if name in family_names():
        return read_family(_FAMILIES / f"{name}.toml")
    path = Path(name)
    if path.suffix == ".toml" or is_there(path):
        family = read_family(path)
        if family.name in family_names():
            message = f"{path}: the name {family.name!r} is that of a family of judgecli's own"
            raise DataError(f"{message}, which reports would take it for; choose another")
        return family
    known = ", ".join(family_names())
    raise DataError(f"no prompt family {name!r}; there are {known}, or give a TOML file of your own")
