"""Requests for the engine's tests, and a judge written plainly to hold it against."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from judgecli.backends.llama_cpp.context import Rows, Want
from judgecli.backends.llama_cpp.engine import Engine
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

SCORES = ScoresGrammar(low=1, high=10)
# Examples that make a model without training write two scores: its mass on the grammar is then about 0.6.
SHOTS = "Two scores, 1 to 10:\nScores:8 6\nScores:7 9\nScores:10 8.5\nScores:9 10\nScores:6.5 7\n"


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
