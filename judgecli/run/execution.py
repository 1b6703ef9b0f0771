"""Carrying out a plan: what the run file already holds is kept, the rest is asked and appended row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.ledger import LedgerFile, LedgerWriter, first_difference, read_ledger, same_plan
from judgecli.run.options import PairOptions
from judgecli.run.planning import Plan, PlannedRequest
from judgecli.types import Backend, Failure, Judgment, RunRecord, Verdict
from judgecli.verdicts import merge_orders, read_completion, verdict_by_rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is: judgments and the prompt tokens they need evaluated, of what this call has to do."""

    n_done: int
    n_total: int
    n_tokens_done: int
    n_tokens_total: int
    judgment: Judgment


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A plan with its header, held against what the run file already has. `open` is what is left to ask."""

    options: PairOptions
    plan: Plan
    header: Mapping[str, Any]
    reader: str
    existing: LedgerFile | None
    open: tuple[PlannedRequest, ...]
    load: Callable[[], AbstractContextManager[Backend]]

    @property
    def path(self) -> Path:
        """The run file."""
        return self.options.run_file

    @property
    def n_kept(self) -> int:
        """Judgments that the run file already holds and that are not asked again."""
        return len(self.plan.requests) - len(self.open)


def existing_run(options: PairOptions, header: Mapping[str, Any]) -> LedgerFile | None:
    """Return the run file to go on with; None where there is none, or a fresh start is asked for.

    Raises:
        DataError: the file there belongs to an unlike run, or is no run file.
    """
    path = options.run_file
    if options.fresh or not path.exists() or path.stat().st_size == 0:
        return None
    ledger = read_ledger(path)
    difference = first_difference(ledger.header, header)
    if difference is not None:
        name, old, new = difference
        message = f"{path} holds a run with another {name} ({_short(old)}, now {_short(new)})"
        raise DataError(f"{message}; start anew with --fresh, or write elsewhere with --out")
    return ledger


def open_requests(
    plan: Plan, existing: LedgerFile | None, options: PairOptions
) -> tuple[PlannedRequest, ...]:
    """Return the requests still to be asked: new ones, engine failures, with `retry` all failures."""
    if existing is None:
        return plan.requests
    retried = {Failure.ENGINE, Failure.TOO_LONG}  # too long under another limit: it fits now
    if options.retry:
        retried = set(Failure)
    done = {
        (judgment.pair_id, judgment.order, judgment.prompt_hash)
        for judgment in existing.judgments.values()
        if judgment.failure not in retried
    }
    return tuple(
        item
        for item in plan.requests
        if (item.request.pair_id, item.request.order, item.request.prompt.hash) not in done
    )


def execute(run: PreparedRun, observe: Callable[[Progress], None] = lambda _: None) -> None:
    """Judge what is open and write every row as it comes; a kill loses at most what was in flight.

    Raises:
        ModelError: the judge does not load.
        OutputError: the run file cannot be written.
    """
    backend: AbstractContextManager[Backend] = run.load() if run.open else nullcontext()  # type: ignore[assignment]
    with backend as judge, _writer(run) as writer:
        if run.existing is None or _plan_changed(run):
            writer.write_plan(run.header, run.plan.planned)
        known = run.existing.judgments if run.existing else {}
        for failure in run.plan.too_long:
            if known.get((failure.pair_id, failure.order)) != failure:
                writer.write_judgment(failure)
        if run.open:
            _judge(run, judge, writer, observe)


def _judge(
    run: PreparedRun, judge: Backend, writer: LedgerWriter, observe: Callable[[Progress], None]
) -> None:
    items = {(item.request.pair_id, item.request.order): item for item in run.open}
    pairs = {planned.pair.id: planned.pair for planned in run.plan.planned}
    n_tokens_total = sum(item.n_new_tokens for item in run.open)
    n_tokens_done = 0
    for n_done, completion in enumerate(judge.judge(item.request for item in run.open), 1):
        request = completion.request
        judgment = read_completion(
            completion, pairs[request.pair_id], reader=run.reader, min_mass=run.options.min_mass
        )
        writer.write_judgment(judgment)
        n_tokens_done += items[request.pair_id, request.order].n_new_tokens
        observe(
            Progress(
                n_done=n_done,
                n_total=len(run.open),
                n_tokens_done=n_tokens_done,
                n_tokens_total=n_tokens_total,
                judgment=judgment,
            )
        )


def _writer(run: PreparedRun) -> LedgerWriter:
    if run.existing is None:
        return LedgerWriter(run.path)
    torn_at = run.existing.torn_at
    return LedgerWriter(run.path, keep_bytes=run.path.stat().st_size if torn_at is None else torn_at)


def _plan_changed(run: PreparedRun) -> bool:
    return run.existing is None or not same_plan(run.existing.planned, run.plan.planned)


def load_run(path: Path) -> RunRecord:
    """Read a run file back, with the verdicts that its judgments make.

    Raises:
        DataError: it is not a run file, or is broken.
    """
    ledger = read_ledger(path)
    verdicts: list[Verdict] = []
    for planned in ledger.planned:
        pair, orders = planned.pair, tuple(planned.prompt_hashes)
        if planned.decided_by is not None:
            verdicts.append(verdict_by_rule(pair, planned.decided_by))
            continue
        found = {order: ledger.judgments.get((pair.id, order)) for order in orders}
        judgments = {order: judgment for order, judgment in found.items() if judgment is not None}
        verdicts.append(merge_orders(pair, judgments, orders))
    return RunRecord(
        header=ledger.header,
        pairs=tuple(planned.pair for planned in ledger.planned),
        judgments=ledger.judgments,
        verdicts=tuple(verdicts),
        notes=tuple(ledger.notes),
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:21]}..."
