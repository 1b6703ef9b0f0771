"""What a benchmark is prepared to measure, and taking turns: what comes when, and how much is left."""

from collections.abc import Callable
from pathlib import Path

import pytest

from judgecli.answers import InputOptions, load_pairs
from judgecli.backends.llama_cpp import open_tokenizer
from judgecli.errors import UsageError
from judgecli.run import PairOptions
from judgecli.run.benchmarking import (
    MADE_UP_PAIRS,
    BenchOptions,
    BenchStep,
    Explained,
    PreparedBench,
    alternate,
    prepare_bench,
)
from judgecli.run.fitting import VERDICT_TOKENS
from judgecli.run.tuning import physical_cores
from judgecli.types.measurements import Pass
from tests.decoding import needs_llama_cpp
from tests.judging import two_files
from tests.random_models import write_llama
from tests.run.made_up import both


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("weights") / "random.gguf")


def prepared(weights: Path, explained: Explained = Explained.HALF, n_ctx: int | None = None) -> PreparedBench:
    source = InputOptions(baseline="a.jsonl", candidate="b.jsonl")
    pair = PairOptions(input=source, model=str(weights), prompt="judgelm", n_ctx=n_ctx)
    return prepare_bench(BenchOptions(pair=pair, explained=explained))


@needs_llama_cpp
def test_reasons_are_for_all_pairs_for_half_of_them_or_for_none(folder: Path, weights: Path) -> None:
    two_files(folder, ["one", "two", "three"], ["four", "five", "six"])
    asked = {kind: prepared(weights, kind).work for kind in Explained}
    assert {kind: len(work.explained) for kind, work in asked.items()} == {"all": 6, "half": 4, "none": 0}
    assert {kind: work.n_reason_tokens for kind, work in asked.items()} == {"all": 64, "half": 64, "none": 0}
    work = asked[Explained.HALF]
    assert [(one.item_id, one.order) for one in work.requests] == both("q1", "q2", "q3")
    assert [(one.item_id, one.order) for one in work.explained] == both("q1", "q2")
    assert {one.n_reason_tokens for one in work.explained} == {64}


@needs_llama_cpp
def test_reasons_get_what_the_context_leaves(folder: Path, weights: Path) -> None:
    two_files(folder, ["one", "two"], ["three", "four and a few words more"])
    with open_tokenizer(weights) as tokenizer:
        prompts = [one.prompt for one in prepared(weights).work.requests]
        longest = max(sum(map(len, tokenizer.encode(prompt))) for prompt in prompts)
    for n_left in (2, 0):
        bench = prepared(weights, n_ctx=longest + VERDICT_TOKENS + n_left)
        assert bench.work.n_reason_tokens == n_left
        assert bool(bench.work.explained) is (n_left > 0)
        assert f"reasons have {n_left} tokens, which is what the context leaves" in bench.setup.notes


def test_every_other_round_goes_backwards_and_the_first_does_not_count() -> None:
    called: list[str] = []
    steps: list[BenchStep] = []

    def measure(name: str) -> Callable[[], Pass]:
        def once() -> Pass:
            called.append(name)
            return Pass(elapsed_s=float(len(called)), n_evaluated_tokens=1)

        return once

    passes = alternate([(name, measure(name)) for name in "abc"], 2, steps.append)
    assert "".join(called) == "abc" + "cba" + "abc"
    assert [[one.elapsed_s for one in each] for each in passes] == [[6.0, 7.0], [5.0, 8.0], [4.0, 9.0]]
    assert [(step.name, step.repeat) for step in steps[2:5]] == [("c", 0), ("c", 1), ("b", 1)]
    assert [step.left_s for step in steps[:3]] == [None, None, 2 * (1.0 + 2.0 + 3.0)]
    assert steps[4].left_s == 1.0 + (4.0 + 5.0 + 1.0)
    assert steps[-1].left_s == 0.0


def test_made_up_pairs_come_with_the_package_and_differ() -> None:
    pairs = load_pairs(InputOptions(baseline=str(MADE_UP_PAIRS))).pairs
    assert len(pairs) == 12
    assert len({pair.instruction for pair in pairs}) == 12
    assert all(pair.response_a.output != pair.response_b.output for pair in pairs)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n_repeats": 0}, "--repeat must be a whole number from 1 to 100, not 0"),
        ({"n_reason_tokens": 513}, "--reason-tokens must be a whole number from 1 to 512, not 513"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(wrong: dict[str, int], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        BenchOptions(pair=PairOptions(input=InputOptions(baseline="a.jsonl")), **wrong)


def test_threads_of_one_core_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    for n, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        place = tmp_path / f"cpu{n}" / "topology"
        place.mkdir(parents=True)
        (place / "thread_siblings_list").write_text(f"{siblings}\n", encoding="utf-8")
    assert physical_cores(tmp_path) == 2
    assert physical_cores(tmp_path / "elsewhere") is None
