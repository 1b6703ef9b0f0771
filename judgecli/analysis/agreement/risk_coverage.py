"""Which confidence puts a judge's errors last: the area under its risk-coverage curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from judgecli.analysis.by_unit import Units, with_interval
from judgecli.analysis.judged import LabelledVerdict, labelled_verdicts
from judgecli.analysis.resampling import drawn_weights
from judgecli.analysis.units import unit_keys
from judgecli.types import ConfidenceKind, ErrorRanking, Estimate, Labels, Order, RunRecord

Array = NDArray[np.float64]

MIN_ITEMS = 10
_NONE = "no labelled verdict with a confidence"
_METHOD = "mean share of errors over the most confident 1 to n items, ties in any order"


def error_rankings(record: RunRecord, labels: Labels, group: str | None = None) -> tuple[ErrorRanking, ...]:
    """Return how well each confidence of the run ranks the judge's errors, all over the same items.

    These are the labelled ones with every confidence that the run has at all. Intervals are over items, or
    over the groups that the field `group` makes of them. Empty without any confidence, and for fewer than
    `MIN_ITEMS` items.

    Raises:
        DataError: an item has no such field.
    """
    found = list(labelled_verdicts(record, labels))
    by_kind = {kind: _confidences(record, found, kind) for kind in ConfidenceKind}
    by_kind = {kind: values for kind, values in by_kind.items() if values}
    shared = [one for one in found if all(one.verdict.item_id in values for values in by_kind.values())]
    if not by_kind or len(shared) < MIN_ITEMS:
        return ()
    ids = [one.verdict.item_id for one in shared]
    wrong = np.array([one.is_wrong for one in shared], dtype=np.float64)
    keys = unit_keys(record, labels, group)
    units = Units.of([keys[item_id] for item_id in ids], group)
    return tuple(
        ErrorRanking(
            kind=kind,
            aurc=aurc_estimate(np.array([values[item_id] for item_id in ids]), wrong, units),
            random=float(wrong.mean()),
        )
        for kind, values in by_kind.items()
    )


def aurc_estimate(confidences: Array, wrong: Array, units: Units) -> Estimate:
    """Return the area under the risk-coverage curve with its interval over units; None for n = 0."""
    n = len(confidences)
    if n == 0:
        return Estimate(name="aurc", value=None, n=0, method=_NONE)
    resampled = [
        area_under_risk_coverage(confidences, wrong, weights[:, units.codes])
        for weights in drawn_weights(np.ones(units.n), at_once=max(1, 2_000_000 // n))
    ]
    value = float(area_under_risk_coverage(confidences, wrong, np.ones((1, n)))[0])
    return with_interval("aurc", value, np.concatenate(resampled), units, n=n, method=_METHOD, absent=_NONE)


def area_under_risk_coverage(confidences: Array, wrong: Array, weights: Array) -> Array:
    """Return the area for each row of weights, shape (b, n): how often each of the n items counts.

    The area is the mean over k = 1 .. n of the share of errors among the k most confident items; items of
    equal confidence count as if in random order. With E errors among the s items before such a tie of m items
    with e errors, the shares in it add up to e + (E - e s / m) (H(s + m) - H(s)), H the harmonic numbers.
    NaN for a row without items.

    Source: Geifman et al., Bias-Reduced Uncertainty Estimation, ICLR 2019 (arXiv 1805.08206); the sum over
    a tie is elementary.
    """
    _, ties = np.unique(-confidences, return_inverse=True)
    by_tie = np.argsort(ties, kind="stable")
    starts = np.flatnonzero(np.diff(ties[by_tie], prepend=-1))
    m = np.add.reduceat(weights[:, by_tie], starts, axis=1)
    e = np.add.reduceat((weights * wrong)[:, by_tie], starts, axis=1)
    s, errors_before = m.cumsum(axis=1) - m, e.cumsum(axis=1) - e
    rate = np.divide(e, m, out=np.zeros_like(e), where=m > 0)
    # digamma(n + 1) differs from the harmonic number H(n) by a constant
    harmonic = digamma(s + m + 1) - digamma(s + 1)
    shares = e + (errors_before - rate * s) * harmonic
    n = weights.sum(axis=1)
    area: Array = np.divide(shares.sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)
    return area


def _confidences(
    record: RunRecord, found: Sequence[LabelledVerdict], kind: ConfidenceKind
) -> dict[str, float]:
    """Return a confidence of each item that has it, the greater the surer."""
    if kind is ConfidenceKind.PROBABILITY:
        own = ((one.verdict.item_id, one.verdict.confidence) for one in found)
        return {item_id: confidence for item_id, confidence in own if confidence is not None}
    entropy = _mean_entropies(record, record.entropies)
    if kind is ConfidenceKind.ENTROPY:
        return {item_id: -mean for item_id, mean in entropy.items()}
    of_base = _mean_entropies(record, record.base_entropies)
    return {item_id: of_base[item_id] - mean for item_id, mean in entropy.items() if item_id in of_base}


def _mean_entropies(record: RunRecord, entropies: Mapping[tuple[str, Order], float]) -> dict[str, float]:
    """Return the means over the orders in which an item was judged, if it was measured in all of them."""
    by_item: dict[str, list[float | None]] = {}
    for item_id, order in record.judgments:
        by_item.setdefault(item_id, []).append(entropies.get((item_id, order)))
    return {
        item_id: fmean(value for value in values if value is not None)
        for item_id, values in by_item.items()
        if None not in values
    }
