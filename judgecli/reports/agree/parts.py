"""What is said of parts of the items: by a field, and by which judge of a cascade gave the verdict."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording.rows import (
    Row,
    clean,
    hundredths,
    percent,
    row,
    shortened,
    with_interval,
)
from judgecli.types import Agreement, AgreementSummary, DoubtRule, NamedAgreement, RunRecord

_MAX_SPLITS = 16
_MAX_LABEL = 12  # what fits before a row's text


def split_rows(summary: AgreementSummary) -> Iterator[Row | None]:
    """Yield a row for each value of the field that the items were split by."""
    heading = shortened(clean(summary.splits_by or ""), _MAX_LABEL)
    for i, one in enumerate(summary.splits[:_MAX_SPLITS]):
        yield row("" if i else heading, one.name, *_part(one.agreement))
    more = len(summary.splits) - _MAX_SPLITS
    yield row("", f"and {more:,} more") if more > 0 else None


def _part(agreement: Agreement) -> Iterator[str | None]:
    yield with_interval(agreement.accuracy)
    yield f"kappa {hundredths(agreement.kappa.value)}" if agreement.kappa.value is not None else None
    yield f"n={agreement.n:,}"


def stage_rows(record: RunRecord, summary: AgreementSummary) -> Iterator[Row | None]:
    """Yield what each judge of a cascade gave, and how that agrees; nothing where there was one judge."""
    if not summary.stages:
        return
    rule = DoubtRule.recorded(record.header.get("doubt"))
    yield row("doubtful", str(rule)) if rule else None
    total = sum(one.agreement.n for one in summary.stages) or 1
    for i, one in enumerate(summary.stages):
        share = f"{percent(one.agreement.n / total)} of the verdicts"
        agree = f"{with_interval(one.agreement.accuracy)} agree"
        yield row("" if i else "by judge", one.name, share, agree, *_before(one))


def _before(stage: NamedAgreement) -> tuple[str, ...]:
    n = f"n={stage.agreement.n:,}"
    if stage.before is None:
        return (n,)
    return f"{with_interval(stage.before.accuracy)} before", n
