"""A judge that writes before it judges: its text as it is, and its verdict read where it stands in it."""

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
        assert all("Winner: " in one.text for one in found.values())


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
