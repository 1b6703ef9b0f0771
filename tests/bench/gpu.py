"""A 7B LLaMA of random weights on a GPU: pairs a second, and how close that is to bare prompts."""

import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from judgecli.backends.llama_cpp import LlamaCppBackend, fitting_layout
from judgecli.backends.llama_cpp.distribution import Limits
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.sides import EngineSide
from judgecli.types import EngineOptions, depth_first
from tests.bench.alternating import Arm, measure, spread
from tests.bench.weights import write_random_7b
from tests.bench.work import Work, pandalm_pairs

SKIPPED = "| 7B on a GPU | skipped | this build of llama.cpp has no GPU | 20 pairs/s on an H200 |"
N_CTX = 2048
N_PAIRS = 40
WINDOWS = (1, 4, 8)


def measured(data: Path, folder: Path, n_rounds: int) -> Iterator[str]:
    work = pandalm_pairs(data, N_PAIRS)
    weights = write_random_7b(
        folder / "random-7b.gguf", texts=[request.prompt.text for request in work.requests]
    )
    for n_prompts in WINDOWS:
        yield _speed(weights, work, n_rounds, n_prompts)
    yield _bits(weights, work)


def _speed(weights: Path, work: Work, n_rounds: int, n_prompts: int) -> str:
    options = EngineOptions(prompts_per_call=n_prompts)
    layout = fitting_layout(weights, n_ctx=N_CTX, engine=options, writes_reasons=False)
    side = EngineSide(layout, partial(LlamaModel, weights, engine=options), work.requests[0])
    with LlamaModel(weights, vocab_only=True) as model:
        units = [model.tokenizer.encode(request.prompt) for request in work.requests]
    walked = [units[n] for n in depth_first(request.path for request in work.requests)]
    side.start()
    try:
        limits = Limits(n_branches=3)
        times = measure(
            {
                "engine": Arm(lambda: side.judge(work.requests, limits)),
                "prefill": Arm(lambda: side.prefill(walked)),
            },
            n_rounds,
        )
    finally:
        side.close()
    pairs_per_s = work.n_pairs / statistics.median(times.seconds["engine"])
    name = f"random 7B Q4_K_M on a GPU, {work.name}, {n_prompts} prompts a call"
    ratio = spread(times.ratio("engine", "prefill"))
    return f"| {name} | 3 branches / prefill | {ratio}, {pairs_per_s:.1f} pairs/s | 20 pairs/s on an H200 |"


def _bits(weights: Path, work: Work) -> str:
    """Whether a prompt's distribution is the same bits alone, with all others, and with these reversed."""
    asked = work.requests[:8]
    options = EngineOptions(prompts_per_call=1)
    with LlamaCppBackend(weights, n_ctx=N_CTX, engine=options) as backend:
        runs = [list(backend.judge(asked)), list(backend.judge(asked[::-1]))]
        runs.append([one for request in asked for one in backend.judge([request])])
    found = [{(c.request.item_id, c.request.order): c.distribution for c in run} for run in runs]
    same = "the same bits" if found[0] == found[1] == found[2] else "not the same bits"
    return f"| one prompt a call on a GPU, full, reversed and alone | distributions | {same} | |"
