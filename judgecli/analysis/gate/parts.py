"""The parts of the pairs by the value of a field: all must pass, and some may have regressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgecli.analysis.gate.evidence import value_of
from judgecli.analysis.gate.view import View
from judgecli.types import GateDecision, GatePart, GateTest

OTHER = "other"


def parts_of(view: View, by: str) -> tuple[GatePart, ...]:
    """Return the gate's test of each part, in the order of their names, "other" last.

    That all pass needs no correction for many tests: each is at alpha. That some have regressed does, and is
    Holm's. Values of too few pairs are pooled. A part with more failures than the gate allows passes only if
    it would with each of them lost; they are no evidence that it regressed.

    Raises:
        DataError: an item has no such field.
    """
    found = [_Part.of(view, name, *rest) for name, rest in _pooled(_places(view, by), view).items()]
    corrected = holm([1.0 if one.test.p_below is None else one.test.p_below for one in found])
    return tuple(_decided(view, one, holm_p) for one, holm_p in zip(found, corrected, strict=True))


@dataclass(frozen=True, slots=True)
class _Part:
    """Pairs of one value, or of several: the test of those with an outcome, and that with failures lost."""

    name: str
    pooled: tuple[str, ...]
    n_failed: int
    test: GateTest
    worst: GateTest

    @classmethod
    def of(cls, view: View, name: str, places: Sequence[int], pooled: tuple[str, ...]) -> _Part:
        test = view.test(places)
        n_failed = sum(view.outcomes[k].is_failed for k in places)
        if n_failed <= view.options.max_invalid * len(places):
            return cls(name, pooled, n_failed, test, test)
        known = [(view.outcomes[k].value, k) for k in places if not view.outcomes[k].is_open]
        values = [0.0 if value is None else value for value, _ in known]
        return cls(name, pooled, n_failed, test, view.test_of(values, [k for _, k in known]))


def _decided(view: View, part: _Part, holm_p: float) -> GatePart:
    alpha, test, worst = view.options.final_alpha, part.test, part.worst
    regressed = _is_enough(view, test) and holm_p <= alpha
    decision = GateDecision.INCONCLUSIVE
    if regressed:
        decision = GateDecision.FAIL
    elif _is_enough(view, worst) and worst.p_above is not None and worst.p_above <= alpha:
        decision = GateDecision.PASS
    return GatePart(
        name=part.name,
        n=test.n,
        n_failed=part.n_failed,
        decision=decision,
        theta=test.theta,
        lower=test.lower,
        upper=test.upper,
        p_value=worst.p_above,
        holm_p=None if test.p_below is None else holm_p,
        regressed=regressed,
        pooled=part.pooled,
    )


def _is_enough(view: View, test: GateTest) -> bool:
    options = view.options
    return test.n >= options.min_items and (test.n_groups or options.min_groups) >= options.min_groups


def _places(view: View, by: str) -> dict[str, list[int]]:
    """Return where the planned pairs of each value are; those without an item are "other"."""
    places: dict[str, list[int]] = {}
    for k, pair in enumerate(view.pairs):
        name = OTHER if pair.item is None else value_of(pair.item, by, option="--by")
        places.setdefault(name, []).append(k)
    return dict(sorted(places.items()))


def _pooled(places: Mapping[str, Sequence[int]], view: View) -> dict[str, tuple[list[int], tuple[str, ...]]]:
    """Return the places of each part, and the values that went into "other".

    Where what is pooled would itself be too little, the smallest of the other parts joins it, so that every
    pair is in a part that can be tested.
    """
    least = view.options.min_items
    small = [name for name, found in places.items() if len(found) < least or name == OTHER]
    large = sorted((name for name in places if name not in small), key=lambda name: len(places[name]))
    while small and large and sum(len(places[name]) for name in small) < least:
        small.append(large.pop(0))
    parts: dict[str, tuple[list[int], tuple[str, ...]]] = {
        name: (list(places[name]), ()) for name in sorted(large)
    }
    if small:
        together = sorted(k for name in small for k in places[name])
        parts[OTHER] = (together, tuple(sorted(name for name in small if name != OTHER)))
    return parts


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, in their order.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    corrected, greatest, n = list(p_values), 0.0, len(p_values)
    for rank, k in enumerate(sorted(range(n), key=lambda k: p_values[k])):
        greatest = max(greatest, min(1.0, (n - rank) * p_values[k]))
        corrected[k] = greatest
    return corrected
