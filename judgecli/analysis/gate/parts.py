"""The parts of the pairs by the value of a field: all must pass, and some may have regressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgecli.analysis.gate.evidence import value_of
from judgecli.analysis.gate.view import View
from judgecli.types import GateDecision, GatePart, GateTest

OTHER = "other"


def parts_of(view: View, by: str) -> tuple[GatePart, ...]:
    """Return the gate's test of each part, in the order of their names, "other" last.

    That all pass needs no correction for many tests: each is at alpha. That some have regressed does, and is
    Holm's. Values of too few pairs are pooled.

    Raises:
        DataError: an item has no such field.
    """
    pooled = _pooled(_places(view, by), view.options.min_items)
    tests = {name: view.test(places) for name, (places, _) in pooled.items()}
    corrected = holm([1.0 if test.p_below is None else test.p_below for test in tests.values()])
    return tuple(
        _part(view, name, test, holm_p, pooled[name][1])
        for (name, test), holm_p in zip(tests.items(), corrected, strict=True)
    )


def _part(view: View, name: str, test: GateTest, holm_p: float, pooled: tuple[str, ...]) -> GatePart:
    alpha, options = view.options.final_alpha, view.options
    is_enough = test.n >= options.min_items and (test.n_groups or options.min_groups) >= options.min_groups
    regressed = is_enough and holm_p <= alpha
    decision = GateDecision.INCONCLUSIVE
    if regressed:
        decision = GateDecision.FAIL
    elif is_enough and test.p_above is not None and test.p_above <= alpha:
        decision = GateDecision.PASS
    return GatePart(
        name=name,
        n=test.n,
        decision=decision,
        theta=test.theta,
        lower=test.lower,
        upper=test.upper,
        p_value=test.p_above,
        holm_p=None if test.p_below is None else holm_p,
        regressed=regressed,
        pooled=pooled,
    )


def _places(view: View, by: str) -> dict[str, list[int]]:
    """Return where the pairs of each value are, those with an outcome; without an item it is "other"."""
    places: dict[str, list[int]] = {}
    for k, pair in enumerate(view.pairs):
        name = OTHER if pair.item is None else value_of(pair.item, by, option="--by")
        if view.outcomes[k].value is not None:
            places.setdefault(name, []).append(k)
    return dict(sorted(places.items()))


def _pooled(places: Mapping[str, Sequence[int]], least: int) -> dict[str, tuple[list[int], tuple[str, ...]]]:
    """Return the places of each part, and the values that went into "other".

    Where what is pooled would itself be too little, the smallest of the other parts joins it, so that every
    pair is in a part that can be tested.
    """
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
