"""Made-up answer files for the tests of the input layer."""

import json
from pathlib import Path
from typing import Any

from judgecli.answers import (
    AnswersOptions,
    InputOptions,
    LoadedAnswers,
    PairedInput,
    load_answers,
    load_many,
    load_pairs,
)

Rows = list[dict[str, Any]]


def write_jsonl(path: Path, rows: Rows) -> str:
    """Write rows as JSON Lines and return the path as an option."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def write_bytes(path: Path, content: bytes) -> str:
    """Write a file byte for byte and return the path as an option."""
    path.write_bytes(content)
    return str(path)


def answers(*ids: str, **fields: Any) -> Rows:
    """Return one plain row an id: question `<id>?`, answer `answer to <id>`."""
    return [{"id": i, "question": f"{i}?", "answer": f"answer to {i}", **fields} for i in ids]


def load(folder: Path, a: Rows, b: Rows | None = None, **options: Any) -> PairedInput:
    """Write `a.jsonl` and `b.jsonl` into a folder and load them."""
    candidate = None if b is None else write_jsonl(folder / "b.jsonl", b)
    return load_pairs(
        InputOptions(baseline=write_jsonl(folder / "a.jsonl", a), candidate=candidate, **options)
    )


def load_files(folder: Path, *files: Rows, **options: Any) -> LoadedAnswers:
    """Write `a.jsonl`, `b.jsonl`, ... into a folder and load them as one model's answers, or as several."""
    names = [
        write_jsonl(folder / f"{letter}.jsonl", rows) for letter, rows in zip("abcdef", files, strict=False)
    ]
    load_them = load_answers if len(names) == 1 else load_many
    return load_them(AnswersOptions(files=tuple(names), **options))


def said(*texts: str, system: str | None = None) -> Rows:
    """Return chat messages: the user's and the assistant's by turns, after a system message if given."""
    first = [] if system is None else [{"role": "system", "content": system}]
    roles = ("user", "assistant") * len(texts)
    return first + [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
