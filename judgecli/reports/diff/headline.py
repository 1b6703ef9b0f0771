"""The first sentence of a report on two runs, its warnings, and what became of the items."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.pairs.changes import ChangeKind
from judgecli.reports.pairs.kinds import OPEN, TONES
from judgecli.reports.wording import Bar, Headline
from judgecli.reports.wording.cautions import Judged, caution_lines
from judgecli.reports.wording.rows import clean, percent, plural, points_with_interval, with_interval
from judgecli.types import Caution, CautionKind, DiffSummary


def headline(summary: DiffSummary) -> Headline:
    """Say how far the candidate's win rate moved, or how far two judges agree, in one sentence."""
    first, second = map(clean, summary.names)
    runs = f"{first} to {second}"
    if not summary.n_compared:
        return Headline(subject=runs, result=f"nothing to compare, {summary.difference.method}")
    if summary.same_answers and not summary.same_judge:
        agreed = f"{with_interval(summary.agreement)} of {plural(summary.n_compared, 'pair')}"
        return Headline(subject=runs, result=f"the judges agree on {agreed}")
    difference = points_with_interval(summary.difference)
    result = f"win rate {difference}, {_moved(summary)}, n={summary.n_compared:,}"
    return Headline(subject=runs, result=result)


def _moved(summary: DiffSummary) -> str:
    low, high = summary.difference.low, summary.difference.high
    if low is not None and low > 0:
        return "better"
    return "worse" if high is not None and high < 0 else "no difference shown"


def cautions(summary: DiffSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def _caution(caution: Caution, summary: DiffSummary) -> tuple[str, ...]:
    match caution.kind:
        case CautionKind.OTHER_JUDGE_AND_ANSWERS:
            return (
                "both the judge and what was judged are others:",
                "which of them moved it, nobody can say.",
            )
        case CautionKind.NOT_SHARED:
            return (f"{percent(caution.value or 0)} of all items are in one run only (over 20%).",)
    judged = Judged(noun="pair", results="verdicts", n_items=len(summary.changes), n_open=summary.n_open)
    return caution_lines(caution, judged)


def bars(summary: DiffSummary) -> Iterator[Bar]:
    """Yield how many items have the same verdict, moved for or against the candidate, or failed in a run."""
    if not summary.changes:
        return
    (a, a_tie, a_b), (tie_a, tie, tie_b), (b_a, b_tie, b) = summary.table
    yield Bar(name="same verdict", n=a + tie + b, kind="even")
    for kind, n, tone in (
        (ChangeKind.FOR_B, a_tie + a_b + tie_b, "good"),
        (ChangeKind.FOR_A, b_a + b_tie + tie_a, "bad"),
        (ChangeKind.NOW_FAILED, summary.n_only_first, "failed"),
        (ChangeKind.NO_LONGER_FAILED, summary.n_only_second, "doubtful"),
        (ChangeKind.FAILED_IN_BOTH, summary.n_both_failed, "failed"),
    ):
        yield Bar(name=kind, n=n, kind=tone, filter=kind)
    if summary.n_open:
        yield Bar(name=OPEN, n=summary.n_open, kind=TONES[OPEN])
