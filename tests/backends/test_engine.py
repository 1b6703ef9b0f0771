"""The real llama.cpp on the demo weights: what is read is what the logits say, whatever else is judged."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend, describe
from judgecli.backends.llama_cpp.context import ContextOptions, EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.distribution import DistributionReader, log_softmax
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError
from judgecli.prompts import load_family, render
from judgecli.types import (
    Completion,
    Grammar,
    LabelsGrammar,
    Order,
    Piece,
    Prompt,
    Request,
    ScoresGrammar,
    Seat,
)
from tests.made_up import make_pair

pytestmark = pytest.mark.demo

SCORES = ScoresGrammar(low=1, high=10)
# Examples that make a model without training write two scores: its mass on the grammar is then about 0.6.
SHOTS = "Two scores, 1 to 10:\nScores:8 6\nScores:7 9\nScores:10 8.5\nScores:9 10\nScores:6.5 7\n"


@pytest.fixture(scope="module")
def model(demo_path: Path) -> Iterator[LlamaModel]:
    with LlamaModel(demo_path) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def engine(model: LlamaModel) -> Iterator[Engine]:
    with LlamaContext(model, ContextOptions(n_ctx=2048, n_seq_max=250)) as context:
        yield Engine(context, model.tokenizer)


def request(text: str, grammar: Grammar = SCORES, **more: int) -> Request:
    return Request(
        pair_id="q1", order=Order.AB, prompt=Prompt(pieces=(Piece(text=text),)), grammar=grammar, **more
    )


def write_plainly(engine: Engine, request: Request, n_tokens: int) -> str:
    """Generate greedily with nothing but decode and argmax, from an empty cache."""
    context, ids = engine.context, list(chain.from_iterable(engine.tokenizer.encode(request.prompt)))
    context.clear()
    engine._cached = []
    written: list[int] = []
    step, position = ids, 0
    while len(written) < n_tokens:
        rows = Rows()
        rows.extend(step, start=position, sequence=0, want=Want.LAST)
        context.decode(rows)
        position += len(step)
        step = [int(np.argmax(context.logits(len(step) - 1)))]
        written += step
    context.clear()
    return engine.tokenizer.text_of(written).decode()


class TestDistribution:
    def test_llama_cpp_python_1983_equals_softmax_of_logits_computed_directly(self, engine: Engine) -> None:
        """Decimals and `10` included; each verdict's tokens are evaluated by hand, one call a token."""
        asked = request(f"{SHOTS}Scores:")
        units = engine.tokenizer.encode(asked.prompt)
        n_prompt = sum(map(len, units))
        logits = engine._evaluate(units)
        reader = DistributionReader(engine.context, engine.tokenizer, covered_share=0.9)
        distribution, _ = reader.read(engine._trie(asked), logits, n_prompt)
        ranked = sorted(distribution.p, key=distribution.p.__getitem__, reverse=True)
        decimals = [text for text in ranked if "." in text][:3]
        tens = [text for text in ranked if "10" in text][:3]
        assert decimals
        assert tens
        for text in {*ranked[:3], *decimals[:2], *tens[:2]}:
            [(_, path)] = engine.tokenizer.continuations("Scores:", [text])
            logprob = float(log_softmax(logits)[path[0]])
            for offset, (token, following) in enumerate(pairwise(path)):
                rows = Rows()
                rows.extend([token], start=n_prompt + offset, sequence=0, want=Want.LAST)
                engine.context.decode(rows)
                logprob += float(log_softmax(engine.context.logits(0))[following])
            engine.context.truncate(0, n_prompt)
            assert distribution.p[text] == pytest.approx(math.exp(logprob), abs=1e-5, rel=1e-4)

    def test_probabilities_add_up(self, engine: Engine) -> None:
        distribution = engine.judge(request(f"{SHOTS}Scores:")).distribution
        assert distribution is not None
        assert all(0 <= p <= 1 for p in distribution.p.values())
        assert 0.3 < distribution.mass <= 1 + 1e-9
        assert set(distribution.p) <= set(SCORES.readings)
        assert distribution.greedy in distribution.p

    def test_more_branches_only_move_mass_from_unopened(self, engine: Engine) -> None:
        asked = request(f"{SHOTS}Scores:")
        units = engine.tokenizer.encode(asked.prompt)
        read = []
        for max_branches in (3, 12, 50):
            logits = engine._evaluate(units)
            reader = DistributionReader(engine.context, engine.tokenizer, max_branches=max_branches)
            read.append(reader.read(engine._trie(asked), logits, sum(map(len, units)))[0])
        few, some, many = read
        assert len(few.p) <= len(some.p) < len(many.p)
        assert few.p_unopened > some.p_unopened > many.p_unopened
        assert few.greedy == some.greedy == many.greedy
        assert few.mass > some.mass > many.mass > sum(many.p.values())

    @pytest.mark.parametrize("family", ["chat", "judgelm"])
    def test_greedy_path_is_plain_greedy_decoding_where_the_mass_is_high(
        self, engine: Engine, family: str
    ) -> None:
        if family == "chat":
            loaded = load_family("chat")
            prompt = render(loaded, make_pair(), Order.AB, engine.tokenizer.chat_template)
            asked = Request(pair_id="q1", order=Order.AB, prompt=prompt, grammar=loaded.grammar)
        else:
            asked = request(f"{SHOTS * 3}Scores:")
        completion = engine.judge(asked)
        assert completion.distribution is not None
        assert completion.distribution.mass > 0.5
        plain = write_plainly(engine, asked, n_tokens=completion.n_completion_tokens)
        assert plain == completion.text

    def test_label_of_several_tokens(self, engine: Engine) -> None:
        grammar = LabelsGrammar(labels={"Paris is best": Seat.FIRST, "London is best": Seat.SECOND})
        asked = request("The capital of France is Paris. The best capital of France:", grammar)
        prompt = Prompt(pieces=(Piece(text='Which? The answer is "'),))
        distribution = engine.judge(
            Request(pair_id="q", order=Order.AB, prompt=prompt, grammar=grammar)
        ).distribution
        assert distribution is not None
        assert distribution.greedy in grammar.labels
        assert asked.grammar is grammar

    def test_label_that_begins_another_by_its_tokens_is_refused(self, engine: Engine) -> None:
        grammar = LabelsGrammar(labels={"1": Seat.FIRST, "11": Seat.SECOND})
        with pytest.raises(ModelError, match="begin"):
            engine.judge(request("Score:", grammar))

    def test_verdict_that_merges_with_the_prompt_is_refused(self, engine: Engine) -> None:
        grammar = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND})
        with pytest.raises(ModelError, match=r"joins 'ter is: ' and the verdict 'A' into one token"):
            engine.tokenizer.check_verdicts(request("Better is: ").prompt, grammar)


