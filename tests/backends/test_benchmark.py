"""What the arms of a benchmark evaluate and write; how fast they are is nobody's promise."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.llama_cpp import open_tokenizer
from judgecli.backends.llama_cpp.benchmark import ArmBench, EngineTrials, Work
from judgecli.backends.llama_cpp.completion_loop import CompletionLoop, tuned_settings
from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.library import load_library
from judgecli.backends.llama_cpp.memory import DeviceMemory, Memory
from judgecli.backends.llama_cpp.sides import EngineSide, LoopSide
from judgecli.types import EngineOptions
from judgecli.types.measurements import Arm, Pass
from tests.backends.asking import requests_for
from tests.decoding import needs_llama_cpp
from tests.random_models import write_llama, write_recurrent

pytestmark = needs_llama_cpp

ONE_THREAD = EngineOptions(n_threads=1)
N_REASON_TOKENS = 5
WRITTEN = 4  # tokens the loop writes for a verdict


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("weights") / "random.gguf")


def work(n_pairs: int = 4, n_explained: int = 1) -> Work:
    requests = requests_for(n_pairs)
    explained = [replace(one, n_reason_tokens=N_REASON_TOKENS) for one in requests[: 2 * n_explained]]
    return Work(
        requests=tuple(requests),
        explained=tuple(explained),
        n_reason_tokens=N_REASON_TOKENS if explained else 0,
        n_ctx=512,
    )


def measured(path: Path, engine: EngineOptions = ONE_THREAD, **more: int) -> dict[Arm, Pass]:
    with ArmBench(path, work(**more), engine) as bench:
        first = {arm: bench.measure(arm) for arm in bench.arms}
        again = {arm: bench.measure(arm) for arm in bench.arms}
    # every pass starts with an empty cache
    assert {arm: counts(one) for arm, one in again.items()} == {
        arm: counts(one) for arm, one in first.items()
    }
    return first


def counts(one: Pass) -> tuple[int, int]:
    return one.n_evaluated_tokens, one.n_written_tokens


def prompts(path: Path) -> list[list[list[int]]]:
    """Return the tokens by unit of all prompts, pair by pair."""
    with open_tokenizer(path) as tokenizer:
        return [tokenizer.encode(request.prompt) for request in work().requests]


def trie_tokens(units: list[list[list[int]]]) -> int:
    """Count each unit once for all prompts that have it after the same beginning."""
    begun = {tuple(map(tuple, one[:depth])) for one in units for depth in range(1, len(one) + 1)}
    return sum(len(path[-1]) for path in begun)


def is_loop(one: Pass, n_new: int, n_prompts: int, n_written: int) -> bool:
    """Whether a pass wrote so much and evaluated all but the last token of each text.

    The last one too where a text ends within a character.
    """
    n_least = n_new + n_prompts * (n_written - 1)
    return (
        one.n_written_tokens == n_prompts * n_written and 0 <= one.n_evaluated_tokens - n_least <= n_prompts
    )


def loop_tokens(units: list[list[list[int]]]) -> int:
    """Count what each prompt does not share with the one before."""
    ids = [list(chain.from_iterable(one)) for one in units]
    shared = sum(
        next(n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b)
        for old, new in pairwise(ids)
    )
    return sum(map(len, ids)) - shared


def test_each_arm_does_its_work(weights: Path) -> None:
    found, units = measured(weights), prompts(weights)
    assert list(found) == list(Arm)
    assert counts(found[Arm.PREFILL]) == (trie_tokens(units), 0)
    # a label that is one token needs no branch
    assert counts(found[Arm.SCORES]) == (trie_tokens(units), len(units))
    assert is_loop(found[Arm.LOOP], loop_tokens(units), len(units), WRITTEN)
    assert is_loop(found[Arm.LOOP_TUNED], loop_tokens(units), len(units), WRITTEN)
    assert is_loop(found[Arm.LOOP_REASONS], loop_tokens(units[:2]), 2, N_REASON_TOKENS)
    assert found[Arm.REASONS].n_written_tokens == 2 * (1 + N_REASON_TOKENS)
    assert all(one.elapsed_s > 0 for one in found.values())


def test_without_reasons_there_are_four_arms(weights: Path) -> None:
    assert list(measured(weights, n_explained=0)) == list(Arm)[:4]


def test_where_memory_is_short_one_side_at_a_time_is_open(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = measured(weights)
    is_open: set[EngineSide | LoopSide] = set()
    most = 0

    def noted(kind: type[Any], change: Callable[[Any], None], name: str) -> None:
        original = getattr(kind, name)

        def call(side: Any) -> None:
            nonlocal most
            original(side)
            change(side)
            most = max(most, len(is_open))

        monkeypatch.setattr(kind, name, call)

    for kind in (EngineSide, LoopSide):
        noted(kind, is_open.add, "start")
        noted(kind, is_open.discard, "close")
    scarce = Memory(host=DeviceMemory(name="CPU", total_bytes=1 << 40, free_bytes=1 << 20))
    monkeypatch.setattr("judgecli.backends.llama_cpp.benchmark.available_memory", lambda: scarce)
    found = measured(weights)
    assert {arm: counts(one) for arm, one in found.items()} == {
        arm: counts(one) for arm, one in expected.items()
    }
    assert (most, is_open) == (1, set())


def test_several_prompts_a_call_are_prefilled_like_that_too(weights: Path) -> None:
    engine = EngineOptions(n_threads=1, prompts_per_call=4)
    found = measured(weights, engine, n_explained=0)
    assert found[Arm.PREFILL].n_evaluated_tokens == found[Arm.SCORES].n_evaluated_tokens
    assert found[Arm.PREFILL].n_evaluated_tokens > trie_tokens(prompts(weights)) / 2


def test_a_model_that_shares_nothing_is_measured(tmp_path: Path) -> None:
    path = write_recurrent(tmp_path / "recurrent.gguf")
    found = measured(path, n_explained=0)
    everything = sum(len(unit) for one in prompts(path) for unit in one)
    assert found[Arm.PREFILL].n_evaluated_tokens == everything
    assert is_loop(found[Arm.LOOP], everything, len(prompts(path)), WRITTEN)


def test_options_are_tried_on_the_same_prompts(weights: Path) -> None:
    variants = [EngineOptions(n_threads=1, n_ubatch=n) for n in (32, 512)]
    with EngineTrials(weights, work(n_explained=0), ONE_THREAD) as trials, trials.of(variants) as measures:
        found = [counts(measure()) for measure in (*measures, *measures)]
    assert set(found) == {(trie_tokens(prompts(weights)), len(requests_for(4)))}


def loop(path: Path, *, allowed: tuple[int, ...] = (), banned: tuple[int, ...] = ()) -> CompletionLoop:
    """Return a loop that can write the allowed tokens only, if there are any, and no banned ones."""
    with open_tokenizer(path) as tokenizer:
        others = set(range(tokenizer.n_vocab)) - set(allowed) if allowed else set()
    return CompletionLoop(path, {"n_ctx": 256}, banned=sorted(others | set(banned)))


def test_the_loop_cannot_end_a_text_that_may_not_end(weights: Path) -> None:
    end, letter, half_a_character = 2, 3 + ord("a"), 3 + 0xE2
    ids = [1, letter, letter]
    for allowed, banned, n_written in (
        ((end,), (), 0),
        ((end, letter), (end,), 6),
        ((half_a_character,), (), 6),
    ):
        one = loop(weights, allowed=allowed, banned=banned)
        assert one.write([ids], 6) == n_written
        one.close()


def test_the_loop_repacks_weights_only_where_the_engine_does(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lib = load_library()
    defaults = lib.llama_model_default_params
    monkeypatch.setattr("judgecli.backends.llama_cpp.completion_loop.uses_extra_buffers", lambda: False)
    one = loop(weights)
    assert one._llama.model_params.use_extra_bufts is False
    assert lib.llama_model_default_params is defaults
    one.close()


def test_the_tuned_loop_is_set_up_as_the_engine_is(weights: Path) -> None:
    like = ContextOptions(n_ctx=300, n_seq_max=1, n_threads=3, type_k="q8_0")
    engine = EngineOptions(n_ubatch=1024)
    settings = tuned_settings(2048, engine, like)
    one = CompletionLoop(weights, settings, banned=[])
    params = one._llama.context_params
    assert (params.n_threads, params.n_threads_batch, params.n_ubatch) == (3, 3, 1024)
    assert (params.flash_attn_type, params.type_k, params.type_v) == (1, 8, 1)
    one.close()
