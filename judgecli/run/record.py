"""A run file read back as a record: its pairs, the judgments that count, and the verdicts they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from judgecli.ledger import LedgerFile, PlannedItem, current_judgments, read_ledger
from judgecli.run.comparing import judgments_of_pair, pairs_of_models, plan_of_pair
from judgecli.types import Judgment, Order, Ranking, RunRecord, Verdict
from judgecli.verdicts import merge_grades, merge_orders, verdict_by_rule


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
        items=tuple(planned.item for planned in ledger.planned),
        judgments=judgments,
        verdicts=tuple(_verdicts(ledger.planned, judgments)) if _mode(ledger) == "pair" else (),
        notes=tuple(_notes(ledger, len(ledger.judgments) - len(judgments), n_missing)),
        n_missing=n_missing,
        decided={
            (one.item.id, letters): rule for one in ledger.planned for letters, rule in one.decided.items()
        },
        comparisons=_comparisons(ledger, judgments, n_missing),
    )


def _mode(ledger: LedgerFile) -> str:
    return str(ledger.header.get("mode", "pair"))


def _verdicts(
    planned: Sequence[PlannedItem], judgments: Mapping[tuple[str, Order], Judgment]
) -> Iterator[Verdict]:
    """Yield the verdicts of pairs."""
    for one in planned:
        rule = one.decided.get(Order.AB)
        if rule is not None:
            yield verdict_by_rule(one.item, rule)
            continue
        orders = tuple(one.prompt_hashes)
        keys = {order: (one.item.id, order) for order in orders}
        found = {order: judgments[key] for order, key in keys.items() if key in judgments}
        alone = all(len(order) == 1 for order in orders)
        yield merge_grades(one.item, found) if alone else merge_orders(one.item, found, orders)


def _comparisons(
    ledger: LedgerFile, judgments: Mapping[tuple[str, Order], Judgment], n_missing: int
) -> dict[Order, RunRecord]:
    """Return a record for each two models of a ranking by pairs; none in another mode."""
    if _mode(ledger) != "rank" or ledger.header.get("ranking") == Ranking.JOINT:
        return {}
    records = {}
    n_models = min((len(one.item.responses) for one in ledger.planned), default=0)
    for letters in pairs_of_models(n_models):
        planned = plan_of_pair(ledger.planned, letters)
        known = judgments_of_pair(ledger.planned, judgments, letters)
        records[letters] = RunRecord(
            header=ledger.header,
            items=tuple(one.item for one in planned),
            judgments=known,
            verdicts=tuple(_verdicts(planned, known)),
            n_missing=n_missing,
        )
    return records


def _n_missing(ledger: LedgerFile) -> int:
    """Return how many of the items that the header counts are not in the file."""
    n_items = ledger.header.get("n_items")
    return max(0, n_items - len(ledger.planned)) if type(n_items) is int else 0


def _notes(ledger: LedgerFile, n_stale: int, n_missing: int) -> Iterator[str]:
    if n_missing:
        n_items = n_missing + len(ledger.planned)
        yield f"the file holds {len(ledger.planned):,} of the {n_items:,} items of this run"
    if ledger.torn_at is not None:
        yield "the last line was cut off and is ignored"
    if n_stale:
        yield f"{stale(n_stale)} ignored"


def stale(n_stale: int) -> str:
    """Return how many judgments are of other prompts, in words that end in a verb."""
    if n_stale == 1:
        return "1 judgment of a prompt that is not in this input is"
    return f"{n_stale} judgments of prompts that are not in this input are"
