"""In what judge and people differ: as bars, and as a table of verdicts by labels."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.agree.headline import lead
from judgecli.reports.wording import Bar, Table
from judgecli.reports.wording.cautions import failure_name
from judgecli.reports.wording.rows import percent
from judgecli.types import Agreement, AgreementSummary, Winner

_AXIS = (Winner.A, Winner.TIE, Winner.B)


def bars(summary: AgreementSummary) -> Iterator[Bar]:
    """Yield how many verdicts are the label, how many differ in which way, and the failures."""
    agreement = lead(summary)
    if agreement is None or not agreement.n:
        return
    (a, a_tie, a_b), (tie_a, tie, tie_b), (b_a, b_tie, b) = agreement.table
    yield Bar(name="agrees", n=a + tie + b, kind="good")
    yield Bar(name="judge ties", n=a_tie + b_tie, kind="doubtful")
    yield Bar(name="people tie", n=tie_a + tie_b, kind="doubtful")
    yield Bar(name="opposite", n=a_b + b_a, kind="bad")
    if not summary.leads_with_ties:
        for failure, n in summary.compared.failures.items():
            yield Bar(name=failure_name(failure), n=n, kind="failed")


def confusion(agreement: Agreement) -> Table:
    """Return the counts, rows what people say, columns what the judge says; and how well each is told."""
    by_winner = {one.winner: one for one in agreement.classes}
    recall = [by_winner[one].recall if one in by_winner else None for one in _AXIS]
    precision = [by_winner[one].precision if one in by_winner else None for one in _AXIS]
    counted = zip(_AXIS, agreement.table, recall, strict=True)
    return Table(
        header=("people", "judge A", "tie", "B", "recall"),
        rows=(
            *((winner, *(f"{n:,}" for n in counts), _share(found)) for winner, counts, found in counted),
            ("precision", *map(_share, precision), ""),
        ),
    )


def _share(value: float | None) -> str:
    return "-" if value is None else percent(value)
