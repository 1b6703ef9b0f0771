"""Made-up answer files for the tests of the input layer."""

import json
from pathlib import Path
from typing import Any

from judgecli.answers import InputOptions, PairedInput, load_pairs

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
