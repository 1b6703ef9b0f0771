"""Handing doubtful items to a stronger judge: how it is asked, and asking it about exactly those."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.ledger import (
    JudgmentKey,
    LedgerWriter,
    PlannedItem,
    SecondAsking,
    judge_key,
    read_ledger,
    size_of,
)
from judgecli.run.cascade import first_verdicts
from judgecli.run.execution import PreparedRun, SecondJudge, is_passing, open_requests
from judgecli.run.judging import Progress, Stage, judge_stage
from judgecli.run.planning import Plan
from judgecli.types import Backend, DecidedBy, DoubtRule, Judgment

_NO_PROBABILITY = (
    "no verdict has a probability, so no threshold can tell which are doubtful; nothing was handed on; "
    "escalate by --order-dependent"
)


def second_judge(
    plan: Plan,
    header: Mapping[str, Any],
    rule: DoubtRule,
    load: Callable[[], AbstractContextManager[Backend]],
) -> tuple[SecondJudge, dict[str, Any]]:
    """Return a stronger judge from its plan and the header that a run of its own would have.

    The second part of the result is what the run's header says about it.
    """
    key = judge_key(header)
    said = {"key": key, **{name: header[name] for name in ("model", "prompt", "backend", "reasons")}}
    second = SecondJudge(
        key=key, name=header["model"]["name"], plan=plan, min_mass=header["min_mass"], doubt=rule, load=load
    )
    return second, said


def check_threshold(rule: DoubtRule, known: Mapping[JudgmentKey, Judgment], path: Path) -> None:
    """Refuse a threshold for a run whose judgments, as far as there are any, have no probabilities.

    Raises:
        DataError: no threshold can tell which of them are doubtful.
    """
    read = [one for one in known.values() if not one.judge and one.failure is None]
    has_none = bool(read) and not any(one.p or one.p_scores for one in read)
    if rule.below is not None and has_none:
        raise DataError(f"{path}: {_NO_PROBABILITY}")


def with_second(plan: Plan, second: Plan) -> Plan:
    """Return a plan whose items say how the stronger judge would be asked about them."""
    return replace(
        plan, planned=tuple(_both(*both) for both in zip(plan.planned, second.planned, strict=True))
    )


def _both(first: PlannedItem, second: PlannedItem) -> PlannedItem:
    if not second.prompt_hashes:  # a rule decides
        return first
    asked = SecondAsking(prompt_hashes=second.prompt_hashes, shown_characters=second.shown_characters)
    return replace(first, second=asked)


def escalate(run: PreparedRun, second: SecondJudge, observe: Callable[[Progress], None]) -> None:
    """Ask the stronger judge about the items that its rule doubts, as far as that is not done yet.

    Raises:
        DataError: the rule has a threshold, and no verdict has a probability.
        ModelError: the judge does not load, or stops before its last answer.
        OutputError: the run file cannot be written.
    """
    ledger = read_ledger(run.path)
    verdicts = first_verdicts(ledger)
    judged = [one for one in verdicts if one.decided_by is DecidedBy.JUDGE and one.winner is not None]
    if second.doubt.below is not None and judged and all(one.confidence is None for one in judged):
        raise DataError(f"{run.path}: {_NO_PROBABILITY}")
    doubted = {verdict.item_id for verdict in verdicts if verdict.is_doubtful}
    wanted = (one for one in second.plan.requests if one.request.item_id in doubted)
    left = open_requests(wanted, ledger.judgments, retry=run.options.retry, judge=second.key)
    too_long = [replace(one, judge=second.key) for one in second.plan.too_long if one.item_id in doubted]
    with ExitStack() as stack:
        judge = stack.enter_context(second.load()) if left else None
        writer = stack.enter_context(LedgerWriter(run.path, keep_bytes=size_of(run.path)))
        for failure in too_long:
            known = ledger.judgments.get((failure.item_id, failure.order, failure.prompt_hash, failure.judge))
            if is_passing(known) and known != failure:
                writer.write_judgment(failure)
        if judge is not None:
            stage = Stage(plan=second.plan, open=left, min_mass=second.min_mass, key=second.key)
            judge_stage(stage, judge, writer, observe)
