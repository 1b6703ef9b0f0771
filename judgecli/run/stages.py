"""Carrying out a whole run: the first judge, the stronger one for what is doubtful, and their entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgecli.errors import CallsSpentError
from judgecli.ledger import run_lock
from judgecli.run.entropy import EntropyProgress, Unmeasured, measure_entropies
from judgecli.run.escalation import escalate
from judgecli.run.execution import PreparedRun, Progress, judge_open


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a run could not do: why something was left to be asked, and texts that have no entropy."""

    spent: str | None = None
    unmeasured: tuple[Unmeasured, ...] = ()


def execute(
    run: PreparedRun,
    observe: Callable[[Progress], None] = lambda _: None,
    observe_entropy: Callable[[EntropyProgress], None] = lambda _: None,
) -> Left:
    """Judge what is open and write every row as it comes; a kill loses at most what was in flight.

    Where an endpoint is not to be called any more, the rest is left open.

    Raises:
        DataError: no item can be told to be doubtful.
        ModelError: a judge does not load, or stops before its last answer.
        OutputError: the run file cannot be written, or another run writes it.
    """
    with run_lock(run.path):  # from here on: another run could come between two stages
        try:
            judge_open(run, observe)
            if run.second is not None:
                escalate(run, run.second, observe)
        except CallsSpentError as error:
            return Left(spent=str(error))
        return Left(unmeasured=measure_entropies(run, observe_entropy))
