"""Completions and judgments for tests of the verdicts."""

from typing import Any

from judgecli.types import (
    Completion,
    Distribution,
    Grammar,
    Item,
    Judgment,
    LabelsGrammar,
    Order,
    Piece,
    Prompt,
    ReadingRule,
    Request,
    ScoresGrammar,
    Seat,
    Winner,
)
from judgecli.verdicts import read_completion
from tests.made_up import make_pair

SCORES = ScoresGrammar(low=1, high=10)
LABELS = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND, "tie": Seat.TIE})
PROMPT = "Rate both from 1 to 10, for example:\n10 10\n\n### Response:"


def completion(
    text: str = "",
    *,
    order: Order = Order.AB,
    grammar: Grammar = SCORES,
    n_reason_tokens: int = 0,
    flags: tuple[str, ...] = (),
    **more: Any,
) -> Completion:
    """Return what a judge wrote to a made-up prompt."""
    request = Request.of(
        Prompt(pieces=(Piece(text=PROMPT),), flags=flags),
        item_id="q1",
        order=order,
        grammar=grammar,
        n_reason_tokens=n_reason_tokens,
    )
    return Completion(request=request, text=text, **more)


def read_scores_of(text: str, *, pair: Item | None = None, **more: Any) -> Judgment:
    """Read a text as JudgeLM's, without a distribution."""
    return read_completion(
        completion(text, **more),
        pair or make_pair(),
        rule=ReadingRule(reader="first_line_scores"),
        min_mass=0.5,
    )


def read_label_of(text: str, *, pair: Item | None = None, **more: Any) -> Judgment:
    """Read a text as a chat judge's, without a distribution."""
    made = completion(text, grammar=LABELS, **more)
    return read_completion(made, pair or make_pair(), rule=ReadingRule(reader="first_label"), min_mass=0.5)


def distribution(p: dict[str, float], *, p_unopened: float = 0.0, greedy: str | None = None) -> Distribution:
    """Return a distribution; its greedy path is the likeliest text."""
    likeliest = greedy or max(p, key=lambda text: p[text])
    return Distribution(p=p, greedy=likeliest, p_unopened=p_unopened, preferred=(likeliest, 0.25))


def judgment(winner: Winner | None = None, order: Order = Order.AB, **more: Any) -> Judgment:
    """Return a judgment of the pair q1; `score_a`, `p_b`, `p_tie` and the like go into their tables."""
    return Judgment(
        item_id="q1",
        order=order,
        prompt_hash=f"hash {order}",
        winner=winner,
        scores=_table(more, score_a="A", score_b="B"),
        p=_table(more, p_a="A", p_b="B", p_tie="tie"),
        **more,
    )


def _table(given: dict[str, Any], **names: str) -> dict[str, float]:
    return {letter: given.pop(name) for name, letter in names.items() if name in given}
