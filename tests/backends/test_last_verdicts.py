"""A judge that writes before it judges: its text as it is, its verdict read where it stands or is begun."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend
from judgecli.backends.llama_cpp.branching import Apart
from judgecli.backends.llama_cpp.context import EngineError, LlamaContext, Rows
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.types import (
    Completion,
    EngineOptions,
    LabelsGrammar,
    Order,
    Piece,
    Prompt,
    Request,
    ScoresGrammar,
    Seat,
    VerdictPlace,
)
from tests.backends.asking import BETTER, judge_one, read_plainly, requests_for, write_plainly

pytestmark = pytest.mark.demo

LETTERS = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND})
SHOTS = """Q: 2+2? A says 4, B says 5.
Reasons: 2 and 2 make 4, so A is right. Winner: A.
Q: 1+1? A says 3, B says 2.
Reasons: 1 and 1 make 2, so B is right. Winner: B.
"""
SUMS = ("3+1? A says 4, B says 6", "5+1? A says 7, B says 6", "2+3? A says 5, B says 4")


def after(pattern: str) -> Any:
    """Return a function that finds where the last match of a pattern ends."""

    def locate(text: str) -> int | None:
        return max((match.end() for match in re.finditer(pattern, text)), default=None)

    return locate


def sums(**more: Any) -> list[Request]:
    settings = {"place": VerdictPlace.LAST, "locate": after("Winner: "), "n_reason_tokens": 40}
    return [
        Request.of(
            Prompt(pieces=(Piece(text=SHOTS, cut=True), Piece(text=f"Q: {one}.\nReasons:"))),
            item_id=one,
            order=Order.AB,
            **{"grammar": LETTERS, "stop": ("\nQ",), **settings, **more},
        )
        for one in SUMS
    ]


@pytest.fixture(scope="module")
def backend(demo_path: Path) -> Iterator[LlamaCppBackend]:
    options = EngineOptions(parallel=3)
    with LlamaCppBackend(demo_path, n_ctx=512, engine=options, writes_reasons=True) as opened:
        yield opened


def completed(backend: LlamaCppBackend, requests: list[Request]) -> dict[str, Completion]:
    return {completion.request.item_id: completion for completion in backend.judge(requests)}


class TestVerdictInTheText:
    def test_the_text_is_what_the_judge_writes(self, engine: Engine) -> None:
        [asked, *_] = requests_for(1, place=VerdictPlace.IN_TEXT, n_reason_tokens=9)
        completion = judge_one(engine, asked)
        assert completion.text == write_plainly(engine, asked, 9)
        assert (completion.distribution, completion.error) == (None, None)
        assert (completion.finish_reason, completion.n_completion_tokens) == ("length", 9)

    def test_stop_text_ends_it(self, backend: LlamaCppBackend) -> None:
        [completion] = backend.judge(sums(place=VerdictPlace.IN_TEXT, stop=(" is right",))[:1])
        assert completion.text == " 3 and 4 make 6, so A"
        assert completion.finish_reason == "stop"

    def test_a_grammar_too_large_to_list_is_never_listed(self, backend: LlamaCppBackend) -> None:
        large = ScoresGrammar(low=1, high=10, n=4)
        with pytest.raises(ValueError, match="too many"):
            large.readings  # noqa: B018 - the look is what fails
        found = completed(backend, sums(place=VerdictPlace.IN_TEXT, grammar=large))
        assert {len(large.reading(one.text).scores) for one in found.values()} == {4}


class TestVerdictAtTheEnd:
    def test_it_is_read_where_it_stands(self, backend: LlamaCppBackend) -> None:
        """After the very tokens that the judge wrote, up to the one that holds the blank and the verdict."""
        texts = completed(backend, sums(place=VerdictPlace.IN_TEXT))
        for completion in backend.judge(sums()):
            written = texts[completion.request.item_id]
            assert completion.text == written.text
            assert completion.finish_reason == written.finish_reason == "stop"
            assert completion.n_completion_tokens == written.n_completion_tokens
            assert completion.n_prompt_tokens == written.n_prompt_tokens
            distribution = completion.distribution
            assert distribution is not None
            assert distribution.mass > 0.9
            assert distribution.preferred[0] == f" {distribution.greedy}"
            assert written.text.endswith(f"Winner: {distribution.greedy}.")

    def test_it_agrees_closely_with_reading_after_a_prompt_that_holds_the_text(self, engine: Engine) -> None:
        for asked in sums():
            completion = judge_one(engine, asked)
            before = completion.text[: asked.locate(completion.text)].rstrip()
            with_blanks = LabelsGrammar(labels={" A": Seat.FIRST, " B": Seat.SECOND})
            pieces = (*asked.prompt.pieces, Piece(text=before))
            whole = Request.of(Prompt(pieces=pieces), item_id="q", order=Order.AB, grammar=with_blanks)
            expected, _ = read_plainly(engine, whole, engine.limits)
            assert completion.distribution is not None
            assert completion.distribution.p == pytest.approx(
                {text.strip(): p for text, p in expected.p.items()}, abs=0.05
            )

    def test_without_a_place_there_is_no_distribution(self, backend: LlamaCppBackend) -> None:
        texts = completed(backend, sums(place=VerdictPlace.IN_TEXT))
        for asked in (sums(locate=after("Loser: ")), sums(locate=None)):
            found = completed(backend, asked)
            assert {key: one.text for key, one in found.items()} == {
                key: one.text for key, one in texts.items()
            }
            assert {one.distribution for one in found.values()} == {None}

    def test_a_text_that_goes_on_otherwise_ends_with_the_verdict(self, backend: LlamaCppBackend) -> None:
        for completion in backend.judge(sums(locate=after("so "), grammar=BETTER)):
            assert completion.distribution is not None
            assert re.fullmatch(" . and . make ., so [012]", completion.text)
            assert completion.text.endswith(completion.distribution.greedy)

    def test_at_the_texts_beginning_it_is_the_one_after_the_prompt(self, backend: LlamaCppBackend) -> None:
        [first, *_] = requests_for(1)
        last = replace(first, place=VerdictPlace.LAST, locate=lambda _: 0, n_reason_tokens=1)
        [expected], [found] = backend.judge([first]), backend.judge([last])
        assert found.distribution == expected.distribution

    def test_a_text_that_fills_the_context_fits(self, demo_path: Path) -> None:
        n_tokens = 40
        [asked, *_] = requests_for(
            1, place=VerdictPlace.LAST, locate=len, n_reason_tokens=256 - 16 - n_tokens
        )
        with LlamaCppBackend(demo_path, n_ctx=256, writes_reasons=True) as backend:
            backend._engine.contexts.writer._banned = backend.tokenizer.end_tokens
            [completion] = backend.judge([asked])
        assert completion.error is None
        assert completion.n_prompt_tokens + completion.n_completion_tokens == pytest.approx(240, abs=3)
        assert completion.distribution is not None

    @pytest.mark.parametrize("options", [{"flash_attn": False}, {"prompts_per_call": 2}])
    def test_where_the_text_is_evaluated_anew_it_agrees_closely(
        self, backend: LlamaCppBackend, demo_path: Path, options: dict[str, Any]
    ) -> None:
        moved = completed(backend, sums())
        with LlamaCppBackend(
            demo_path, n_ctx=512, engine=EngineOptions(**options), writes_reasons=True
        ) as other:
            anew = completed(other, sums())
        for key, completion in moved.items():
            assert anew[key].text == completion.text
            assert anew[key].distribution.p == pytest.approx(completion.distribution.p, abs=0.05)

    def test_all_places_in_one_call(self, backend: LlamaCppBackend) -> None:
        asked = [
            *sums()[:2],
            *requests_for(2, n_reason_tokens=5),
            *requests_for(2, item="plain"),
            replace(sums(place=VerdictPlace.IN_TEXT)[2], n_reason_tokens=3),
        ]
        together = {(c.request.item_id, c.request.order): c for c in backend.judge(asked)}
        assert len(together) == len(asked)
        for one in asked:
            [alone] = backend.judge([one])
            assert replace(together[one.item_id, one.order], elapsed_s=0) == replace(alone, elapsed_s=0)


CONCLUSION = '\nSo of A and B the winner is "'


@pytest.fixture(scope="module")
def anew(demo_path: Path) -> Iterator[LlamaCppBackend]:
    """A judge that evaluates prompts and texts in one context, so that equal tokens give equal bits."""
    engine = EngineOptions(prompts_per_call=2)
    with LlamaCppBackend(demo_path, n_ctx=512, engine=engine, writes_reasons=True) as opened:
        yield opened


def begun(**more: Any) -> list[Request]:
    return sums(**{"locate": None, "conclusion": CONCLUSION, **more})


def with_text(asked: Request, text: str) -> Request:
    """Return a request for the verdict after a prompt that holds a text and the conclusion."""
    *before, last = asked.prompt.pieces
    pieces = (*before, replace(last, cut=True), Piece(text=f"{text}{asked.conclusion}"))
    prompt = Prompt(pieces=pieces)
    return Request.of(prompt, item_id=asked.item_id, order=asked.order, grammar=asked.grammar)


def holds(backend: LlamaCppBackend, asked: Request, completion: Completion) -> Completion:
    """Return what the judge says after a prompt that holds what it wrote."""
    assert completion.distribution is not None
    ending = f"{asked.conclusion}{completion.distribution.greedy}"
    assert completion.text.endswith(ending)
    [found] = backend.judge([with_text(asked, completion.text.removesuffix(ending))])
    return found


class TestVerdictBegunAfterTheReasons:
    def test_the_text_ends_with_the_conclusion_and_the_verdict(self, backend: LlamaCppBackend) -> None:
        texts = completed(backend, sums(place=VerdictPlace.IN_TEXT))
        for completion in backend.judge(begun()):
            written = texts[completion.request.item_id]
            distribution = completion.distribution
            assert distribution is not None
            assert distribution.greedy in {"A", "B"}
            assert completion.text == f"{written.text}{CONCLUSION}{distribution.greedy}"
            assert completion.finish_reason == written.finish_reason
            assert completion.n_completion_tokens == written.n_completion_tokens
            assert completion.n_prompt_tokens == written.n_prompt_tokens

    @pytest.mark.parametrize("stop", [("\nQ",), ("ight",), (" is right. Winner",)])
    def test_it_equals_that_of_a_prompt_that_holds_the_text(
        self, anew: LlamaCppBackend, stop: tuple[str, ...]
    ) -> None:
        """Nothing of the stop text is left in between, not even where it begins within a token."""
        for asked in begun(stop=stop):
            [completion] = anew.judge([asked])
            assert completion.finish_reason == "stop"
            assert holds(anew, asked, completion).distribution == completion.distribution

    def test_where_the_text_is_moved_it_agrees_closely(
        self, backend: LlamaCppBackend, anew: LlamaCppBackend
    ) -> None:
        expected = completed(anew, begun())
        for key, completion in completed(backend, begun()).items():
            assert completion.text == expected[key].text
            assert completion.distribution.p == pytest.approx(expected[key].distribution.p, abs=0.05)

    def test_after_no_text_it_is_the_one_after_the_prompt(
        self, backend: LlamaCppBackend, anew: LlamaCppBackend
    ) -> None:
        for judge in (backend, anew):
            [asked, *_] = begun(stop=(" 3",))
            [completion] = judge.judge([asked])
            assert completion.text in {f"{CONCLUSION}A", f"{CONCLUSION}B"}
            assert holds(judge, asked, completion).distribution == completion.distribution

    def test_a_text_that_is_cut_off_has_a_verdict_too(self, anew: LlamaCppBackend) -> None:
        [asked, *_] = begun(n_reason_tokens=3)
        [completion] = anew.judge([asked])
        assert (completion.finish_reason, completion.n_completion_tokens) == ("length", 3)
        assert holds(anew, asked, completion).distribution == completion.distribution

    def test_a_text_that_is_cut_off_within_a_character(self, anew: LlamaCppBackend) -> None:
        party = Prompt(pieces=(Piece(text="Party!\n🎉🎉🎉🎉🎉\nParty!\n🎉🎉🎉🎉🎉\nParty!\n"),))
        asked = [
            Request.of(
                party,
                item_id=f"q{n}",
                order=Order.AB,
                grammar=LETTERS,
                place=VerdictPlace.LAST,
                n_reason_tokens=n,
                conclusion=CONCLUSION,
            )
            for n in range(1, 6)
        ]
        found = completed(anew, asked)
        cut = [one for one in asked if f"\ufffd{CONCLUSION}" in found[one.item_id].text]
        assert cut
        for one in cut:
            [completion] = anew.judge([one])
            assert holds(anew, one, completion).distribution == completion.distribution

    def test_a_verdict_that_the_judge_wrote_itself_decides_nothing(self, backend: LlamaCppBackend) -> None:
        found = completed(backend, begun(locate=after("Winner: ")))
        assert {key: (one.text, one.distribution) for key, one in found.items()} == {
            key: (one.text, one.distribution) for key, one in completed(backend, begun()).items()
        }

    def test_a_conclusion_that_merges_with_its_verdict_fails_its_own_request(
        self, backend: LlamaCppBackend
    ) -> None:
        expected = completed(backend, begun())
        [first, *others] = begun()
        found = completed(backend, [replace(first, conclusion="\nThe winner is "), *others])
        failed = found.pop(first.item_id)
        assert "joins 'nner is ' and the verdict 'A' into one token" in (failed.error or "")
        assert expected[first.item_id].text.startswith(f"{failed.text}{CONCLUSION}")
        assert {key: one.distribution for key, one in found.items()} == {
            key: expected[key].distribution for key in found
        }

    @pytest.mark.parametrize("options", [{}, {"flash_attn": False}, {"prompts_per_call": 2}])
    def test_the_conclusion_may_fill_the_context(self, demo_path: Path, options: dict[str, Any]) -> None:
        conclusion = f"{' word' * 100}{CONCLUSION}"
        engine = EngineOptions(**options)
        with LlamaCppBackend(demo_path, n_ctx=256, engine=engine, writes_reasons=True) as backend:
            backend._engine.contexts.writer._banned = backend.tokenizer.end_tokens
            [asked, *_] = begun(stop=(), conclusion=conclusion)
            n_taken = sum(map(len, backend.tokenizer.encode(asked.prompt)))
            n_taken += len(backend.tokenizer.inside(conclusion)) + 16
            [completion] = backend.judge([replace(asked, n_reason_tokens=256 - n_taken)])
        assert completion.error is None
        assert completion.n_completion_tokens == 256 - n_taken
        assert completion.distribution is not None


class TestFailures:
    def test_verdicts_that_cannot_be_told_apart_fail_their_own_request(
        self, backend: LlamaCppBackend
    ) -> None:
        expected = completed(backend, sums())
        alike = LabelsGrammar(labels={"1": Seat.FIRST, "11": Seat.SECOND})
        [first, *others] = sums()
        found = completed(backend, [replace(first, grammar=alike), *others])
        failed = found.pop(first.item_id)
        assert "'11' begin" in (failed.error or "")
        assert (failed.text, failed.distribution) == (expected[first.item_id].text, None)
        assert {key: one.distribution for key, one in found.items()} == {
            key: expected[key].distribution for key in found
        }

    @pytest.mark.parametrize("call", [0, 1])
    def test_a_failed_branch_fails_its_own_request(self, backend: LlamaCppBackend, call: int) -> None:
        expected = completed(backend, sums())
        decode, calls = LlamaContext.decode, iter(range(1000))

        def fail(context: LlamaContext, rows: Rows) -> None:
            if context is backend._engine.contexts.branches.context and next(calls) == call:
                raise EngineError("llama_decode returned 1")
            decode(context, rows)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LlamaContext, "decode", fail)
            found = completed(backend, sums())
        [failed] = [key for key, one in found.items() if one.error]
        assert (found[failed].error, found[failed].text) == ("llama_decode returned 1", expected[failed].text)
        assert {key: one.distribution for key, one in found.items() if key != failed} == {
            key: one.distribution for key, one in expected.items() if key != failed
        }

    def test_an_interrupt_while_it_is_read_leaves_nothing_behind(self, backend: LlamaCppBackend) -> None:
        expected = completed(backend, sums())

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Apart, "take_over", interrupt)
            with pytest.raises(KeyboardInterrupt):
                list(backend.judge(sums()))
        found = completed(backend, sums())
        assert {key: one.distribution for key, one in found.items()} == {
            key: one.distribution for key, one in expected.items()
        }

    def test_a_state_that_does_not_arrive_as_it_left_is_not_used(
        self, backend: LlamaCppBackend, demo_path: Path
    ) -> None:
        expected = completed(backend, sums())
        with LlamaCppBackend(demo_path, n_ctx=512, writes_reasons=True) as other:
            branches = other._engine.contexts.branches.context
            state_of = LlamaContext.state_of

            def garbled(context: LlamaContext, sequence: int) -> np.ndarray:
                state = state_of(context, sequence)
                return state[::-1].copy() if context is branches else state

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(LlamaContext, "state_of", garbled)
                found = completed(other, sums())
        for key, completion in expected.items():
            assert found[key].distribution != completion.distribution
            assert found[key].distribution.p == pytest.approx(completion.distribution.p, abs=0.05)
