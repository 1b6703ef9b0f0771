"""A conversation with the judge: its text as it comes, and nothing evaluated twice as the prompt grows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.backends.llama_cpp import LlamaCppBackend
from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows
from judgecli.backends.llama_cpp.conversing import ShownText
from judgecli.errors import ModelError
from judgecli.types import EngineOptions, Piece, Prompt, VerdictPlace, WrittenPiece
from tests.backends.asking import by_key, request, requests_for
from tests.decoding import needs_llama_cpp
from tests.random_models import write_hybrid, write_llama, write_recurrent, write_sliding_window

OPENING = "Once upon a time there was a judge. "


@pytest.fixture(scope="module")
def backend(demo_path: Path) -> Iterator[LlamaCppBackend]:
    with LlamaCppBackend(
        demo_path, n_ctx=256, engine=EngineOptions(parallel=1), writes_reasons=True
    ) as opened:
        yield opened


def prompt(*texts: str) -> Prompt:
    return Prompt(pieces=tuple(Piece(text=text) for text in texts))


def text_of(pieces: list[WrittenPiece]) -> str:
    """Return the whole text, of which only the last piece says how it ended."""
    assert [piece.finish_reason for piece in pieces[:-1]] == [None] * (len(pieces) - 1)
    return "".join(piece.text for piece in pieces)


@pytest.mark.demo
class TestWriting:
    def test_pieces_are_the_text_that_judging_writes(self, backend: LlamaCppBackend) -> None:
        [expected] = backend.judge([request(OPENING, place=VerdictPlace.IN_TEXT, n_reason_tokens=30)])
        pieces = list(backend.write(prompt(OPENING), max_tokens=30))
        assert text_of(pieces) == expected.text
        assert pieces[-1].finish_reason == "length"
        assert len(pieces) > 10
        assert all(piece.text for piece in pieces[:-1])

    def test_no_part_of_a_stop_text_is_shown(self, backend: LlamaCppBackend) -> None:
        whole = text_of(list(backend.write(prompt(OPENING), max_tokens=30)))
        stop = whole[20:30]
        pieces = list(backend.write(prompt(OPENING), max_tokens=30, stop=("never", stop)))
        assert text_of(pieces) == whole[: whole.index(stop)]
        assert pieces[-1].finish_reason == "stop"

    def test_it_ends_where_the_context_does(self, backend: LlamaCppBackend) -> None:
        backend._engine.contexts.writer._banned = backend.tokenizer.end_tokens
        long = prompt(OPENING * 26)
        n_prompt = sum(map(len, backend.tokenizer.encode(long)))
        assert 200 < n_prompt < 256
        pieces = list(backend.write(long, max_tokens=1000))
        assert pieces[-1].finish_reason == "length"
        n_written = len(backend.tokenizer.encode(prompt(text_of(pieces)))[0])
        assert n_written == pytest.approx(256 - n_prompt, abs=3)
        backend._engine.contexts.renew_writing()

    def test_a_prompt_that_does_not_fit_says_so(self, backend: LlamaCppBackend) -> None:
        with pytest.raises(ModelError, match="the conversation has 2,001 tokens and the context 256; begin"):
            next(backend.write(prompt("a" + " a" * 2000), max_tokens=9))

    def test_a_growing_prompt_is_evaluated_once(
        self, backend: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever its pieces are, and though its end is tokenized otherwise with more text after it."""
        backend._engine.contexts.forget()
        rows = count_rows(backend, monkeypatch)
        first = f"{OPENING * 5}He said: 'W"
        for text in (first, f"{first}hy not?' And then", f"{first}hy not?' And then he went away."):
            n_before = len(rows)
            list(backend.write(prompt(text[:7], text[7:]), max_tokens=3))
            if n_before:
                assert sum(rows[n_before:]) < 20
        assert rows[0] > 40

    def test_another_conversation_begins_anew(self, backend: LlamaCppBackend) -> None:
        expected = text_of(list(backend.write(prompt(OPENING), max_tokens=9)))
        list(backend.write(prompt(f"{OPENING}He was old."), max_tokens=9))
        list(backend.write(prompt("Twice two"), max_tokens=9))
        assert text_of(list(backend.write(prompt(OPENING), max_tokens=9))) == expected

    def test_judging_in_between_changes_nothing(self, backend: LlamaCppBackend) -> None:
        asked = requests_for(1, n_reason_tokens=3)
        expected = by_key(backend.judge(asked))
        list(backend.write(asked[0].prompt, max_tokens=9))
        assert by_key(backend.judge(asked)) == expected

    def test_several_prompts_a_call_write_alike(self, backend: LlamaCppBackend, demo_path: Path) -> None:
        options = EngineOptions(prompts_per_call=2)
        with LlamaCppBackend(demo_path, n_ctx=256, engine=options) as other:
            for text in (OPENING, f"{OPENING}He was"):
                found = text_of(list(other.write(prompt(text), max_tokens=5)))
                assert found == text_of(list(backend.write(prompt(text), max_tokens=5)))


