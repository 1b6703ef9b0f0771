"""Run files made by the writer itself, for tests that read, tear and break them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from judgecli.ledger import LedgerWriter, PlannedItem
from judgecli.types import BOTH_ORDERS, DecidedBy, Item, Judgment, Order, Winner
from tests.made_up import make_pair

HEADER: dict[str, Any] = {
    "judgecli": "0.1.0",
    "mode": "pair",
    "model": {"name": "judge", "sha256": "5ad0"},
    "prompt": {"family": "judgelm", "hash": "d394", "template": None},
    "backend": {"name": "llama_cpp", "device": "cpu", "n_ubatch": 512, "n_ctx": 2048},
    "orders": "both",
    "min_mass": 0.5,
    "input": {"baseline": "a.jsonl", "candidate": "b.jsonl", "notes": []},
}


def planned(
    pair: Item | None = None, *, decided_by: DecidedBy | None = None, prompt: str = "1"
) -> PlannedItem:
    """Return a pair asked in both orders, with hashes that name its prompt, or decided by a rule."""
    pair = pair or make_pair()
    hashes = {} if decided_by else {order: f"{pair.id} {order} {prompt}" for order in BOTH_ORDERS}
    return PlannedItem(item=pair, prompt_hashes=hashes, decided={Order.AB: decided_by} if decided_by else {})


def judged(
    order: Order = Order.AB,
    winner: Winner | None = Winner.A,
    *,
    of: str = "q1",
    prompt: str = "1",
    **more: Any,
) -> Judgment:
    """Return a judgment of such a pair."""
    return Judgment(item_id=of, order=order, prompt_hash=f"{of} {order} {prompt}", winner=winner, **more)


def write_run(
    path: Path,
    pairs: Iterable[PlannedItem] = (),
    judgments: Iterable[Judgment] = (),
    header: dict[str, Any] | None = None,
) -> Path:
    """Write a run file: a header, one pair if none is given, and judgments."""
    with LedgerWriter(path) as writer:
        writer.write_plan(HEADER if header is None else header, list(pairs) or [planned()])
        for judgment in judgments:
            writer.write_judgment(judgment)
    return path
