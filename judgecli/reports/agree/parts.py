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
_MAX_NAME = 60  # characters of a value; all of it is in the JSON report


def split_rows(summary: AgreementSummary) -> Iterator[Row | None]:
    """Yield a row for each value of the field that the items were split by."""
    field = clean(summary.splits_by or "")
    is_long = len(field) > _MAX_LABEL  # then it has a line of its own
    yield row("by", field) if is_long and summary.splits else None
    for i, one in enumerate(summary.splits[:_MAX_SPLITS]):
        name = shortened(" ".join(one.name.split()), _MAX_NAME)
        yield row("" if i or is_long else field, name, *_part(one.agreement))
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
        yield row("" if i else "by judge", one.name, *_stage(one, total))


def _stage(stage: NamedAgreement, total: int) -> Iterator[str | None]:
    """Say how much a judge gave and how that agrees, and what the first one had said of the same items."""
    own, before = stage.agreement, stage.before
    if not own.n:
        yield "no verdict with a label"
        return
    yield f"{percent(own.n / total)} of the verdicts"
    yield f"{with_interval(own.accuracy)} agree"
    if before is not None:
        yield f"{with_interval(before.accuracy)} before" if before.n else "no verdict before"
    yield f"n={own.n:,}"
