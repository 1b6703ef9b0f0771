"""Measure what a cache saves: `python -m tests.bench.cache_speed`.

The demo judge judges made-up pairs; then one answer in twenty is changed, and all is judged again into
another run file. Both runs are whole processes, from the start of Python to the report. Takes minutes.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.places import demo_weights

TARGET = 15
_CHANGED = 20  # one answer in so many
_TEXT = (
    "the water boils when heat moves from a flame into the pan and small bubbles rise because vapour is "
    "lighter than what lies above it so a cook who waits too long finds that half of the soup has left "
    "through an open window while another who covers it with a lid keeps most and needs less fire"
)
_WORDS = _TEXT.split()


@dataclass(frozen=True)
class Took:
    """What a process took: seconds on the clock, and of all cores together."""

    elapsed_s: float
    cpu_s: float
    said: str


def main() -> None:
    arguments = _arguments()
    weights = demo_weights()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        chance = random.Random(arguments.seed)
        questions = [f"Why is it that {_text(chance, 8)}?" for _ in range(arguments.pairs)]
        baseline, candidate = ([_text(chance, arguments.words) for _ in questions] for _ in range(2))
        _write(folder / "a.jsonl", questions, baseline)
        _write(folder / "b.jsonl", questions, candidate)
        first = _run(folder, weights, "first.jsonl")
        for index in chance.sample(range(arguments.pairs), max(1, arguments.pairs // _CHANGED)):
            candidate[index] = _text(chance, arguments.words)
        _write(folder / "b.jsonl", questions, candidate)
        second = _run(folder, weights, "second.jsonl")
    print(f"{arguments.pairs} pairs, answers of {arguments.words} words")
    print(f"first run   {first.elapsed_s:8.1f} s ({first.cpu_s:.1f} s of CPU), {first.said}")
    print(f"second run  {second.elapsed_s:8.1f} s ({second.cpu_s:.1f} s of CPU), {second.said}")
    ratio = first.elapsed_s / second.elapsed_s
    by_cpu = first.cpu_s / second.cpu_s
    print(f"ratio       {ratio:8.1f} (by CPU time {by_cpu:.1f}), at least {TARGET}")
    sys.exit(ratio < TARGET)


def _text(chance: random.Random, n_words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=n_words))


def _write(path: Path, questions: Sequence[str], texts: Sequence[str]) -> None:
    rows = (
        {"id": f"q{n}", "question": question, "answer": text}
        for n, (question, text) in enumerate(zip(questions, texts, strict=True))
    )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _run(folder: Path, weights: Path, out: str) -> Took:
    command = [sys.executable, "-m", "judgecli", "pair", "a.jsonl", "b.jsonl", "--model", str(weights)]
    command += ["--cache-dir", "store", "--out", out, "--format", "json"]
    before, started_s = os.times(), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    elapsed_s, after = time.monotonic() - started_s, os.times()
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    said = next(line for line in done.stderr.splitlines() if line.endswith("from the cache"))
    return Took(elapsed_s, cpu_s, said)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--words", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
