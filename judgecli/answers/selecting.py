"""Some of the items instead of all: the first ones, or drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from judgecli.answers.joining import counted_items
from judgecli.answers.options import LoadingOptions
from judgecli.errors import UsageError
from judgecli.types import Item


def check_selection(options: LoadingOptions) -> None:
    """Raise UsageError for a limit that means nothing."""
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"--limit {options.limit}: a run needs at least one item")
    if options.sample and options.limit is None:
        raise UsageError("--sample needs --limit N, how many to draw")


def select(items: Sequence[Item], options: LoadingOptions) -> Sequence[Item]:
    """Return the first N items, or N drawn by a seeded hash of the id: a larger N keeps the smaller's."""
    if options.limit is None or not options.sample:
        return items[: options.limit]
    drawn = sorted(items, key=lambda item: _lot(options.seed, item.id))[: options.limit]
    kept = {item.id for item in drawn}
    return [item for item in items if item.id in kept]


def _lot(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"sample:{seed}:{item_id}".encode()).digest()


def selection(items: Sequence[Item], options: LoadingOptions) -> list[str]:
    """Return what a report says about how many of the items are kept."""
    if options.limit is None or options.limit >= len(items):
        return []
    how = f"drawn with seed {options.seed}" if options.sample else "the first"
    return [f"{options.limit} of {counted_items(items)} ({how})"]
