"""Small made-up pairs for tests that start from nouns, not from files."""

from typing import Any

from judgecli.types import Pair, Response, Source


def make_pair(
    a: str = "Paris.", b: str = "London.", *, instruction: str = "Capital of France?", **more: Any
) -> Pair:
    """Return a pair with these two answers."""
    source = Source(file="made-up.jsonl", line=1)
    return Pair(
        id=more.pop("id", "q1"),
        instruction=instruction,
        response_a=Response(output=a, source=source),
        response_b=Response(output=b, source=source),
        **more,
    )
