"""How unsure a model is of a text: the entropy that its definition gives, whatever else is measured."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend, entropy
from judgecli.backends.llama_cpp.completion_loop import _extra_buffers_as_ours
from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows
from judgecli.backends.llama_cpp.entropy import shannon_entropy
from judgecli.backends.llama_cpp.library import load_library
from judgecli.types import (
    BOTH_ORDERS,
    CacheType,
    EngineOptions,
    JudgedText,
    Order,
    Piece,
    Prompt,
    TokenEntropy,
)
from tests.backends.asking import by_key, requests_for
from tests.decoding import needs_llama_cpp
from tests.random_models import write_hybrid, write_llama, write_recurrent, write_sliding_window

pytestmark = needs_llama_cpp

MODELS: dict[str, Callable[[Path], Path]] = {
    "llama": write_llama,
    "window": write_sliding_window,
    "recurrent": write_recurrent,
    "hybrid": write_hybrid,
}
LONG = "the first response is better because the second response has no answer for the question\n" * 4


def text_for(item_id: str, order: Order, text: str, **more: str) -> JudgedText:
    """Return a text after a prompt of three units, the first of which all have in common."""
    prompt = Prompt(
        pieces=(
            Piece(text="the question for the first and the second response\n", cut=True),
            Piece(text=f"the answer {item_id} {order}\n", cut=True),
            Piece(text="the better score:"),
        )
    )
    return JudgedText(
        item_id=item_id,
        order=order,
        prompt_hash=prompt.hash,
        render=lambda: prompt,
        path=prompt.path,
        text=text,
        **more,
    )


TEXTS = [
    text_for(item_id, order, text)
    for item_id, text in {"q1": "8 6\n", "q2": "7", "q3": LONG, "q4": "\x01 ünlike\n\n9 9"}.items()
    for order in BOTH_ORDERS
]
Found = dict[tuple[str, Order], TokenEntropy]


def measured(backend: LlamaCppBackend, texts: Sequence[JudgedText]) -> Found:
    return {(one.item_id, one.order): value for one, value in backend.entropies(texts)}


def one_by_one(backend: LlamaCppBackend, judged: JudgedText) -> tuple[float, int]:
    """Return mean entropy and number of tokens by the definition, each place evaluated from nothing."""
    ids = list(chain.from_iterable(backend.tokenizer.encode(judged.prompt)))
    written = backend.tokenizer.inside(judged.text)
    context = backend._engine.contexts.prompts.context
    found = []
    for n in range(len(written)):
        context.clear()
        rows = Rows(wanted=[len(ids) + n - 1])
        for position, token in enumerate([*ids, *written[:n]]):
            rows.tokens.append(token)
            rows.positions.append(position)
            rows.sequences.append((0,))
        context.decode(rows)
        logits = context.logits(len(ids) + n - 1).astype(np.float64)
        p = np.exp(logits - logits.max())
        p /= p.sum()
        found.append(-sum(value * math.log(value) for value in p if value > 0))
    context.clear()
    return math.fsum(found) / len(found), len(found)


@pytest.fixture(scope="module", params=MODELS)
def weights(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param](tmp_path_factory.mktemp("weights") / f"{request.param}.gguf")


@pytest.fixture
def backend(weights: Path) -> Iterator[LlamaCppBackend]:
    with LlamaCppBackend(weights, n_ctx=512, writes_reasons=True) as opened:
        yield opened


@pytest.fixture
def precise(weights: Path) -> Iterator[LlamaCppBackend]:
    """A backend that keeps all digits of what it knows of earlier tokens, however they are cut into calls."""
    engine = EngineOptions(type_k=CacheType.F32, type_v=CacheType.F32, flash_attn=False)
    with LlamaCppBackend(weights, n_ctx=512, engine=engine) as opened:
        yield opened


class TestValue:
    def test_it_is_that_of_the_definition(self, precise: LlamaCppBackend) -> None:
        found = measured(precise, TEXTS)
        assert len({value.value for value in found.values()}) == len(TEXTS)
        for judged in TEXTS:
            value, n_tokens = one_by_one(precise, judged)
            one = found[judged.item_id, judged.order]
            assert one.n_tokens == n_tokens
            assert one.value == pytest.approx(value, abs=1e-4)
            assert one.error is None

    def test_a_long_text_in_pieces_is_one_in_a_single_call(
        self, precise: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = text_for("q9", Order.AB, LONG)
        in_pieces = measured(precise, [whole])["q9", Order.AB]
        assert in_pieces.n_tokens > 64
        monkeypatch.setattr(entropy, "_CHUNK_ROWS", 512)
        at_once = measured(precise, [whole])["q9", Order.AB]
        assert at_once.value == pytest.approx(in_pieces.value, abs=1e-4)

    def test_a_conclusion_is_read_but_not_counted(self, backend: LlamaCppBackend) -> None:
        concluded = text_for("q1", Order.AB, "because\nthe scores: 8 6", conclusion="\nthe scores: ")
        plain = text_for("q1", Order.AB, "because\nthe scores: 8 6")
        first = text_for("q1", Order.AB, "because")
        [(_, found)] = backend.entropies([concluded])
        [(_, all_of_it)] = backend.entropies([plain])
        [(_, reason)] = backend.entropies([first])
        assert found.n_tokens == reason.n_tokens + 3 < all_of_it.n_tokens
        assert found.value not in {all_of_it.value, reason.value}


class TestIndependence:
    @pytest.fixture
    def alone(self, weights: Path) -> Found:
        found = {}
        for one in TEXTS:
            with LlamaCppBackend(weights, n_ctx=512) as backend:
                found |= measured(backend, [one])
        return found

    def test_the_same_bits_whatever_else_is_measured(self, backend: LlamaCppBackend, alone: Found) -> None:
        assert measured(backend, TEXTS) == alone
        assert measured(backend, TEXTS[::-1]) == alone
        assert measured(backend, TEXTS[3:]) == {key: alone[key] for key in list(alone)[3:]}

    def test_prompts_are_read_one_by_one_where_several_are_judged_in_a_call(self, weights: Path) -> None:
        engine = EngineOptions(prompts_per_call=4, type_k=CacheType.F32, type_v=CacheType.F32)
        with LlamaCppBackend(weights, n_ctx=512, engine=engine) as backend:
            together = measured(backend, TEXTS)
            for one in TEXTS:
                assert measured(backend, [one]).items() <= together.items()
            for judged in TEXTS[:4]:
                value, _ = one_by_one(backend, judged)
                assert together[judged.item_id, judged.order].value == pytest.approx(value, abs=1e-3)
            list(backend.judge(requests_for(2)))
            assert measured(backend, TEXTS) == together

    def test_judging_before_and_after_changes_nothing(self, backend: LlamaCppBackend, alone: Found) -> None:
        requests = requests_for(2, n_reason_tokens=4)
        judged = by_key(backend.judge(requests))
        assert measured(backend, TEXTS) == alone
        assert by_key(backend.judge(requests)) == judged


@pytest.fixture
def llama(tmp_path: Path) -> Iterator[LlamaCppBackend]:
    with LlamaCppBackend(
        write_llama(tmp_path / "llama.gguf"), n_ctx=128, engine=EngineOptions(n_ubatch=16)
    ) as opened:
        yield opened


class TestEvaluation:
    def test_no_row_is_alone_and_a_shared_beginning_is_evaluated_once(
        self, llama: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls: list[int] = []
        decode = LlamaContext.decode
        monkeypatch.setattr(
            LlamaContext, "decode", lambda self, rows: (calls.append(len(rows.tokens)), decode(self, rows))[1]
        )
        # after the prompts 1 of 2 tokens is left to read, and 17 of 18
        texts = [text_for("q1", Order.AB, "1 "), text_for("q1", Order.BA, "12345678901234567 ")]
        found = measured(llama, texts)
        assert [one.n_tokens for one in found.values()] == [2, 18]
        first, other = (list(map(len, llama.tokenizer.encode(one.prompt))) for one in texts)
        assert calls == [*first, 2, *other[1:], 16, 2]

    def test_what_cannot_be_measured_has_a_reason(self, llama: LlamaCppBackend) -> None:
        texts = [
            text_for("q1", Order.AB, ""),
            text_for("q2", Order.AB, "\nso: ", conclusion="\nso: "),
            text_for("q3", Order.AB, "1" * 200),
        ]
        found = list(measured(llama, texts).values())
        assert [one.value for one in found] == [None] * 3
        assert [one.error for one in found[:2]] == ["the judge wrote no text"] * 2
        assert found[2].error == f"prompt and text do not fit ({n_tokens(llama, texts[2])} tokens of 128)"

    def test_a_failure_of_llama_cpp_is_one_text_s(
        self, llama: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        expected = measured(llama, TEXTS[:4])
        decode = LlamaContext.decode
        n_calls = 0

        def failing_once(self: LlamaContext, rows: Rows) -> None:
            nonlocal n_calls
            n_calls += 1
            if n_calls == 2:
                raise EngineError("no memory")
            decode(self, rows)

        monkeypatch.setattr(LlamaContext, "decode", failing_once)
        failed_in = llama._engine.contexts.prompts.context
        found = measured(llama, TEXTS[:4])
        assert llama._engine.contexts.prompts.context is not failed_in
        assert found.pop(("q1", Order.AB)) == TokenEntropy(
            value=None, n_tokens=0, error="llama.cpp failed (no memory)"
        )
        assert found == {key: expected[key] for key in list(expected)[1:]}

    def test_the_judge_is_free_after_a_caller_that_left(self, llama: LlamaCppBackend) -> None:
        expected = measured(llama, TEXTS[:2])
        half = llama.entropies(TEXTS[:2])
        next(half)
        half.close()
        assert measured(llama, TEXTS[:2]) == expected


def n_tokens(backend: LlamaCppBackend, judged: JudgedText) -> int:
    n_prompt = sum(map(len, backend.tokenizer.encode(judged.prompt)))
    return n_prompt + len(backend.tokenizer.inside(judged.text))


class TestShannonEntropy:
    def test_equal_logits_give_the_logarithm_of_their_number(self) -> None:
        assert shannon_entropy(np.full(8, 3.0, dtype=np.float32)) == pytest.approx(math.log(8))

    def test_a_certain_token_gives_none(self) -> None:
        logits = np.zeros(8, dtype=np.float32)
        logits[3] = 200
        assert shannon_entropy(logits) == pytest.approx(0.0, abs=1e-12)

    def test_two_tokens_by_hand(self) -> None:
        """P = 3/4 and 1/4; a token that is ruled out has no part."""
        logits = np.array([math.log(3), 0.0, -math.inf], dtype=np.float32)
        assert shannon_entropy(logits) == pytest.approx(-0.75 * math.log(0.75) - 0.25 * math.log(0.25))

    @pytest.mark.parametrize("logits", [[-math.inf] * 2, [math.inf, 0.0]])
    def test_what_is_no_distribution_is_refused(self, logits: list[float]) -> None:
        with pytest.raises(EngineError):
            shannon_entropy(np.array(logits, dtype=np.float32))


@pytest.mark.demo
def test_it_is_what_llama_cpp_python_says(demo_path: Path) -> None:
    """Its own evaluation of prompt and text with all logits kept, in calls of the same tokens."""
    from llama_cpp import Llama

    judged = text_for("q1", Order.AB, "The first response is better, because it answers.\n8 6\n")
    with LlamaCppBackend(demo_path, n_ctx=256) as backend:
        [(_, found)] = backend.entropies([judged])
        units = backend.tokenizer.encode(judged.prompt)
        written = backend.tokenizer.inside(judged.text)
    n_prompt = sum(map(len, units))
    with _extra_buffers_as_ours(load_library(), demo_path):
        llama = Llama(str(demo_path), n_ctx=256, logits_all=True, flash_attn=True, verbose=False)
    for ids in [*units, written]:
        llama.eval(ids)
    logits = llama.scores[n_prompt - 1 : n_prompt + len(written) - 1].astype(np.float64)
    llama.close()
    logprobs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    expected = -(np.exp(logprobs) * logprobs).sum(axis=1)
    assert found.n_tokens == len(written) > 10
    assert found.value == pytest.approx(expected.mean(), abs=1e-4)
