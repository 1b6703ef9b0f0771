"""A made-up request, the judge it is for, and what came back."""

from typing import Any

from judgecli.cache import AskedJudge
from judgecli.types import (
    Completion,
    Distribution,
    Order,
    Piece,
    Prompt,
    ReadingRule,
    Request,
    ScoresGrammar,
)

JUDGE = AskedJudge(
    name="made-up", identity="f" * 64, settings=(("model.sha256", "f" * 64), ("sampling", "greedy"))
)
RULE = ReadingRule(reader="judgelm")
SCORES = ScoresGrammar(low=1, high=10)
DISTRIBUTION = Distribution(
    p={"8 6\n": 0.1 + 0.2, "7 7\n": 1 / 3}, greedy="8 6\n", p_unopened=1e-17, preferred=("8", 2 / 3)
)


def make_request(text: str = "Which is better?", **more: Any) -> Request:
    asked = {"item_id": "q1", "order": Order.AB, "grammar": SCORES, **more}
    return Request.of(Prompt(pieces=(Piece(text=text),)), **asked)


def make_completion(**more: Any) -> Completion:
    said = {"text": "8 6\n", "distribution": DISTRIBUTION, "n_prompt_tokens": 40, "n_completion_tokens": 4}
    return Completion(request=make_request(), **{**said, **more})
