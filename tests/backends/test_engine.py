"""The real llama.cpp on the demo weights: what is read is what the logits say, whatever else is judged."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend, describe
from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.contexts import Contexts
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError
from judgecli.types import EngineOptions, Order, Piece, Prompt, Request
from tests.backends.asking import SCORES, SHOTS, by_key, judge_one, request, requests_for, write_plainly

pytestmark = pytest.mark.demo


@pytest.fixture(scope="module")
def backend(demo_path: Path) -> Iterator[LlamaCppBackend]:
    options = EngineOptions(parallel=3)
    with LlamaCppBackend(demo_path, n_ctx=512, engine=options, writes_reasons=True) as opened:
        yield opened


class TestSharing:
    def test_shared_beginning_is_evaluated_once(
        self, backend: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        backend._engine.contexts.forget()
        rows = count_rows(monkeypatch)
        ab, ba = requests_for(1)
        list(backend.judge([ab, ba]))
        units = backend.tokenizer.encode(ab.prompt), backend.tokenizer.encode(ba.prompt)
        assert rows == [len(unit) for unit in (*units[0], *units[1][1:])]

    def test_every_unit_once_in_whatever_order_the_requests_come(
        self, backend: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = [*requests_for(4)[::3], *requests_for(4)[1::3], *requests_for(4)[2::3]]
        units = [[tuple(unit) for unit in backend.tokenizer.encode(one.prompt)] for one in asked]
        backend._engine.contexts.forget()
        unique = {tuple(one[: depth + 1]) for one in units for depth in range(len(one))}
        rows = count_rows(monkeypatch)
        list(backend.judge(asked))
        assert sum(rows) == sum(len(path[-1]) for path in unique)

    def test_a_prompt_is_made_when_its_turn_comes(self, backend: LlamaCppBackend) -> None:
        made: list[str] = []

        def noted(one: Request) -> Request:
            return Request(
                item_id=one.item_id,
                order=one.order,
                prompt_hash=one.prompt_hash,
                render=lambda: made.append(one.prompt_hash) or one.prompt,
                grammar=one.grammar,
                path=one.path,
            )

        completions = backend.judge([noted(one) for one in requests_for(3)])
        next(completions)
        assert len(made) == 1
        completions.close()


class TestReasons:
    def test_reasons_follow_the_verdict(self, engine: Engine) -> None:
        asked = requests_for(1, n_reason_tokens=8)[0]
        completion = judge_one(engine, asked)
        assert completion.distribution is not None
        assert completion.distribution.preferred[0] == completion.distribution.greedy
        assert completion.text.startswith(completion.distribution.greedy)
        assert completion.text == write_plainly(engine, asked, completion.n_completion_tokens)
        assert completion.finish_reason == "length"

    def test_stop_text_ends_them_and_is_left_out(self, engine: Engine) -> None:
        prompt = Prompt(pieces=(Piece(text=f"{SHOTS}Scores:"),))
        asked = Request.of(
            prompt, item_id="q1", order=Order.AB, grammar=SCORES, n_reason_tokens=60, stop=("Scores",)
        )
        completion = judge_one(engine, asked)
        plain = write_plainly(engine, asked, completion.n_completion_tokens)
        assert completion.finish_reason == "stop"
        assert "Scores" not in completion.text
        verdict = completion.distribution.greedy
        assert f"{completion.text}Scores".removeprefix(verdict) == plain.removeprefix(
            plain.split("\n")[0] + "\n"
        )

    def test_many_are_written_in_few_calls(self, demo_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = requests_for(3, n_reason_tokens=6)
        with LlamaCppBackend(
            demo_path, n_ctx=512, engine=EngineOptions(parallel=6), writes_reasons=True
        ) as backend:
            rows = count_rows(monkeypatch)
            completions = list(backend.judge(asked))
        assert [rows[-n] for n in range(1, 6)] == [6] * 5
        assert all(completion.finish_reason == "length" for completion in completions)

    def test_a_finished_one_makes_room_for_the_next(self, backend: LlamaCppBackend) -> None:
        budgets = (1, 9, 2, 5, 1, 7, 3, 4)
        asked = [
            Request.of(
                one.prompt, item_id=one.item_id, order=one.order, grammar=one.grammar, n_reason_tokens=budget
            )
            for one, budget in zip(requests_for(4), budgets, strict=True)
        ]
        completions = {(c.request.item_id, c.request.order): c for c in backend.judge(asked)}
        for one, budget in zip(asked, budgets, strict=True):
            completion = completions[one.item_id, one.order]
            assert completion.n_completion_tokens in {budget, budget + 1}  # and the verdict's one token


class TestThreads:
    def test_llama_cpp_python_471_two_threads_wait_for_each_other(self, backend: LlamaCppBackend) -> None:
        asked = requests_for(2)
        expected = by_key(backend.judge(asked))
        with ThreadPoolExecutor(2) as threads:
            both = list(threads.map(lambda some: by_key(backend.judge(some)), (asked, asked[::-1])))
        assert both == [expected, expected]

    def test_a_second_call_inside_the_first_is_an_error(self, backend: LlamaCppBackend) -> None:
        completions = backend.judge(requests_for(1))
        next(completions)
        with pytest.raises(RuntimeError, match="another call"):
            next(backend.judge(requests_for(1)))
        completions.close()
        assert len(list(backend.judge(requests_for(1)))) == 2


class TestFailures:
    @pytest.mark.parametrize("n_reason_tokens", [0, 4])
    def test_failed_decode_fails_its_own_judgment_only(
        self, backend: LlamaCppBackend, n_reason_tokens: int
    ) -> None:
        asked = requests_for(2, n_reason_tokens=n_reason_tokens)
        expected = by_key(backend.judge(asked))
        with pytest.MonkeyPatch.context() as patch:
            fail_calls(patch, of="prompts", calls={4})
            completions = list(backend.judge(asked))
        check_one_failed(completions, expected)

    def test_failed_call_for_several_explanations_fails_none(self, backend: LlamaCppBackend) -> None:
        """Each is begun again by itself."""
        asked = requests_for(2, n_reason_tokens=4)
        expected = by_key(backend.judge(asked))
        with pytest.MonkeyPatch.context() as patch:
            fail_calls(patch, of="writing", calls={1})
            assert by_key(backend.judge(asked)) == expected

    def test_explanation_that_fails_alone_fails(self, backend: LlamaCppBackend) -> None:
        asked = requests_for(2, n_reason_tokens=4)
        expected = by_key(backend.judge(asked))
        with pytest.MonkeyPatch.context() as patch:
            fail_calls(patch, of="writing", calls={1, 2})
            completions = list(backend.judge(asked))
        check_one_failed(completions, expected)

    def test_all_failing_ends(self, backend: LlamaCppBackend) -> None:
        with pytest.MonkeyPatch.context() as patch:
            fail_calls(patch, of="writing", calls=set(range(1000)))
            completions = list(backend.judge(requests_for(2, n_reason_tokens=4)))
        assert [bool(c.error) for c in completions] == [True] * 4

    def test_failed_explanation_leaves_a_window_of_prompts_alone(self, demo_path: Path) -> None:
        asked = requests_for(2, n_reason_tokens=4)
        options = EngineOptions(prompts_per_call=4, parallel=2)
        with LlamaCppBackend(demo_path, n_ctx=512, engine=options, writes_reasons=True) as backend:
            expected = by_key(backend.judge(asked))
            with pytest.MonkeyPatch.context() as patch:
                fail_calls(patch, of="writing", calls={0}, n_streams=2)
                found = by_key(backend.judge(asked))
        # the distributions of prompts that were read again, each alone, differ in their last bits
        assert {key: text for key, (_, text) in found.items()} == {
            key: text for key, (_, text) in expected.items()
        }

    def test_interrupt_while_contexts_are_made_anew(self, backend: LlamaCppBackend) -> None:
        asked = requests_for(1)
        expected = by_key(backend.judge(asked))
        with pytest.MonkeyPatch.context() as patch:
            fail_calls(patch, of="prompts", calls={0})
            patch.setattr(Contexts, "_open_prompts", interrupted)
            with pytest.raises(KeyboardInterrupt):
                list(backend.judge(asked))
        backend._engine.contexts.renew_prompts()
        assert by_key(backend.judge(asked)) == expected

    def test_a_caller_that_leaves_disturbs_nothing(self, backend: LlamaCppBackend) -> None:
        asked = requests_for(3, n_reason_tokens=5)
        expected = by_key(backend.judge(asked))
        completions = backend.judge(asked)
        next(completions)
        completions.close()
        assert by_key(backend.judge(asked)) == expected

    def test_interrupt_between_branches_leaves_nothing_behind(self, backend: LlamaCppBackend) -> None:
        asked = [request(f"{SHOTS}Scores:"), *requests_for(1)]
        expected = by_key(backend.judge(asked))
        decode, calls = LlamaContext.decode, iter(range(1000))

        def interrupt_third(context: LlamaContext, rows: Rows) -> None:
            decode(context, rows)
            if next(calls) == 2:
                raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LlamaContext, "decode", interrupt_third)
            with pytest.raises(KeyboardInterrupt):
                list(backend.judge(asked))
        assert by_key(backend.judge(asked)) == expected

    def test_nan_logits_are_an_engine_failure(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(np, "isnan", lambda values: np.ones_like(values, dtype=bool))
        completion = judge_one(engine, request(f"{SHOTS}Scores:"))
        assert "NaN" in (completion.error or "")

    def test_logits_not_asked_for_are_an_error(self, engine: Engine) -> None:
        context = engine.contexts.prompts.context
        engine.contexts.forget()
        rows = Rows()
        rows.extend([10, 11], start=0, sequences=(0,), want=Want.LAST)
        context.decode(rows)
        with pytest.raises(EngineError, match="row 0"):
            context.logits(0)
        engine.contexts.forget()

    @pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(200), b"version https://git-lfs"])
    def test_llama_cpp_python_2104_failed_load_is_one_sentence(
        self, tmp_path: Path, content: bytes, capfd: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(content)
        with pytest.raises(ModelError, match=r"m\.gguf: llama\.cpp cannot load this file"):
            LlamaModel(path)
        assert capfd.readouterr() == ("", "")


def count_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that every call's number of rows is added to."""
    rows: list[int] = []
    decode = LlamaContext.decode

    def count(context: LlamaContext, asked: Rows) -> None:
        rows.append(len(asked.tokens))
        decode(context, asked)

    monkeypatch.setattr(LlamaContext, "decode", count)
    return rows


