"""How often verdicts of about one confidence are right: what a reliability diagram shows."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

from judgecli.analysis.intervals import share
from judgecli.analysis.judged import LabelledVerdict, labelled_verdicts
from judgecli.types import Labels, ReliabilityBin, RunRecord

_N_BINS = 10
_MIN_ITEMS = 20  # with fewer, ten bins show nothing


def reliability(record: RunRecord, labels: Labels) -> tuple[ReliabilityBin, ...]:
    """Return the judge's verdicts with a label in ten bins of equal width by their confidence.

    Bins without a verdict are left out; empty for fewer than 20 verdicts with a confidence.
    Source: Guo et al., ICML 2017 (arXiv 1706.04599), section 2.
    """
    known = [one for one in labelled_verdicts(record, labels) if one.verdict.confidence is not None]
    return tuple(_bins(known)) if len(known) >= _MIN_ITEMS else ()


def _bins(known: list[LabelledVerdict]) -> Iterator[ReliabilityBin]:
    bins: dict[int, list[LabelledVerdict]] = {}
    for one in known:
        bins.setdefault(min(int(_confidence(one) * _N_BINS), _N_BINS - 1), []).append(one)
    for _, part in sorted(bins.items()):
        n_right = sum(not one.is_wrong for one in part)
        yield ReliabilityBin(
            confidence=fmean(map(_confidence, part)),
            right=share("right", n_right, len(part), absent="no verdicts"),
        )


def _confidence(one: LabelledVerdict) -> float:
    return one.verdict.confidence or 0.0
