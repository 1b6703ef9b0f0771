"""The first sentence of a report on grades, its warnings, and the histogram."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.pairs.kinds import OPEN, TONES
from judgecli.reports.wording import Bar, Headline
from judgecli.reports.wording.cautions import Judged, caution_lines, failure_name, why_nothing
from judgecli.reports.wording.rows import clean, percent, shortened, with_interval
from judgecli.types import Caution, CautionKind, Estimate, GradeCounts, GradeSummary, Scale

_NARROW = 5  # on a scale from 1 to 5 a tenth is a step of 2.5%
_MAX_LABEL = 18


def headline(summary: GradeSummary) -> Headline:
    """Say how good the answers are and how sure that is, in one sentence."""
    result, counts = summary.result, summary.counts
    if result.value is None:
        return Headline(subject="no scores", result=why_nothing(judged(counts)))
    said = named_result(summary.scale, result) + (" (partial run)" if counts.n_open else "")
    if not summary.side.model:
        return Headline(subject=said)
    return Headline(subject=clean(summary.side.model), result=said)


def named_result(scale: Scale | None, result: Estimate) -> str:
    """Write what a run came to: `mean score 6.8 [6.3, 7.3] of 1 to 10, n=80`, or how many got a label."""
    n = f"n={result.n:,}"
    if scale is None:
        return f"mean score {score_with_interval(result, scale)}, {n}"
    if scale.labels:
        return f"{with_interval(result)} graded {clean(scale.best_label or '')}, {n}"
    return f"mean score {score_with_interval(result, scale)} of {scale.low:g} to {scale.high:g}, {n}"


def score_with_interval(estimate: Estimate, scale: Scale | None) -> str:
    """Write a mean score with its interval, to a tenth or on narrow scales to a hundredth."""
    if estimate.value is None:
        return estimate.method
    digits = 2 if scale and scale.high - scale.low <= _NARROW else 1
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}"
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def cautions(summary: GradeSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def bars(summary: GradeSummary) -> Iterator[Bar]:
    """Yield the histogram from the highest score, then the answers without a score of the judge."""
    counts = summary.counts
    if not counts.n_items:
        return
    if counts.n_graded and summary.histogram:
        yield from (
            Bar(name=shortened(clean(one.name), _MAX_LABEL), n=one.n) for one in reversed(summary.histogram)
        )
    else:
        yield Bar(name="graded", n=counts.n_graded)
    yield from (Bar(name=str(rule), n=n, kind="bad") for rule, n in counts.without_judge.items())
    for failure, n in counts.failures.items():
        yield Bar(name=failure_name(failure), n=n, kind="failed")
    if counts.n_open:
        yield Bar(name=OPEN, n=counts.n_open, kind=TONES[OPEN])


def judged(counts: GradeCounts) -> Judged:
    """Return the counts as the words that all modes share want them."""
    return Judged(
        noun="answer",
        results="scores",
        n_items=counts.n_items,
        n_open=counts.n_open,
        failures=counts.failures,
        without_judge=counts.without_judge,
    )


def _caution(caution: Caution, summary: GradeSummary) -> tuple[str, ...]:
    if caution.kind is CautionKind.ONE_SCORE:
        share, limit = percent(caution.value or 0.0), caution.limit or 0.0
        return (
            f"{share} of the scores are the same (over {limit:.0%}):",
            "the scale hardly tells these answers apart.",
        )
    return caution_lines(caution, judged(summary.counts))
