"""What the judge's probabilities say, beside its hard verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from judgecli.analysis.intervals import t_interval
from judgecli.types import DecidedBy, Estimate, RunRecord, Soft, Verdict


def soft(record: RunRecord) -> Soft:
    """Return the soft win rate, and the means of the grammar's mass and of its unopened part, by judge."""
    own, stronger = record.judgments.values(), record.escalated.values()
    return Soft(
        win_rate=soft_win_rate(record.verdicts),
        mass=mean_over_judgments("mass", (one.mass for one in own)),
        p_unopened=mean_over_judgments("p_unopened", (one.p_unopened for one in own)),
        stronger_mass=mean_over_judgments("stronger_mass", (one.mass for one in stronger)),
        stronger_p_unopened=mean_over_judgments("stronger_p_unopened", (one.p_unopened for one in stronger)),
    )


def soft_win_rate(verdicts: Iterable[Verdict]) -> Estimate:
    """Return the mean of P_B + P_T / 2 over judged pairs that have probabilities, with a t interval.

    It estimates the judge's probability for the candidate, not how often the judge prefers it. None
    without such pairs; no interval where there is one, or all are equal.
    """
    values = [
        verdict.p_b + verdict.p_tie / 2
        for verdict in verdicts
        if verdict.p_b is not None and verdict.p_tie is not None and _is_judged(verdict)
    ]
    if not values:
        return Estimate(name="soft_win_rate", value=None, n=0, method="no probabilities")
    mean, n, interval = fmean(values), len(values), t_interval(values)
    if interval is None:
        return Estimate(name="soft_win_rate", value=mean, n=n, method="mean, no spread to judge it by")
    low, high = max(0.0, interval[0]), min(1.0, interval[1])
    method = "mean of P(B) + P(tie) / 2, t interval, 95%"
    return Estimate(name="soft_win_rate", value=mean, low=low, high=high, n=n, method=method)


def _is_judged(verdict: Verdict) -> bool:
    return verdict.winner is not None and verdict.decided_by is DecidedBy.JUDGE


def mean_over_judgments(name: str, values: Iterable[float | None]) -> Estimate:
    """Return the mean of what judgments have of something; None where none has it."""
    present = [value for value in values if value is not None]
    if not present:
        return Estimate(name=name, value=None, n=0, method="no probabilities")
    return Estimate(name=name, value=fmean(present), n=len(present), method="mean over judgments")
