"""A run file read back as a record: its pairs, the judgments that count, and the verdicts they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from judgecli.ledger import LedgerFile, PlannedPair, current_judgments, read_ledger
from judgecli.types import Judgment, Order, RunRecord, Verdict
from judgecli.verdicts import merge_orders, verdict_by_rule


def load_run(path: Path) -> RunRecord:
    """Read a run file back, with the verdicts that its judgments make.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    ledger = read_ledger(path)
    judgments = current_judgments(ledger.planned, ledger.judgments)
    n_missing = _n_missing(ledger)
    return RunRecord(
        header=ledger.header,
        pairs=tuple(planned.pair for planned in ledger.planned),
        judgments=judgments,
        verdicts=tuple(_verdict(planned, judgments) for planned in ledger.planned),
        notes=tuple(_notes(ledger, len(ledger.judgments) - len(judgments), n_missing)),
        n_missing=n_missing,
    )


def _verdict(planned: PlannedPair, judgments: Mapping[tuple[str, Order], Judgment]) -> Verdict:
    if planned.decided_by is not None:
        return verdict_by_rule(planned.pair, planned.decided_by)
    orders = tuple(planned.prompt_hashes)
    keys = {order: (planned.pair.id, order) for order in orders}
    found = {order: judgments[key] for order, key in keys.items() if key in judgments}
    return merge_orders(planned.pair, found, orders)


def _n_missing(ledger: LedgerFile) -> int:
    """Return how many of the pairs that the header counts are not in the file."""
    n_pairs = ledger.header.get("n_pairs")
    return max(0, n_pairs - len(ledger.planned)) if type(n_pairs) is int else 0


def _notes(ledger: LedgerFile, n_stale: int, n_missing: int) -> Iterator[str]:
    if n_missing:
        n_pairs = n_missing + len(ledger.planned)
        yield f"the file holds {len(ledger.planned):,} of the {n_pairs:,} pairs of this run"
    if ledger.torn_at is not None:
        yield "the last line was cut off and is ignored"
    if n_stale:
        yield f"{stale(n_stale)} ignored"


def stale(n_stale: int) -> str:
    """Return how many judgments are of other prompts, in words that end in a verb."""
    if n_stale == 1:
        return "1 judgment of a prompt that is not in this input is"
    return f"{n_stale} judgments of prompts that are not in this input are"
