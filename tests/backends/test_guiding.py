"""Lines of more scores than can be listed: written within the grammar, with what that is worth."""

from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import LlamaCppBackend
from judgecli.backends.llama_cpp.guiding import Guide
from judgecli.backends.llama_cpp.tokenizer import LlamaTokenizer
from judgecli.types import (
    Completion,
    EngineOptions,
    Order,
    Piece,
    Prompt,
    Request,
    ScoresGrammar,
    VerdictPlace,
)

THREE = ScoresGrammar(low=1, high=10, n=3)
TWO = ScoresGrammar(low=1, high=10)


def asked(number: int, *, max_tokens: int = 32) -> Request:
    prompt = Prompt(pieces=(Piece(text=f"Question {number}. The scores of answers 1, 2 and 3: "),))
    return Request.of(
        prompt,
        item_id=f"q{number}",
        order=Order("ABC"),
        grammar=THREE,
        place=VerdictPlace.IN_TEXT,
        n_reason_tokens=max_tokens,
        stop=("\n",),
    )


def judged(path: Path, requests: list[Request], **engine: int) -> dict[str, Completion]:
    options = EngineOptions(**engine)
    with LlamaCppBackend(path, n_ctx=256, engine=options, writes_reasons=True) as backend:
        return {one.request.item_id: one for one in backend.judge(requests)}


def test_tokens_lead_to_all_texts_and_to_no_others(demo_tokenizer: LlamaTokenizer) -> None:
    guide = Guide(demo_tokenizer, TWO)
    beginnings = {text[:end] for text in TWO.readings for end in range(len(text) + 1)}
    for before in ("", "8", "8.", "8.5", "1", "10", "8 ", "8 1", "8 10"):
        reached = {before + demo_tokenizer.text_of([token]).decode() for token in guide.allowed(before)}
        assert reached <= beginnings
        following = {text for text in beginnings if len(text) == len(before) + 1 and text.startswith(before)}
        assert following <= {text[: len(before) + 1] for text in reached}
    assert guide.allowed("8 6\n") == []


def test_a_line_is_within_the_grammar_with_the_mass_that_is_there(demo_path: Path) -> None:
    (one,) = judged(demo_path, [asked(1)]).values()
    assert one.distribution is not None
    assert one.text == one.distribution.greedy
    assert len(THREE.reading(one.text).scores) == 3
    assert 0 < one.distribution.p[one.text] <= one.distribution.mass <= 1
    assert one.finish_reason == "stop"


def test_neighbours_change_nothing(demo_path: Path) -> None:
    requests = [asked(number) for number in range(4)]
    together = judged(demo_path, requests)
    alone = judged(demo_path, requests[2:3], parallel=1)
    assert alone["q2"].text == together["q2"].text
    assert alone["q2"].distribution == together["q2"].distribution


@pytest.mark.parametrize("max_tokens", [1, 3])
def test_a_line_that_is_cut_off_has_no_distribution(demo_path: Path, max_tokens: int) -> None:
    (one,) = judged(demo_path, [asked(1, max_tokens=max_tokens)]).values()
    assert (one.distribution, one.finish_reason) == (None, "length")
