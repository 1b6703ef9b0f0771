"""Every outcome that a comparison in a ranking can have and its count, kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from judgecli.reports.pairs.kinds import FLIPPED, OPEN, TIE, TONES
from judgecli.reports.rank.names import names_of
from judgecli.reports.wording import Bar
from judgecli.reports.wording.cautions import failure_name
from judgecli.reports.wording.rows import clean, shortened
from judgecli.types import JointResult, PairsResult, RankSummary

_MAX_NAME = 16


def bars(summary: RankSummary) -> Iterator[Bar]:
    """Yield how often each model won, or was the best one, and what else came out; they add up to all."""
    names = {letter: shortened(clean(name), _MAX_NAME) for letter, name in names_of(summary).items()}
    if summary.pairs is not None:
        yield from _meetings(summary.pairs, names)
    elif summary.joint is not None:
        yield from _best(summary.joint, summary, names)
    for failure, n in summary.counts.failures.items():
        yield Bar(name=failure_name(failure), n=n, kind="failed")
    if summary.counts.n_open:
        yield Bar(name=OPEN, n=summary.counts.n_open, kind=TONES[OPEN])


def _meetings(result: PairsResult, names: dict[str, str]) -> Iterator[Bar]:
    won: Counter[str] = Counter()
    for meeting in result.meetings:
        first, second = tuple(meeting.name)
        won[first] += meeting.counts.n_loss
        won[second] += meeting.counts.n_win
    for one in result.standings:
        yield Bar(name=names[one.letter], n=won[one.letter], kind="good")
    n_dependent = sum(meeting.counts.n_order_dependent for meeting in result.meetings)
    yield Bar(
        name=TIE, n=sum(meeting.counts.n_tie for meeting in result.meetings) - n_dependent, kind=TONES[TIE]
    )
    if result.position.table is not None or n_dependent:
        yield Bar(name=FLIPPED, n=n_dependent, kind=TONES[FLIPPED])


def _best(result: JointResult, summary: RankSummary, names: dict[str, str]) -> Iterator[Bar]:
    for one in result.standings:
        yield Bar(name=names[one.letter], n=one.n_best, kind="good")
    n_alone = sum(one.n_best for one in result.standings)
    yield Bar(name="best shared", n=summary.counts.n_verdicts - n_alone, kind="even")
