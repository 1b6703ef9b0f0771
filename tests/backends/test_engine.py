"""The real llama.cpp on the demo weights: what is read is what the logits say, whatever else is judged."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend, describe
from judgecli.backends.llama_cpp.context import ContextOptions, EngineError, LlamaContext, Rows, Want
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.errors import ModelError
from judgecli.types import (
    Order,
    Piece,
    Prompt,
    Request,
)
from tests.backends.asking import SCORES, SHOTS, by_key, request, requests_for, write_plainly

pytestmark = pytest.mark.demo


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
