"""What models are called in a report, and how their strengths and scores are written."""

from __future__ import annotations

from collections import Counter

from judgecli.reports.wording.cautions import Judged
from judgecli.types import Estimate, RankCounts, Ranking, RankSummary, Side


def names_of(summary: RankSummary) -> dict[str, str]:
    """Return each model's name by its letter; the letter goes with a name that two models share."""
    bare = {one.letter: _name(one.side, one.letter) for one in summary.standings}
    times = Counter(bare.values())
    return {letter: f"{name} ({letter})" if times[name] > 1 else name for letter, name in bare.items()}


def _name(side: Side, letter: str) -> str:
    return side.model or side.file or letter


def judged(summary: RankSummary) -> Judged:
    """Return the counts as the words that all modes share want them."""
    counts: RankCounts = summary.counts
    return Judged(
        noun="item" if summary.ranking is Ranking.JOINT else "comparison",
        results="results" if summary.ranking is Ranking.JOINT else "verdicts",
        n_items=counts.n_compared,
        n_open=counts.n_open,
        failures=counts.failures,
        without_judge=counts.without_judge,
        n_answers=len(summary.standings) if summary.ranking is Ranking.JOINT else 2,
    )


def merit(estimate: Estimate) -> str:
    """Write what models are ranked by: a strength `1082 [1046, 1119]`, a mean score `7.25 [6.81, 7.69]`."""
    return number(estimate, 0 if estimate.name == "strength" else 2)


def number(estimate: Estimate, digits: int) -> str:
    """Write a number with its interval; the reason where there is no value."""
    if estimate.value is None:
        return estimate.method
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}"
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