def interrupted(_contexts: Contexts) -> None:
    raise KeyboardInterrupt


def fail_calls(patch: pytest.MonkeyPatch, *, of: str, calls: set[int], n_streams: int = 3) -> None:
    """Let some calls, counted from 0, of the contexts for prompts or for writing fail."""
    decode, count = LlamaContext.decode, iter(range(100_000))

    def fail(context: LlamaContext, rows: Rows) -> None:
        is_writing = context.n_seq_max == n_streams
        if is_writing == (of == "writing") and next(count) in calls:
            raise EngineError("llama_decode returned 1")
        decode(context, rows)

    patch.setattr(LlamaContext, "decode", fail)


def check_one_failed(completions: list, expected: dict) -> None:
    failed = [c for c in completions if c.error]
    assert [(c.error, c.distribution) for c in failed] == [("llama_decode returned 1", None)]
    others = by_key(c for c in completions if not c.error)
    assert others == {key: expected[key] for key in others}
    assert len(others) == len(expected) - 1


def test_a_closed_judge_says_so(demo_path: Path) -> None:
    with LlamaCppBackend(demo_path, n_ctx=512) as backend:
        left = backend.judge(requests_for(1))
        next(left)
    left.close()
    with pytest.raises(RuntimeError, match="closed"):
        next(backend.judge(requests_for(1)))


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
