"""A run file read back as a record: its pairs, the judgments that count, and the verdicts they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from judgecli.analysis.gate.controls import split_control
from judgecli.errors import DataError
from judgecli.ledger import LedgerFile, current_entropies, current_judgments, read_ledger
from judgecli.run.cascade import Cascade
from judgecli.run.comparing import judgments_of_pair, pairs_of_models, plan_of_pair
from judgecli.run.merged import merged_verdicts
from judgecli.types import JUDGE_MODEL, Judgment, Order, Ranking, RunRecord, base_model_name, recorded_judge

_MODES = ("pair", "grade", "rank")


def load_run(path: Path) -> RunRecord:
    """Read a run file back, with the verdicts that its judgments make.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    ledger = read_ledger(path)
    _check_mode(path, ledger)
    _check_answers(path, ledger)
    judgments = current_judgments(ledger.planned, ledger.judgments)
    cascade = Cascade.of(ledger) if _mode(ledger) == "pair" else Cascade()
    n_missing = _n_missing(ledger)
    n_stale = len(ledger.judgments) - len(judgments) - cascade.n_rows
    record = RunRecord(
        header=ledger.header,
        items=tuple(planned.item for planned in ledger.planned),
        judgments=judgments,
        verdicts=cascade.verdicts,
        first_verdicts=cascade.first_verdicts,
        escalated=cascade.judgments,
        notes=tuple(_notes(ledger, n_stale, n_missing)),
        n_missing=n_missing,
        entropies=current_entropies(ledger.planned, ledger.entropies, JUDGE_MODEL),
        base_entropies=_base_entropies(ledger),
        decided={
            (one.item.id, letters): rule for one in ledger.planned for letters, rule in one.decided.items()
        },
        comparisons=_comparisons(ledger, judgments, n_missing),
    )
    pairs, control = split_control(record)
    return replace(pairs, control=control) if control.items else record


def _check_mode(path: Path, ledger: LedgerFile) -> None:
    mode = ledger.header.get("mode", "pair")
    if mode not in _MODES:
        message = f"{path}: its header names the mode {mode!r:.40}, and known are {', '.join(_MODES)}"
        raise DataError(f"{message}; read it with the version of judgecli that wrote it, or judge anew")


def _check_answers(path: Path, ledger: LedgerFile) -> None:
    """Refuse an item with more or fewer answers than the run compares: a file put together of several."""
    mode = _mode(ledger)
    counts = [len(one.item.responses) for one in ledger.planned]
    wanted = counts[0] if mode == "rank" and counts else 1 if mode == "grade" else 2
    for one, n in zip(ledger.planned, counts, strict=True):
        if n != wanted:
            message = f"{path}: item {one.item.id!r} has {n} of the {wanted} answers that the run compares"
            raise DataError(f"{message}, so this is no one run's file; judge anew with --fresh")


def _base_entropies(ledger: LedgerFile) -> dict[tuple[str, Order], float]:
    """Return the entropies of the base model that the header names; none of another one."""
    base = ledger.header.get("base")
    if not isinstance(base, Mapping):
        return {}
    model = base_model_name(str(base.get("sha256")))
    return current_entropies(ledger.planned, ledger.entropies, model)


def _mode(ledger: LedgerFile) -> str:
    return str(ledger.header.get("mode", "pair"))


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
            verdicts=tuple(merged_verdicts(planned, known, recorded_judge(ledger.header))),
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
