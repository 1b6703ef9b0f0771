"""Runs, verdicts and labels made up for tests of the commands that hold a judge against people."""

from collections.abc import Sequence
from pathlib import Path

from tests.judging import Row, two_files, write_jsonl

RUN = Path("a-vs-b.judge.jsonl")
WORDS = {"A": ("GOOD", "poor"), "B": ("poor", "GOOD"), "tie": ("same sort", "same kind")}


def pair_rows(winners: Sequence[str], **more: object) -> list[Row]:
    """Return pairs in one file; the judge of `tests.judging.prefers("GOOD")` gives them these winners."""
    rows = []
    for n, winner in enumerate(winners, 1):
        a, b = WORDS[winner]
        row = {"id": f"q{n}", "question": f"Question {n}?", "answer_a": f"{a} {n}", "answer_b": f"{b} {n}"}
        rows.append({**row, **more})
    return rows


def two_answer_files(folder: Path, winners: Sequence[str]) -> tuple[str, str]:
    """Write a.jsonl and b.jsonl, whose pairs that judge gives these winners."""
    sides = [WORDS[winner] for winner in winners]
    return two_files(folder, *([f"{side[k]} {n}" for n, side in enumerate(sides)] for k in (0, 1)))


def label_rows(labels: Sequence[str], **more: object) -> list[Row]:
    """Return labels of q1, q2, ... by id."""
    return [{"id": f"q{n}", "winner": label, **more} for n, label in enumerate(labels, 1)]


def votes(*annotators: Sequence[str]) -> list[Row]:
    """Return labels of q1, q2, ... of several annotators."""
    columns = zip(*annotators, strict=True)
    return [
        {"id": f"q{n}", **{f"annotator{k}": label for k, label in enumerate(column, 1)}}
        for n, column in enumerate(columns, 1)
    ]


def sure_verdicts(labels: Sequence[str], wrong: Sequence[int] = ()) -> list[Row]:
    """Return verdicts with probabilities: 0.9 on the label, or 0.6 on another one where wrong."""
    rows = []
    for n, label in enumerate(labels, 1):
        other = {"A": "B", "B": "A", "tie": "A"}[label]
        p = {other: 0.6, label: 0.3} if n in wrong else {label: 0.9, other: 0.05}
        left = round(1 - sum(p.values()), 6)
        named = {f"p_{name.lower()}": p.get(name, left) for name in ("A", "tie", "B")}
        rows.append({"id": f"q{n}", "winner": max(p, key=p.__getitem__), **named})
    return rows


def write_labels(folder: Path, rows: Sequence[Row], name: str = "labels.jsonl") -> str:
    """Write a file of labels; return its name."""
    write_jsonl(folder / name, rows)
    return name
