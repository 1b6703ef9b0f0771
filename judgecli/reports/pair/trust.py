"""What a report says of trust in a run's verdicts, of people's labels on them, and of what asking cost."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording.rows import Row, hundredths, plural, row, with_interval
from judgecli.reports.wording.trusting import guarantee, nothing_certified
from judgecli.types import Adjusted, Effort, Estimate, Trust

_MIN_COST = 0.0001  # a smaller one is no 0


def trust_rows(trust: Trust) -> Iterator[Row | None]:
    """Say which verdicts are doubtful, whose the others are, and what is guaranteed of them."""
    yield row("doubtful", trust.rule, _of_pairs(trust.doubtful))
    yield row("trusted", _of_pairs(trust.trusted), f"by {trust.first_judge}")
    if trust.judge is not None:
        yield row("escalated", _of_pairs(trust.escalated), f"to {trust.judge}", *_unsettled(trust))
        yield row("changed", *_changed(trust.changed, trust.judge))
    yield row("trusted rate", *_rate(trust))
    yield row("guarantee", *_guarantee(trust))


def _of_pairs(share: Estimate) -> str:
    if share.value is None:
        return share.method
    return f"{with_interval(share)} of {plural(share.n, 'pair')}"


def _unsettled(trust: Trust) -> tuple[str | None, ...]:
    return (
        f"{trust.n_escalated_open:,} not judged yet" if trust.n_escalated_open else None,
        f"{trust.n_escalated_failed:,} failed" if trust.n_escalated_failed else None,
    )


def _changed(changed: Estimate, judge: str) -> tuple[str, ...]:
    if changed.value is None:
        return (changed.method,)
    return f"{with_interval(changed)} have another verdict by {judge}", f"n={changed.n:,}"


def _rate(trust: Trust) -> tuple[str, ...]:
    rate = trust.win_rate
    if rate.value is None:
        return (rate.method,)
    return (
        with_interval(rate),
        f"win rate over the pairs trusted to {trust.first_judge} alone",
        f"n={rate.n:,}",
    )


def _guarantee(trust: Trust) -> tuple[str | None, ...]:
    if trust.agree is None or trust.confidence is None:
        return ("none: this rule was not tested on labels",)
    if trust.threshold is None:
        return (nothing_certified(trust.agree, trust.confidence),)
    promised = guarantee(trust.threshold, trust.agree, trust.confidence)
    return *promised, f"no guarantee for those by {trust.judge}" if trust.judge is not None else None


def adjusted_rows(adjusted: Adjusted) -> Iterator[Row | None]:
    """Say what win rate people would give, by their labels on some of the pairs."""
    rate, alone = adjusted.win_rate, adjusted.by_people
    labels = f"{plural(adjusted.n_labelled, 'label')} of {adjusted.labels_file}"
    yield row("people", f"{with_interval(rate)} human-adjusted win rate (PPI++)", labels, _tuning(adjusted))
    yield row("people alone", f"{with_interval(alone)} by the labels without the judge", f"n={alone.n:,}")
    yield row("corrected", *_corrected(adjusted))


def _tuning(adjusted: Adjusted) -> str | None:
    if adjusted.tuning is None:
        return None
    return f"the judge's verdicts weighted {hundredths(adjusted.tuning)} (lambda)"


def _corrected(adjusted: Adjusted) -> tuple[str, ...]:
    if adjusted.corrected.value is None:
        return (f"none: {adjusted.corrected.method}",)
    decided = plural(adjusted.corrected.n, "decided pair")
    return (
        f"{with_interval(adjusted.corrected)} won of the {decided} without a label",
        "corrected for the judge's errors",
        f"it finds {with_interval(adjusted.sensitivity)} of people's wins",
        f"{with_interval(adjusted.specificity)} of their losses",
    )


def effort_row(effort: Effort) -> Row | None:
    """Say what asking an endpoint took."""
    return row(
        "endpoint",
        effort.judge,
        plural(effort.n_calls, "call"),
        f"{plural(effort.n_prompt_tokens, 'token')} read",
        f"{effort.n_completion_tokens:,} written",
        f"cost {_cost(effort.cost)}" if effort.cost is not None else None,
    )


def _cost(cost: float) -> str:
    if cost >= 1 or cost == 0:
        return f"{cost:,.2f}"
    return f"{cost:.4f}" if cost >= _MIN_COST else f"under {_MIN_COST}"