BETTER = LabelsGrammar(labels={"1": Seat.FIRST, "2": Seat.SECOND, "0": Seat.TIE})


def requests_for(n_pairs: int, *, n_reason_tokens: int = 0) -> list[Request]:
    """Return short requests of three units, both orders; pairs 0 and 2, 1 and 3 share a question."""
    return [
        Request(
            pair_id=f"q{i}",
            order=order,
            prompt=Prompt(
                pieces=(
                    Piece(text=f"Question {i % 2}: why does it rain?\n", cut=True),
                    Piece(text=f"1: {'Clouds cool down. ' * (i + 1)}{order}\n", cut=True),
                    Piece(text=f"2: It is wet {i}{order[::-1]}\nThe better of 1 and 2 is answer "),
                    Piece(text='number "'),
                )
            ),
            grammar=BETTER,
            n_reason_tokens=n_reason_tokens,
        )
        for i in range(n_pairs)
        for order in Order
    ]


def by_key(completions: Iterator[Completion]) -> dict[tuple[str, Order], tuple[object, str]]:
    return {(c.request.pair_id, c.request.order): (c.distribution, c.text) for c in completions}


class TestNeighbours:
    """llama.cpp #4902: a pair's bits do not depend on what else is judged."""

    def test_llama_cpp_4902_full_subset_and_reverse(self, demo_path: Path) -> None:
        asked = requests_for(4, n_reason_tokens=4)
        with LlamaCppBackend(demo_path, n_ctx=512) as backend:
            full = by_key(backend.judge(asked))
            assert by_key(backend.judge(reversed(asked))) == dict(reversed(full.items()))
            alone = by_key(backend.judge(asked[5:6]))
        with LlamaCppBackend(demo_path, n_ctx=1024) as fresh:
            again = by_key(fresh.judge(asked[5:6]))
        key = (asked[5].pair_id, asked[5].order)
        assert alone[key] == full[key] == again[key]

    def test_shared_beginning_is_evaluated_once(
        self, demo_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows: list[int] = []
        decode = LlamaContext.decode

        def count(context: LlamaContext, asked: Rows) -> None:
            rows.append(len(asked.tokens))
            decode(context, asked)

        monkeypatch.setattr(LlamaContext, "decode", count)
        ab, ba = requests_for(1)
        with LlamaCppBackend(demo_path, n_ctx=512) as backend:
            list(backend.judge([ab, ba]))
            units = backend.tokenizer.encode(ab.prompt), backend.tokenizer.encode(ba.prompt)
        assert rows == [len(unit) for unit in (*units[0], *units[1][1:])]

    def test_llama_cpp_python_471_two_threads_wait_for_each_other(self, demo_path: Path) -> None:
        asked = requests_for(2)
        with LlamaCppBackend(demo_path, n_ctx=512) as backend:
            expected = by_key(backend.judge(asked))
            with ThreadPoolExecutor(2) as threads:
                both = list(threads.map(lambda some: by_key(backend.judge(some)), (asked, asked[::-1])))
        assert both[0] == expected
        assert both[1] == dict(reversed(expected.items()))


class TestReasons:
    def test_reasons_follow_the_verdict(self, engine: Engine) -> None:
        asked = requests_for(1, n_reason_tokens=8)[0]
        completion = engine.judge(asked)
        assert completion.distribution is not None
        assert completion.distribution.preferred[0] == completion.distribution.greedy
        assert completion.text.startswith(completion.distribution.greedy)
        assert completion.text == write_plainly(engine, asked, completion.n_completion_tokens)
        assert completion.finish_reason == "length"

    def test_stop_text_ends_them(self, engine: Engine) -> None:
        asked = Request(
            pair_id="q1",
            order=Order.AB,
            prompt=Prompt(pieces=(Piece(text=f"{SHOTS}Scores:"),)),
            grammar=SCORES,
            n_reason_tokens=60,
            stop=("Scores",),
        )
        completion = engine.judge(asked)
        assert completion.finish_reason == "stop"
        assert completion.text.count("Scores") == 1


class TestFailures:
    def test_failed_decode_fails_its_own_judgment_only(self, demo_path: Path) -> None:
        with LlamaCppBackend(demo_path, n_ctx=512) as backend:
            asked = requests_for(2)
            expected = by_key(backend.judge(asked))
            decode = LlamaContext.decode
            calls = iter(range(1000))

            def fail_sixth(context: LlamaContext, rows: Rows) -> None:
                if next(calls) == 5:
                    raise EngineError("llama_decode returned 1")
                decode(context, rows)

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(LlamaContext, "decode", fail_sixth)
                completions = list(backend.judge(asked))
        failed = [c for c in completions if c.error]
        assert [c.error for c in failed] == ["llama_decode returned 1"]
        assert failed[0].distribution is None
        for completion in completions:
            if not completion.error:
                key = (completion.request.pair_id, completion.request.order)
                assert (completion.distribution, completion.text) == expected[key]

    def test_nan_logits_are_an_engine_failure(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(np, "isnan", lambda values: np.ones_like(values, dtype=bool))
        completion = engine.judge(request(f"{SHOTS}Scores:"))
        assert "NaN" in (completion.error or "")

    def test_logits_not_asked_for_are_an_error(self, engine: Engine) -> None:
        engine.context.clear()
        rows = Rows()
        rows.extend([10, 11], start=0, sequence=0, want=Want.LAST)
        engine.context.decode(rows)
        with pytest.raises(EngineError, match="row 0"):
            engine.context.logits(0)
        engine._forget()

    def test_context_beyond_memory_is_refused(self, model: LlamaModel) -> None:
        with pytest.raises(ModelError, match=r"needs .* GiB .* lower --n-ctx"):
            LlamaContext(model, ContextOptions(n_ctx=2_000_000_000, n_seq_max=1))

    @pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(200), b"version https://git-lfs"])
    def test_llama_cpp_python_2104_failed_load_is_one_sentence(
        self, tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(content)
        with pytest.raises(ModelError, match=r"m\.gguf: llama\.cpp cannot load this file"):
            LlamaModel(path)
        assert capfd.readouterr() == ("", "")


def test_settings_are_known_before_loading(demo_path: Path) -> None:
    with LlamaCppBackend(demo_path, n_ctx=512) as backend:
        assert backend.settings == describe(n_ctx=512)
    assert describe(n_ctx=512)["llama_cpp_python"]


def test_nothing_is_printed_unless_asked(demo_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with LlamaCppBackend(demo_path, n_ctx=512):
        pass
    assert capfd.readouterr() == ("", "")
    with LlamaCppBackend(demo_path, n_ctx=512, verbose=True):
        pass
    assert "llama" in capfd.readouterr().err
    describe(n_ctx=512)
