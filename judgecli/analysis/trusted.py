"""Which verdicts are trusted, which judge gave them, and what asking it took."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from judgecli.analysis.counts import count
from judgecli.analysis.intervals import share
from judgecli.analysis.judged import first_judge_verdicts
from judgecli.analysis.winrate import win_rate
from judgecli.types import (
    Caution,
    CautionKind,
    DecidedBy,
    DoubtRule,
    Effort,
    Estimate,
    Judgment,
    RunRecord,
    Trust,
    Verdict,
    header_part,
    recorded_judge,
)

_PER_MILLION = 1_000_000


def trust_of(record: RunRecord) -> Trust | None:
    """Return which verdicts of a run of pairs are trusted; None where nothing is doubted.

    Shares are of the pairs that the first judge was asked about and answered, or failed on. The win rate is
    over its trusted verdicts alone, with a stronger judge or without: the guarantee of a calibration, where
    there is one, is of these.
    """
    rule = DoubtRule.recorded(record.header.get("doubt"))
    if rule is None:
        return None
    parts = _parts(record)
    n = len(parts.judged)
    trusted = [one for one in parts.judged if one.winner is not None and not one.is_doubtful]
    calibration = header_part(record.header, "calibration")
    return Trust(
        rule=str(rule),
        first_judge=recorded_judge(record.header) or "the first judge",
        judge=parts.judge,
        trusted=share("trusted", len(trusted), n, absent="no verdicts"),
        doubtful=share("doubtful", len(parts.doubtful), n, absent="no verdicts"),
        escalated=_escalated(parts, n),
        changed=_changed(parts),
        win_rate=win_rate(count(record, trusted)),
        n_escalated_open=sum(one.winner is None and one.failure is None for one in parts.handed),
        n_escalated_failed=sum(one.failure is not None for one in parts.handed),
        temperature=calibration.get("temperature"),
        threshold=calibration.get("threshold"),
        agree=calibration.get("agree"),
        confidence=calibration.get("confidence"),
    )


def about_certification(trust: Trust | None) -> Iterator[Caution]:
    """Yield a caution where a calibration certified no threshold, so that every verdict is doubtful."""
    if trust is not None and trust.temperature is not None and trust.threshold is None:
        yield Caution(kind=CautionKind.NOTHING_CERTIFIED)


def settled(record: RunRecord) -> Estimate:
    """Return the share of the judges' verdicts that do not depend on the order."""
    judged = [one for one in record.verdicts if one.decided_by is DecidedBy.JUDGE and one.winner is not None]
    n_settled = sum(not one.order_dependent for one in judged)
    return share("consistency", n_settled, len(judged), absent="no verdicts")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The first judge's verdicts that are there, the doubtful ones of them, and what became of those."""

    judge: str | None
    judged: Sequence[Verdict]
    doubtful: Sequence[Verdict]
    handed: Sequence[Verdict]


def _parts(record: RunRecord) -> _Parts:
    judge = name_of_stronger_judge(record.header)
    first = first_judge_verdicts(record)
    judged = [one for one in first if one.decided_by is DecidedBy.JUDGE and _is_there(one)]
    doubtful = [one for one in judged if one.is_doubtful]
    ids = {one.item_id for one in doubtful}
    handed = [one for one in record.verdicts if one.item_id in ids] if judge is not None else []
    return _Parts(judge, judged, doubtful, handed)


def _is_there(verdict: Verdict) -> bool:
    return verdict.winner is not None or verdict.failure is not None


def _escalated(parts: _Parts, n: int) -> Estimate:
    """Return the share of pairs that the stronger judge has answered or failed on."""
    if parts.judge is None:
        return Estimate(name="escalated", value=None, n=0, method="no stronger judge")
    return share("escalated", sum(map(_is_there, parts.handed)), n, absent="no verdicts")


def _changed(parts: _Parts) -> Estimate:
    """Return how often the stronger judge's verdict is another, where both have one."""
    first = {one.item_id: one.winner for one in parts.doubtful}
    both = [(first[one.item_id], one.winner) for one in parts.handed if one.winner and first[one.item_id]]
    n_changed = sum(before is not after for before, after in both)
    return share("changed", n_changed, len(both), absent="no pair with a verdict of both judges")


def effort_of(record: RunRecord) -> tuple[Effort, ...]:
    """Return what asking each judge behind an endpoint took; empty where there is none."""
    escalation = header_part(record.header, "escalation")
    parts = ((record.header, record.judgments.values()), (escalation, record.escalated.values()))
    return tuple(
        _effort(header, judgments)
        for header, judgments in parts
        if header_part(header, "backend").get("device") == "endpoint"
    )


def _effort(header: Mapping[str, Any], judgments: Iterable[Judgment]) -> Effort:
    made = [one for one in judgments if not one.cached]
    n_prompt = sum(one.n_prompt_tokens for one in made)
    n_completion = sum(one.n_completion_tokens for one in made)
    return Effort(
        judge=recorded_judge(header) or "endpoint",
        n_calls=sum(one.n_calls for one in made),
        n_prompt_tokens=n_prompt,
        n_completion_tokens=n_completion,
        cost=_cost(header_part(header, "backend").get("price"), (n_prompt, n_completion)),
    )


def _cost(price: Any, n_tokens: tuple[int, int]) -> float | None:
    """Return what tokens cost at a header's price for a million; None without a price, or a number."""
    if not isinstance(price, list | tuple) or len(price) != 2:
        return None
    with suppress(TypeError, OverflowError):  # somebody has changed the run file
        cost = math.fsum(n * one for n, one in zip(n_tokens, price, strict=True)) / _PER_MILLION
        return cost if math.isfinite(cost) else None
    return None


def name_of_stronger_judge(header: Mapping[str, Any]) -> str | None:
    """Return what a run header calls the judge that doubtful pairs were handed to; None without one."""
    return recorded_judge(header_part(header, "escalation"))
