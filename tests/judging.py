"""Small inputs and scripted judges for tests that run the whole path, and what came of a command."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
JUDGELM = ("--prompt", "judgelm")


@dataclass(frozen=True)
class Done:
    """What a command left behind: exit code, stdout and stderr."""

    code: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The one line that a refused command ends with on stderr; it has no traceback above it."""
        assert "Traceback" not in self.err, self.err
        last = self.err.splitlines()[-1]
        assert last.startswith("judge: "), self.err
        return last.removeprefix("judge: ")

    @property
    def report(self) -> Any:
        """The JSON on stdout, read as strictly as another program would."""
        return strict_json(self.out)


def strict_json(text: str) -> Any:
    """Read one JSON value; bare NaN and Infinity, which only Python reads, are errors."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def write_jsonl(path: Path, rows: Iterable[Row]) -> Path:
    """Write rows as JSON Lines, characters beyond ASCII as they are."""
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_text(text, encoding="utf-8")
    return path


def read_rows(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the rows of one kind (header, pair, judgment) of a run file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [row for row in rows if row["row"] == kind]


def last_rows(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the last judgment of each (pair, order), seconds aside."""
    last = {}
    for row in read_rows(path, "judgment"):
        del row["elapsed_s"]
        last[row["item_id"], row["order"]] = row
    return last


def answers(*texts: str, **more: Any) -> list[Row]:
    """Return answers to q1, q2, ... in the plain format."""
    return [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": text, **more}
        for n, text in enumerate(texts, 1)
    ]


def two_files(folder: Path, a: Sequence[str], b: Sequence[str]) -> tuple[str, str]:
    """Write a.jsonl and b.jsonl with these answers; return their names."""
    write_jsonl(folder / "a.jsonl", answers(*a))
    write_jsonl(folder / "b.jsonl", answers(*b))
    return "a.jsonl", "b.jsonl"


def script(folder: Path, *rules: Row | str, name: str = "judge.jsonl") -> tuple[str, ...]:
    """Write a scripted judge and return the options that ask it; a text is a rule that always replies so."""
    lines = [json.dumps({"reply": rule} if isinstance(rule, str) else rule) for rule in rules]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return ("--model", f"scripted:{name}", *JUDGELM)


def prefers(word: str) -> list[Row]:
    """Return the rules of a judge that prefers the answer with a word in it, whatever its seat."""
    first = rf"Start of Assistant 1's Answer\](?:(?!\[The End).)*{word}"
    return [{"matches": first, "reply": "9 3"}, {"matches": word, "reply": "3 9"}, {"reply": "7 7"}]
