"""Peak memory of judging 5,000 short pairs, beyond what llama.cpp itself holds."""

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

from judgecli.backends.llama_cpp import LlamaCppBackend
from judgecli.backends.llama_cpp.library import captured_log

N_PAIRS = 5000
_BUFFER = re.compile(r"(?:model|KV|compute|output) buffer size\s*=\s*([\d.]+) MiB")
_PLACES = ("oak", "hill", "mill", "ford", "lake", "reed", "moor", "dale", "wood", "stone")


def measured(weights: Path, prompt: Path, folder: Path) -> tuple[float, float]:
    """Return the peak in MB beyond llama.cpp's buffers, and those buffers in MB, of a run in a new process.

    Buffers count in full, though a page that was never written is not in memory.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.memory", str(weights), str(prompt), str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return found["beyond_mb"], found["buffers_mb"]


def write_pairs(path: Path) -> Path:
    """Write made-up pairs whose prompts have about 40 tokens."""
    lines = []
    for number in range(N_PAIRS):
        first, second = (_PLACES[number // n % 10] for n in (10, 100))
        row = {
            "id": number,
            "question": f"Which way to the {first} {second}, number {number}?",
            "answer_a": f"Past the {second}, then left.",
            "answer_b": f"Right at the {first}.",
        }
        lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(weights: Path, prompt: Path, folder: Path) -> None:
    import judgecli

    pairs = write_pairs(folder / "pairs.jsonl")
    buffers: list[float] = []
    opened = LlamaCppBackend.__init__

    def noted(self: LlamaCppBackend, *given: object, **more: object) -> None:
        with captured_log() as log:
            opened(self, *given, **more)  # type: ignore[arg-type]
        # a dry load that measures the need comes first
        loaded = "".join(log).rpartition("loading model tensors")[2]
        buffers.extend(float(mib) for mib in _BUFFER.findall(loaded))

    LlamaCppBackend.__init__ = noted  # type: ignore[method-assign]
    result = judgecli.pair(
        pairs, model=str(weights), prompt=str(prompt), min_mass=0.0, out=folder / "run.jsonl", fresh=True
    )
    assert result.summary.counts.n_verdicts == N_PAIRS
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    buffers_mb = sum(buffers) * 1024**2 / 1e6
    print(json.dumps({"beyond_mb": peak_mb - buffers_mb, "buffers_mb": buffers_mb}))


if __name__ == "__main__":
    run(*(Path(name) for name in sys.argv[1:4]))
