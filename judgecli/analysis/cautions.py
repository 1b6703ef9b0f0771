"""Reasons to read a result with care. The limits are conventions, not laws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgecli.types import Caution, CautionKind, Counts, Estimate

MIN_CONSISTENCY = 0.60
MAX_FAILURE_SHARE = 0.02
MIN_PAIRS = 30
MIN_MEAN_MASS = 0.5
MAX_SHARE_WITHOUT_JUDGE = 0.20


def cautions(
    header: Mapping[str, Any], counts: Counts, consistency: Estimate, mass: Estimate
) -> tuple[Caution, ...]:
    """Return what a reader must know before the numbers, the gravest first."""
    return (*_about_the_run(header, counts), *_about_the_numbers(counts, consistency, mass))


def _about_the_run(header: Mapping[str, Any], counts: Counts) -> Iterator[Caution]:
    model = header.get("model")
    if isinstance(model, Mapping) and model.get("demo"):
        yield Caution(kind=CautionKind.DEMO_JUDGE)
    if counts.n_open:
        yield Caution(kind=CautionKind.PARTIAL, value=counts.n_open)
    if header.get("orders") == "ab":
        yield Caution(kind=CautionKind.ONE_ORDER)


def _about_the_numbers(counts: Counts, consistency: Estimate, mass: Estimate) -> Iterator[Caution]:
    if counts.n_verdicts and mass.value is not None and mass.value < MIN_MEAN_MASS:
        yield Caution(kind=CautionKind.LOW_MASS, value=mass.value, limit=MIN_MEAN_MASS)
    n_by_rule = sum(counts.without_judge.values())
    if n_by_rule > MAX_SHARE_WITHOUT_JUDGE * counts.n_verdicts:
        share = n_by_rule / counts.n_verdicts
        yield Caution(kind=CautionKind.WITHOUT_JUDGE, value=share, limit=MAX_SHARE_WITHOUT_JUDGE)
    value = consistency.value
    if value is not None and value < MIN_CONSISTENCY:
        yield Caution(kind=CautionKind.LOW_CONSISTENCY, value=value, limit=MIN_CONSISTENCY)
    n_tried = counts.n_verdicts + counts.n_failed
    if counts.n_failed > MAX_FAILURE_SHARE * n_tried:
        share = counts.n_failed / n_tried
        yield Caution(kind=CautionKind.MANY_FAILURES, value=share, limit=MAX_FAILURE_SHARE)
    if 0 < counts.n_verdicts < MIN_PAIRS:
        yield Caution(kind=CautionKind.FEW_PAIRS, value=counts.n_verdicts, limit=MIN_PAIRS)
