"""Small made-up pairs for tests that start from nouns, not from files."""

from typing import Any

from judgecli.types import Item, Response, Source


def make_pair(
    a: str = "Paris.", b: str = "London.", *, instruction: str = "Capital of France?", **more: Any
) -> Item:
    """Return a pair with these two answers."""
    source = Source(file="made-up.jsonl", line=1)
    return Item(
        id=more.pop("id", "q1"),
        instruction=instruction,
        responses=(Response(output=a, source=source), Response(output=b, source=source)),
        **more,
    )
