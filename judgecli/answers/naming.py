"""What to call the two sides: the models' names in the files, else the files' own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from judgecli.answers.files import file_name, file_stem
from judgecli.answers.joining import Joined
from judgecli.answers.options import AnswerFile
from judgecli.types import Response


def two_files(a: AnswerFile, b: AnswerFile) -> tuple[str, str]:
    """Return the names of both sides, told apart by file where the models are called the same."""
    names = _model(a.responses) or file_stem(a.path), _model(b.responses) or file_stem(b.path)
    if names[0] != names[1]:
        return names
    stems = file_stem(a.path), file_stem(b.path)
    if stems[0] == stems[1]:
        stems = _with_folder(a.path), _with_folder(b.path)
    if stems[0] == stems[1]:
        stems = "A", "B"
    return _joined(names[0], stems[0]), _joined(names[1], stems[1])


def one_file(answers: AnswerFile, pairs: Sequence[Joined]) -> tuple[str, str]:
    """Return the names of both sides of a file of pairs: its models, else its answer fields."""
    a, b = _model([pair.a for pair in pairs]), _model([pair.b for pair in pairs])
    if a and b and a != b:
        return a, b
    if answers.one_sided:
        return "A (drawn)", "B (drawn)"
    return answers.fields_used["response_a"], answers.fields_used["response_b"]


def _model(responses: Sequence[Response]) -> str | None:
    """Return the one model that all rows name; None where they name several or none."""
    models = {response.model for response in responses}
    return models.pop() if len(models) == 1 else None


def _with_folder(path: str) -> str:
    folders = re.split(r"[\\/]", file_name(path))[:-1]
    return "/".join([*folders[-1:], file_stem(path)])


def _joined(name: str, stem: str) -> str:
    return stem if stem.endswith(name) else f"{name} ({stem})"
