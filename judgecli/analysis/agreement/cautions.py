"""Reasons to read an agreement with care that no other result has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from judgecli.analysis.cautions import MIN_PAIRS
from judgecli.analysis.units import instructions
from judgecli.types import Baseline, Caution, CautionKind, Compared, Estimate, RunRecord


def about_baselines(baselines: Iterable[Baseline]) -> Iterator[Caution]:
    """Yield a caution for each baseline, by name, that the judge is not shown to be better than."""
    for one in baselines:
        low = one.advantage.low
        if low is None or low <= 0:
            yield Caution(kind=CautionKind.NOT_BETTER, value=one.accuracy.value, name=one.kind.value)


def about_correlation(rho: Estimate) -> Iterator[Caution]:
    """Yield a caution where scores are not shown to go with people's; none where there is no correlation."""
    if rho.value is not None and (rho.low is None or rho.low <= 0):
        yield Caution(kind=CautionKind.NOT_CORRELATED, value=rho.value)


def about_few(compared: Compared) -> Iterator[Caution]:
    """Yield a caution where few items were compared: few were labelled, or few judged."""
    if not 0 < compared.n < MIN_PAIRS:
        return
    has_more = compared.n + compared.n_unlabelled >= MIN_PAIRS
    kind = CautionKind.FEW_LABELS if has_more else CautionKind.FEW_ITEMS
    yield Caution(kind=kind, value=compared.n, limit=MIN_PAIRS)


def about_shared_instructions(record: RunRecord, ids: Sequence[str], group: str | None) -> Iterator[Caution]:
    """Yield a caution where items of one instruction are drawn as if they were independent."""
    asked = instructions(record, ids) if group is None else []
    if len(set(asked)) < len(asked):
        yield Caution(kind=CautionKind.SHARED_INSTRUCTIONS, value=len(set(asked)))
