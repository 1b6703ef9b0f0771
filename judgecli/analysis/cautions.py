"""Reasons to read a result with care. The limits are conventions, not laws.

What concerns runs of every mode is a function of its own here; a mode's cautions are put together of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgecli.analysis.orders import in_one_order
from judgecli.types import DRAWN_MODELS, Caution, CautionKind, Counts, Estimate, header_part
from judgecli.types.headers import SCRIPTED

MIN_CONSISTENCY = 0.60
MAX_FAILURE_SHARE = 0.02
MIN_PAIRS = 30
MIN_MEAN_MASS = 0.5
MAX_SHARE_WITHOUT_JUDGE = 0.20


def cautions(
    header: Mapping[str, Any], counts: Counts, consistency: Estimate, mass: Estimate
) -> tuple[Caution, ...]:
    """Return what a reader must know before the numbers of a run of pairs, the gravest first."""
    n, n_by_rule = counts.n_verdicts, sum(counts.without_judge.values())
    return (
        *about_the_run(header, counts.n_open),
        *about_the_seating(header),
        *about_the_orders(header),
        *about_mass(mass, n=n),
        *about_rules(n_by_rule, n=n),
        *about_consistency(consistency),
        *about_failures(counts.n_failed, n=n),
        *about_size(CautionKind.FEW_PAIRS, n),
    )


def about_the_run(header: Mapping[str, Any], n_open: int) -> Iterator[Caution]:
    """Yield cautions for a judge that is none or at chance, for open items, and for one asked its own way."""
    if header_part(header, "backend").get("name") == SCRIPTED:
        yield Caution(kind=CautionKind.SCRIPTED_JUDGE)
    if header_part(header, "model").get("demo"):
        yield Caution(kind=CautionKind.DEMO_JUDGE)
    if n_open:
        yield Caution(kind=CautionKind.PARTIAL, value=n_open)
    if header_part(header, "prompt").get("off_protocol"):
        yield Caution(kind=CautionKind.OFF_PROTOCOL)


def about_the_seating(header: Mapping[str, Any]) -> Iterator[Caution]:
    """Yield a caution where A and B are no models: a draw seated the preferred answer of each pair."""
    if is_drawn(header):
        yield Caution(kind=CautionKind.DRAWN_SEATS)


def is_drawn(header: Mapping[str, Any]) -> bool:
    """Whether a draw seated the answers of a file whose first one is always the preferred one."""
    given = header_part(header, "input")
    return (given.get("model_a"), given.get("model_b")) == DRAWN_MODELS


def about_mass(mass: Estimate, *, n: int, judge: str | None = None) -> Iterator[Caution]:
    """Yield a caution where of `n` results most of a judge's probability is elsewhere than on verdicts.

    `judge` is the name of another judge than the run's own.
    """
    if n and mass.value is not None and mass.value < MIN_MEAN_MASS:
        yield Caution(kind=CautionKind.LOW_MASS, value=mass.value, limit=MIN_MEAN_MASS, name=judge)


def about_rules(n_by_rule: int, *, n: int) -> Iterator[Caution]:
    """Yield a caution where many of `n` results come from rules, not from the judge."""
    if n_by_rule > MAX_SHARE_WITHOUT_JUDGE * n:
        yield Caution(kind=CautionKind.WITHOUT_JUDGE, value=n_by_rule / n, limit=MAX_SHARE_WITHOUT_JUDGE)


def about_failures(n_failed: int, *, n: int) -> Iterator[Caution]:
    """Yield a caution where beside `n` results many items failed."""
    if n_failed > MAX_FAILURE_SHARE * (n + n_failed):
        share = n_failed / (n + n_failed)
        yield Caution(kind=CautionKind.MANY_FAILURES, value=share, limit=MAX_FAILURE_SHARE)


def about_size(kind: CautionKind, n: int) -> Iterator[Caution]:
    """Yield a caution of this kind where there are few results."""
    if 0 < n < MIN_PAIRS:
        yield Caution(kind=kind, value=n, limit=MIN_PAIRS)


def about_the_orders(header: Mapping[str, Any]) -> Iterator[Caution]:
    """Yield a caution where two answers in one prompt were judged in one order only."""
    if in_one_order(header) and header_part(header, "prompt").get("n_seats") != 1:
        yield Caution(kind=CautionKind.ONE_ORDER)


def about_consistency(consistency: Estimate) -> Iterator[Caution]:
    """Yield a caution where the judge often gives another verdict when the seats are exchanged."""
    value = consistency.value
    if value is not None and value < MIN_CONSISTENCY:
        yield Caution(kind=CautionKind.LOW_CONSISTENCY, value=value, limit=MIN_CONSISTENCY)
