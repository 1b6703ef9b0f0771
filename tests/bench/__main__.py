"""Measure what the README says about speed and memory: `python -m tests.bench DATA`.

DATA is a folder with `pandalm/testset-v1.json` and MT-bench's `question.jsonl` and answers in `mt-bench/`, as
their authors publish them. The weights are the demo's, requantized. Takes about half an hour on two cores.
"""

import argparse
import platform
import tempfile
from collections.abc import Iterator
from pathlib import Path

from judgecli.backends.llama_cpp.context import can_offload
from judgecli.backends.llama_cpp.library import versions
from tests.bench import gpu, memory, rows
from tests.bench.weights import requantized
from tests.bench.work import SHORT_PROMPT, pandalm_pairs, round_robin
from tests.places import demo_weights

WHAT = ("scores", "scores-q4_1", "ranking", "reasons", "memory", "gpu")


def main() -> None:
    arguments = _arguments()
    found = versions()
    machine = f"{_processor()}, Python {platform.python_version()}"
    print(f"{machine}, llama-cpp-python {found['llama_cpp_python']}, {arguments.rounds} rounds\n")
    print("| work | seconds compared | median (range) | target |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for what in arguments.only or WHAT:
            for line in _measured(what, arguments, Path(folder)):
                print(line, flush=True)


def _measured(what: str, arguments: argparse.Namespace, folder: Path) -> Iterator[object]:
    data, n_rounds = arguments.data, arguments.rounds
    if what == "gpu":
        yield from gpu.measured(data, folder, n_rounds) if can_offload() else [gpu.SKIPPED]
        return
    weights = requantized(demo_weights(), folder / "Q4_0.gguf", "Q4_0")
    if what == "scores":
        yield from rows.scores(weights, pandalm_pairs(data, arguments.pairs), n_rounds)
    elif what == "scores-q4_1":
        yield from rows.scores(demo_weights(), pandalm_pairs(data, arguments.pairs), n_rounds)
    elif what == "ranking":
        yield from rows.ranking(weights, round_robin(data, arguments.questions), n_rounds)
    elif what == "reasons":
        n_pairs = max(1, arguments.pairs // 4)
        work = pandalm_pairs(data, n_pairs, n_reason_tokens=rows.N_REASON_TOKENS)
        yield from rows.reasons(weights, work, n_rounds, arguments.parallel)
    else:
        prompt = folder / "short.toml"
        prompt.write_text(SHORT_PROMPT, encoding="utf-8")
        beyond_mb, buffers_mb = memory.measured(weights, prompt, folder)
        held = f"{beyond_mb:.0f} MB beyond {buffers_mb:.0f} MB of weights and buffers"
        yield f"| {memory.N_PAIRS:,} short made-up pairs | peak memory | {held} | at most 200 MB |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--questions", type=int, default=10)
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--only", nargs="+", choices=WHAT)
    return parser.parse_args()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} cores of {names[0]}" if names else platform.machine()


if __name__ == "__main__":
    main()
