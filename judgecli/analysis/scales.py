"""The scale that a run's header names, and scores counted along it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil, floor, fsum
from typing import Any

from judgecli.types import Scale, ScoreBin

_MAX_BINS = 21  # one a whole number up to a scale from 0 to 20
_WIDE = 10


def read_scale(header: Mapping[str, Any]) -> Scale | None:
    """Return the scale of a run's header; None where it names none, or one that cannot be."""
    given = header.get("scale")
    given = given if isinstance(given, Mapping) else {}
    low, high = _number(given.get("low")), _number(given.get("high"))
    labels = given.get("labels")
    scores = [(str(label), _number(score)) for label, score in _items(labels)]
    known = {label: score for label, score in scores if score is not None}
    if low is None or high is None or not low < high or len(known) < len(scores):
        return None
    return Scale(low=low, high=high, has_decimals=bool(given.get("decimals")), labels=known)


def histogram(
    scale: Scale | None, scores: Sequence[float], distributions: Sequence[Mapping[str, float]]
) -> tuple[ScoreBin, ...]:
    """Count scores by label or whole number, from the lowest; a decimal counts with the number below it.

    On scales of more than 21 whole numbers each bin has ten. `distributions` are the judge's probabilities
    of scores as texts, one of each answer that has such. Without a scale there is no bin.
    """
    return tuple(
        ScoreBin(
            name=name,
            low=low,
            high=high,
            n=sum(low <= score < end for score in scores),
            p=_mean_probability(distributions, low, end),
        )
        for name, low, high, end in (_bins(scale) if scale else ())
    )


def _bins(scale: Scale) -> Iterator[tuple[str, float, float, float]]:
    """Yield each bin's name, its lowest and highest score, and where the next one begins."""
    if scale.labels:
        ranked = sorted(scale.labels.items(), key=lambda one: one[1])
        ends = [*(score for _, score in ranked[1:]), float("inf")]
        for (label, score), end in zip(ranked, ends, strict=True):
            yield label, score, score, end
        return
    low, high = floor(scale.low), ceil(scale.high)
    if high - low < _MAX_BINS:
        for whole in range(low, high + 1):
            yield str(whole), whole, whole, whole + 1
        return
    for first in range(low, high + 1, _WIDE):
        last = min(first + _WIDE - 1, high)
        yield str(first) if first == last else f"{first}-{last}", first, last, first + _WIDE


def _mean_probability(distributions: Sequence[Mapping[str, float]], low: float, end: float) -> float | None:
    if not distributions:
        return None
    return fsum(p for one in distributions for p in _between(one, low, end)) / len(distributions)


def _between(distribution: Mapping[str, float], low: float, end: float) -> Iterable[float]:
    return (p for score, p in distribution.items() if low <= float(score) < end)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _items(table: Any) -> Iterable[tuple[Any, Any]]:
    return table.items() if isinstance(table, Mapping) else ()