@pytest.mark.demo
class TestFailures:
    def test_a_reader_that_leaves_disturbs_nothing(self, backend: LlamaCppBackend) -> None:
        expected = text_of(list(backend.write(prompt(OPENING), max_tokens=9)))
        left = backend.write(prompt(OPENING), max_tokens=9)
        next(left)
        left.close()
        assert text_of(list(backend.write(prompt(OPENING), max_tokens=9))) == expected

    @pytest.mark.parametrize("call", [0, 1, 3])
    def test_an_interrupt_leaves_nothing_behind(self, backend: LlamaCppBackend, call: int) -> None:
        expected = text_of(list(backend.write(prompt(OPENING), max_tokens=9)))
        backend._engine.contexts.forget()
        with pytest.MonkeyPatch.context() as patch:
            after_call(patch, call, KeyboardInterrupt())
            with pytest.raises(KeyboardInterrupt):
                list(backend.write(prompt(OPENING), max_tokens=9))
        assert text_of(list(backend.write(prompt(OPENING), max_tokens=9))) == expected

    @pytest.mark.parametrize("call", [0, 3])
    def test_a_failed_call_is_one_sentence(self, backend: LlamaCppBackend, call: int) -> None:
        expected = text_of(list(backend.write(prompt(OPENING), max_tokens=9)))
        backend._engine.contexts.forget()
        with pytest.MonkeyPatch.context() as patch:
            after_call(patch, call, EngineError("llama_decode returned 1"))
            with pytest.raises(ModelError, match=r"llama\.cpp failed \(llama_decode returned 1\)"):
                list(backend.write(prompt(OPENING), max_tokens=9))
        assert text_of(list(backend.write(prompt(OPENING), max_tokens=9))) == expected

    def test_judging_waits_until_the_text_is_taken(self, backend: LlamaCppBackend) -> None:
        writing = backend.write(prompt(OPENING), max_tokens=9)
        next(writing)
        with pytest.raises(RuntimeError, match="another call"):
            next(backend.judge(requests_for(1)))
        writing.close()


@needs_llama_cpp
@pytest.mark.parametrize("write_model", [write_llama, write_sliding_window, write_recurrent, write_hybrid])
def test_every_kind_of_memory_goes_on_with_a_conversation(tmp_path: Path, write_model: object) -> None:
    """What is kept gives the very bits that a first evaluation with the same cuts gave."""
    weights = write_model(tmp_path / "model.gguf")  # type: ignore[operator]
    texts = [OPENING, f"{OPENING}It was the better answer for", f"{OPENING}It was the better answer for him"]
    with LlamaCppBackend(weights, n_ctx=512) as backend:
        found = [text_of(list(backend.write(prompt(text), max_tokens=6))) for text in texts]
        again = [text_of(list(backend.write(prompt(text), max_tokens=6))) for text in texts]
    assert found == again
    assert all(found)


def count_rows(backend: LlamaCppBackend, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that the number of rows of every call for prompts is added to."""
    rows: list[int] = []
    decode = LlamaContext.decode

    def count(context: LlamaContext, asked: Rows) -> None:
        if context is backend._engine.contexts.prompts.context:
            rows.append(len(asked.tokens))
        decode(context, asked)

    monkeypatch.setattr(LlamaContext, "decode", count)
    return rows


def after_call(patch: pytest.MonkeyPatch, n: int, error: BaseException) -> None:
    """Raise an error after the call number n, from 0."""
    decode, calls = LlamaContext.decode, iter(range(1000))

    def raising(context: LlamaContext, rows: Rows) -> None:
        decode(context, rows)
        if next(calls) == n:
            raise error

    patch.setattr(LlamaContext, "decode", raising)


class TestShownText:
    def test_what_may_begin_a_stop_text_is_held_back(self) -> None:
        shown = ShownText(("\nUser:", "END"))
        grown = [b"Yes", b"Yes.\n", b"Yes.\nUs", b"Yes.\nUse it", b"Yes.\nUse it E", b"Yes.\nUse it EN."]
        assert [shown.more_of(text) for text in grown] == ["Yes", ".", "", "\nUse it", " ", "EN."]

    def test_characters_are_whole(self) -> None:
        shown = ShownText(())
        assert [shown.more_of("é!".encode()[:n]) for n in (1, 2, 3)] == ["", "é", "!"]

    @given(st.lists(st.binary(max_size=3)), st.lists(st.text("ab\né", min_size=1, max_size=3)))
    def test_together_it_is_a_beginning_of_the_text(self, pieces: list[bytes], stop: list[str]) -> None:
        shown = ShownText(stop)
        whole, seen = b"", ""
        for piece in pieces:
            whole += piece
            if any(one.encode() in whole for one in stop):
                break
            seen += shown.more_of(whole)
            assert len(seen) == shown.n_characters
            assert not any(one in seen for one in stop)
        assert whole.decode("utf-8", "replace").startswith(seen)
