"""What to call the models: by their names in the files, else by the files' own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from judgecli.answers.files import file_name, file_stem
from judgecli.answers.joining import Joined
from judgecli.answers.loaded import AnswerFile
from judgecli.types import DRAWN_MODELS, LETTERS, Response


def model_names(files: Sequence[AnswerFile]) -> tuple[str, ...]:
    """Return a name for each file's model; models of one name are told apart by file, folder or letter."""
    names = [_model(file.responses) or file_stem(file.path) for file in files]
    stems = [file_stem(file.path) for file in files]
    apart = [
        stem if _is_lone(index, names, stems) else _with_folder(files[index].path)
        for index, stem in enumerate(stems)
    ]
    apart = [where if _is_lone(index, names, apart) else LETTERS[index] for index, where in enumerate(apart)]
    counts = Counter(names)
    told = [
        _joined(name, where) if counts[name] > 1 else name for name, where in zip(names, apart, strict=True)
    ]
    if len(set(told)) < len(told):  # a name that looks like another one told apart
        told = [f"{name} ({letter})" for name, letter in zip(told, LETTERS, strict=False)]
    return tuple(told)


def _is_lone(index: int, names: Sequence[str], places: Sequence[str]) -> bool:
    """Whether no other model of the same name has the same place."""
    both = list(zip(names, places, strict=True))
    return both.count(both[index]) == 1


def one_file(answers: AnswerFile, pairs: Sequence[Joined]) -> tuple[str, str]:
    """Return the names of both sides of a file of pairs: its models, else its answer fields."""
    a, b = (_model([pair.responses[seat] for pair in pairs]) for seat in (0, 1))
    if a and b and a != b:
        return a, b
    if answers.one_sided:
        return DRAWN_MODELS
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
