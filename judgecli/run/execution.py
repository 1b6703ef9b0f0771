"""Carrying out a plan: what the run file already holds is kept, the rest is asked and appended row by row."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from judgecli.errors import DataError
from judgecli.ledger import (
    JudgmentKey,
    LedgerWriter,
    PlannedItem,
    RunFileState,
    check_writable,
    current_judgments,
    first_difference,
    option_name,
    read_ledger,
    run_file_state,
    same_plan,
)
from judgecli.run.given import Given
from judgecli.run.judge_choice import ChosenBase
from judgecli.run.judging import Progress, Stage, judge_stage
from judgecli.run.options import RunOptions
from judgecli.run.planning import Plan, PlannedRequest, count_new_tokens
from judgecli.run.price import keep_prices
from judgecli.types import Backend, DoubtRule, Failure, GateOptions, Judgment, Request

# Failures of the machine or of the context's size, not of the judge: asked again without --retry.
_PASSING = frozenset({Failure.ENGINE, Failure.TOO_LONG})


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondJudge:
    """A stronger judge that doubtful items are handed to, and the plan for asking it about any of them.

    `key` is what its rows bear, `name` what it is called, `doubt` which items it is asked about.
    """

    key: str
    name: str
    plan: Plan
    min_mass: float
    doubt: DoubtRule
    load: Callable[[], AbstractContextManager[Backend]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExistingRun:
    """What the run file holds already, apart from its pairs, which the plan holds too.

    `has_plan` says whether its header and its pairs are those of this run; `torn_at` is the byte offset of a
    last line that was cut off.
    """

    judgments: Mapping[JudgmentKey, Judgment]
    has_plan: bool
    torn_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A plan with its header, held against what the run file already has.

    `open` is what is left to ask; `seen_bytes` is the run file's size when it was read. `second` is the judge
    for doubtful items and `base` the model that the judge was fine-tuned from, where there are such.
    """

    options: RunOptions
    given: Given
    plan: Plan
    header: Mapping[str, Any]
    existing: ExistingRun | None
    seen_bytes: int
    open: tuple[PlannedRequest, ...]
    load: Callable[[], AbstractContextManager[Backend]]
    second: SecondJudge | None = None
    gate: GateOptions | None = None
    base: ChosenBase | None = None

    @property
    def path(self) -> Path:
        """The run file."""
        return self.options.run_file

    @property
    def n_kept(self) -> int:
        """Judgments that the run file already holds and that are not asked again."""
        return len(self.plan.requests) - len(self.open)

    @property
    def n_stale(self) -> int:
        """Judgments in the run file of prompts that are not in this input."""
        if self.existing is None:
            return 0
        known = {key: one for key, one in self.existing.judgments.items() if not one.judge}
        return len(known) - len(current_judgments(self.plan.planned, known))

    @property
    def too_long(self) -> list[Judgment]:
        """The failures of prompts that do not fit, unless the run file has a judgment of them that did."""
        known = self.existing.judgments if self.existing else {}
        return [one for one in self.plan.too_long if is_passing(known.get(_key(one)))]


def _key(one: Judgment | Request, judge: str = "") -> JudgmentKey:
    return one.item_id, one.order, one.prompt_hash, judge


def _is_open(judgment: Judgment | None, retried: Collection[Failure]) -> bool:
    return judgment is None or judgment.failure in retried


def is_passing(judgment: Judgment | None) -> bool:
    """Whether there is no judgment, or only a failure of the machine or of the context's size."""
    return _is_open(judgment, _PASSING)


def existing_run(
    options: RunOptions, header: dict[str, Any], planned: Iterable[PlannedItem]
) -> ExistingRun | None:
    """Return what the run file to go on with holds; None where there is none, or a fresh start is asked for.

    Where `header` names no price, it gets that of the run file.

    Raises:
        DataError: the file there belongs to an unlike run, is broken, or is no run file.
        OutputError: a run file cannot be there.
    """
    path = options.run_file
    state = run_file_state(path)
    if state is RunFileState.FOREIGN:
        raise DataError(f"{path}: there already and not a run file; write elsewhere with --out")
    if state is RunFileState.NEW or options.fresh:
        return None
    ledger = read_ledger(path)
    difference = first_difference(ledger.header, header)
    if difference is not None:
        name, old, new = difference
        differs = f"another {option_name(name)} ({_short(old)}, now {_short(new)})"
        ways = "go on with the old value, start anew with --fresh, or write elsewhere with --out"
        raise DataError(f"{path} holds a run with {differs}; {ways}")
    keep_prices(header, ledger.header)
    return ExistingRun(
        judgments=ledger.judgments,
        has_plan=_without_time(ledger.header) == _without_time(header) and same_plan(ledger.planned, planned),
        torn_at=ledger.torn_at,
    )


def open_requests(
    requests: Iterable[PlannedRequest],
    known: Mapping[JudgmentKey, Judgment],
    *,
    retry: bool = False,
    judge: str = "",
) -> tuple[PlannedRequest, ...]:
    """Return the requests still to be asked: new ones, engine failures, with `retry` all failures.

    They stay in the plan's order, and their new tokens are counted anew: what went before may be left out.
    """
    retried = frozenset(Failure) if retry else _PASSING
    left = (item for item in requests if _is_open(known.get(_key(item.request, judge)), retried))
    return tuple(count_new_tokens(left))


class Asking(Protocol):
    """Another way to ask what is open than all of it at once."""

    @property
    def is_over(self) -> bool:
        """Whether nothing needs to be asked any more."""

    def ask(self, judge: Backend, writer: LedgerWriter, observe: Callable[[Progress], None]) -> None:
        """Ask a judge and write each judgment as it comes."""


def judge_open(run: PreparedRun, observe: Callable[[Progress], None], asking: Asking | None = None) -> None:
    """Ask the first judge what is open and write every row as it comes.

    A kill loses at most what was in flight.

    Raises:
        ModelError: the judge does not load, or stops before its last answer.
        OutputError: the run file cannot be written.
    """
    check_writable(run.path)
    with ExitStack() as stack:
        is_over = not run.open or (asking is not None and asking.is_over)
        judge = None if is_over else stack.enter_context(run.load())
        writer = stack.enter_context(_writer(run))
        if run.existing is None or not run.existing.has_plan:
            writer.write_plan(run.header, run.plan.planned)
        known = run.existing.judgments if run.existing else {}
        for failure in run.too_long:
            if known.get(_key(failure)) != failure:
                writer.write_judgment(failure)
        if judge is None:
            return
        if asking is not None:
            asking.ask(judge, writer, observe)
            return
        stage = Stage(plan=run.plan, open=run.open, min_mass=run.options.min_mass)
        judge_stage(stage, judge, writer, observe)


def _writer(run: PreparedRun) -> LedgerWriter:
    seen = run.seen_bytes
    if run.existing is None:
        return LedgerWriter(run.path, expected_bytes=None if run.options.fresh else seen)
    torn_at = run.existing.torn_at
    return LedgerWriter(run.path, keep_bytes=seen if torn_at is None else torn_at, expected_bytes=seen)


def _without_time(header: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in header.items() if name != "started_at"}


def _short(value: Any) -> str:
    if isinstance(value, Mapping) and "file" in value:
        return f"{value['file']}, SHA-256 {value.get('sha256')!s:.12}"
    text = "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 24 else f"{text[:21]}..."
