"""Carrying out a whole run: the first judge, the stronger one for what is doubtful, and their entropy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgecli.errors import CallsSpentError
from judgecli.ledger import run_lock
from judgecli.run.cached_judge import ObserveCache
from judgecli.run.caching import with_cache
from judgecli.run.entropy import EntropyProgress, Unmeasured, measure_entropies
from judgecli.run.escalation import escalate
from judgecli.run.execution import Asking, PreparedRun, judge_open
from judgecli.run.judging import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a run could not do: why something was left to be asked, and texts that have no entropy."""

    spent: str | None = None
    unmeasured: tuple[Unmeasured, ...] = ()


def execute(
    run: PreparedRun,
    observe: Callable[[Progress], None] = lambda _: None,
    observe_entropy: Callable[[EntropyProgress], None] = lambda _: None,
    observe_cache: ObserveCache = lambda _: None,
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
            with with_cache(run, observe_cache) as asked:
                judge_open(asked, observe, _asking(run))
                if asked.second is not None:
                    escalate(asked, asked.second, observe)
        except CallsSpentError as error:
            return Left(spent=str(error))
        return Left(unmeasured=measure_entropies(run, observe_entropy))


def _asking(run: PreparedRun) -> Asking | None:
    """Return how a run asks that may stop early; None where all is asked."""
    if run.gate is None or not run.gate.early_stop:
        return None
    from judgecli.run.gating import UntilDecided  # noqa: PLC0415 - scipy takes 0.5 s that other runs need not wait

    return UntilDecided(run, run.gate)
