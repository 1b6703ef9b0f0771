"""Requests for the engine's tests, and a judge written plainly to hold it against."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from judgecli.backends.llama_cpp.context import Rows, Want
from judgecli.backends.llama_cpp.distribution import DistributionReader, Limits
from judgecli.backends.llama_cpp.engine import Engine
from judgecli.backends.llama_cpp.evaluation import Evaluated
from judgecli.types import (
    BOTH_ORDERS,
    Completion,
    Distribution,
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


def request(text: str, grammar: Grammar = SCORES, **more: Any) -> Request:
    return Request.of(
        Prompt(pieces=(Piece(text=text),)), item_id="q1", order=Order.AB, grammar=grammar, **more
    )


def write_plainly(engine: Engine, request: Request, n_tokens: int) -> str:
    """Generate greedily with nothing but decode and argmax, from an empty cache."""
    context, ids = (
        engine.contexts.prompts.context,
        list(chain.from_iterable(engine.tokenizer.encode(request.prompt))),
    )
    engine.contexts.forget()
    written: list[int] = []
    step, position = ids, 0
    while len(written) < n_tokens:
        rows = Rows()
        rows.extend(step, start=position, sequences=(0,), want=Want.LAST)
        context.decode(rows)
        position += len(step)
        step = [int(np.argmax(context.logits(len(step) - 1)))]
        written += step
    engine.contexts.forget()
    return engine.tokenizer.text_of(written).decode()


BETTER = LabelsGrammar(labels={"1": Seat.FIRST, "2": Seat.SECOND, "0": Seat.TIE})


def requests_for(n_pairs: int, *, item: str = "q", **more: Any) -> list[Request]:
    """Return short requests of three units, both orders; pairs 0 and 2, 1 and 3 share a question."""
    return [
        Request.of(
            Prompt(
                pieces=(
                    Piece(text=f"Question {i % 2}: why does it rain?\n", cut=True),
                    Piece(text=f"1: {'Clouds cool down. ' * (i + 1)}{order}\n", cut=True),
                    Piece(text=f"2: It is wet {i}{order[::-1]}\nThe better of 1 and 2 is answer "),
                    Piece(text='number "'),
                )
            ),
            item_id=f"{item}{i}",
            order=order,
            grammar=BETTER,
            **more,
        )
        for i in range(n_pairs)
        for order in BOTH_ORDERS
    ]


def by_key(completions: Iterator[Completion]) -> dict[tuple[str, Order], tuple[object, str]]:
    return {(c.request.item_id, c.request.order): (c.distribution, c.text) for c in completions}


def judge_one(engine: Engine, request: Request) -> Completion:
    [completion] = engine.judge([request])
    return completion


def read_plainly(engine: Engine, request: Request, limits: Limits) -> tuple[Distribution, Evaluated]:
    """Read a request's distribution within limits, leaving its prompt in sequence 0."""
    [evaluated] = engine.contexts.prompts.evaluate([engine.tokenizer.encode(request.prompt)])
    reader = DistributionReader(engine.contexts.branches, engine.tokenizer, limits=limits)
    trie = engine._trie(request, engine.tokenizer.tail_of(request.prompt))
    [(distribution, _)] = reader.read([evaluated], [trie])
    return distribution, evaluated
