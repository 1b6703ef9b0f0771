"""The parts of the pairs by the value of a field: all must pass, and some may have regressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judgecli.analysis.gate.evidence import value_of_pair
from judgecli.analysis.gate.view import View
from judgecli.types import GateDecision, GatePart, GateTest

OTHER = "other"


def parts_of(view: View, by: str) -> tuple[GatePart, ...]:
    """Return the gate's test of each part, in the order of their names, "other" last.

    That all pass needs no correction for many tests: each is at alpha. That some have regressed does, and is
    Holm's. Values of too few pairs are pooled. A part with more failures than the gate allows, or with too
    few outcomes, passes only if it would with each failure lost; they are no evidence that it regressed.

    Raises:
        DataError: an item has no such field.
    """
    found = [_Tested.of(view, part) for part in _pooled(_places(view, by), view.options.min_items)]
    corrected = holm([1.0 if one.test.p_below is None else one.test.p_below for one in found])
    return tuple(_decided(view, one, holm_p) for one, holm_p in zip(found, corrected, strict=True))


@dataclass(frozen=True, slots=True)
class _Part:
    """The places of the pairs of one value, or of several `pooled`, filled up with those of others."""

    name: str
    places: Sequence[int]
    pooled: tuple[str, ...] = ()
    filled_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tested:
    """A part with the test of the pairs that have an outcome, and that with failures lost."""

    part: _Part
    n_failed: int
    test: GateTest
    worst: GateTest

    @classmethod
    def of(cls, view: View, part: _Part) -> _Tested:
        places, options = part.places, view.options
        test = view.test(places)
        n_failed = sum(view.outcomes[k].is_failed for k in places)
        if n_failed <= options.max_invalid * len(places) and test.n >= options.min_items:
            return cls(part, n_failed, test, test)
        known = [(view.outcomes[k].value, k) for k in places if not view.outcomes[k].is_open]
        values = [0.0 if value is None else value for value, _ in known]
        return cls(part, n_failed, test, view.test_of(values, [k for _, k in known]))


def _decided(view: View, tested: _Tested, holm_p: float) -> GatePart:
    alpha, test, worst = view.options.final_alpha, tested.test, tested.worst
    regressed = _is_enough(view, test) and holm_p <= alpha
    decision = GateDecision.INCONCLUSIVE
    if regressed:
        decision = GateDecision.FAIL
    elif _is_enough(view, worst) and worst.p_above is not None and worst.p_above <= alpha:
        decision = GateDecision.PASS
    return GatePart(
        name=tested.part.name,
        n=test.n,
        n_failed=tested.n_failed,
        n_groups=test.n_groups,
        decision=decision,
        theta=test.theta,
        lower=test.lower,
        upper=test.upper,
        p_value=worst.p_above,
        holm_p=None if test.p_below is None else holm_p,
        regressed=regressed,
        pooled=tested.part.pooled,
        filled_with=tested.part.filled_with,
    )


def _is_enough(view: View, test: GateTest) -> bool:
    return test.n >= view.options.min_items and test.has_groups(view.options.min_groups)


def _places(view: View, by: str) -> dict[str | None, list[int]]:
    """Return where the planned pairs of each value are; None for those of which it is not known."""
    places: dict[str | None, list[int]] = {}
    for k, pair in enumerate(view.pairs):
        places.setdefault(value_of_pair(pair, by, option="--by"), []).append(k)
    return places


def _pooled(places: Mapping[str | None, Sequence[int]], least: int) -> Iterator[_Part]:
    """Yield the parts: values of enough pairs, and the others together.

    Where these would still be too few, they are filled up with the smallest of the values, which are tested
    by themselves all the same: that all pass needs no independence, nor does Holm.
    """
    small = [name for name, found in places.items() if name is None or len(found) < least]
    large = sorted(name for name in places if name is not None and len(places[name]) >= least)
    yield from (_Part(name, places[name]) for name in large)
    if not small:
        return
    filled, n = [], sum(len(places[name]) for name in small)
    for name in sorted(large, key=lambda name: (len(places[name]), name)):
        if n >= least:
            break
        filled.append(name)
        n += len(places[name])
    yield _Part(
        OTHER if OTHER not in large else f"{OTHER} values",
        sorted(k for name in (*small, *filled) for k in places[name]),
        pooled=tuple(sorted(name for name in small if name is not None)),
        filled_with=tuple(sorted(filled)),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, in their order.

    Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    corrected, greatest, n = list(p_values), 0.0, len(p_values)
    for rank, k in enumerate(sorted(range(n), key=lambda k: p_values[k])):
        greatest = max(greatest, min(1.0, (n - rank) * p_values[k]))
        corrected[k] = greatest
    return corrected
