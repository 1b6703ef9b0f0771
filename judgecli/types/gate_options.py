"""Nouns of the merge gate: what is asked of it, and what it may decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral, Real
from typing import Any

from judgecli.errors import DataError, UsageError


class GateKind(StrEnum):
    """What the candidate has to show."""

    NO_WORSE = "no-worse"  # its win rate is over one half less the margin
    BETTER = "better"  # its win rate is over one half


class GateDecision(StrEnum):
    """What a gate says: shown, refuted, or neither."""

    PASS = "pass"  # noqa: S105 - a decision, no secret
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """What the caller asks of a gate.

    `margin` is in win rate: 0.05 allows 45%. `alpha` is one-sided. `group` is the field whose items are not
    independent, `by` the field whose parts must all pass. `control` is how many control items are judged, 0
    for none. `seed` orders the evidence of a gate that may stop early, and draws the control items.

    The judge is fit with at least `min_items` pairs and `min_groups` groups, at most a share `max_invalid`
    of failures, a consistency of `min_consistency`, and a control whose lower bound is `control_level`.
    """

    kind: GateKind = GateKind.NO_WORSE
    margin: float = 0.05
    alpha: float = 0.05
    group: str | None = None
    by: str | None = None
    control: int = 30
    early_stop: bool = False
    seed: int = 0
    min_items: int = 30
    min_groups: int = 8
    max_invalid: float = 0.02
    min_consistency: float = 0.60
    control_level: float = 0.65

    def __post_init__(self) -> None:
        """Refuse what means nothing.

        Raises:
            UsageError: an option is out of its range, or two contradict each other.
        """
        for name, (is_right, must_be) in _RULES.items():
            value = getattr(self, name)
            if not is_right(value):
                raise UsageError(f"{_DASHED.get(name, name)} is {must_be}, not {_shown(value)}")
        if self.early_stop and self.by is not None:
            raise UsageError(
                "--early-stop decides about all pairs, --by about each part of them; leave out one of the two"
            )

    @classmethod
    def recorded(cls, table: Any) -> GateOptions | None:
        """Return what a run header holds of a gate; None where it holds none.

        Raises:
            DataError: it holds something else.
        """
        if table is None:
            return None
        try:
            return cls(**_recorded(table))
        except (ValueError, UsageError) as error:
            raise DataError(f"the run file's header describes no gate ({error}); judge anew") from error

    @property
    def threshold(self) -> float:
        """The win rate that has to be surpassed."""
        return 0.5 - self.margin if self.kind is GateKind.NO_WORSE else 0.5

    @property
    def sequential_alpha(self) -> float:
        """The error that early stopping may make, on either side: a fifth of `alpha`."""
        return self.alpha / 5

    @property
    def final_alpha(self) -> float:
        """The error that the test of all pairs may make: what early stopping leaves of `alpha`."""
        return self.alpha - self.sequential_alpha if self.early_stop else self.alpha


def check_margin(kind: GateKind, given: Collection[str], *, margin: str, gate: str) -> None:
    """Refuse a margin that was asked for where none is allowed.

    `given` are the options that the caller named; `margin` and `gate` are as the caller writes them.

    Raises:
        UsageError: there is one.
    """
    if kind is GateKind.BETTER and "margin" in given:
        raise UsageError(f"{margin} has no use with {gate}, which allows none; leave out one of the two")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and value >= 0


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 <= value <= 1


def _is_below_half(value: Any) -> bool:
    """Whether a value is over 0 and under one half, as distances from one half and errors of a test are."""
    return _is_number(value) and 0 < value < 0.5


def _is_field(value: Any) -> bool:
    return value is None or (isinstance(value, str) and bool(value.strip()))


# Of each option, by its field's name, whether a value is one, and what it must be.
_RULES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "kind": (lambda value: isinstance(value, GateKind), " or ".join(GateKind)),
    "margin": (_is_below_half, "a win rate between 0 and 0.5, such as 0.05"),
    "alpha": (_is_below_half, "a probability between 0 and 0.5, such as 0.05"),
    "group": (_is_field, "a field's name"),
    "by": (_is_field, "a field's name"),
    "control": (_is_count, "a number of items, 0 for none"),
    "early_stop": (lambda value: isinstance(value, bool), "true or false"),
    "seed": (_is_whole, "a whole number"),
    "min_items": (_is_count, "a number from 0 on"),
    "min_groups": (_is_count, "a number from 0 on"),
    "max_invalid": (_is_share, "a number from 0 to 1"),
    "min_consistency": (_is_share, "a number from 0 to 1"),
    "control_level": (_is_share, "a number from 0 to 1"),
}
_DASHED = {name: f"--{name}" for name in ("margin", "alpha", "group", "by", "control")}


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else f"{value!r:.40}"


def _recorded(table: Any) -> dict[str, Any]:
    """Return the options that a run header holds, by name; a ValueError says what is none."""
    if not isinstance(table, dict):
        raise ValueError(f"{table!r:.40}")  # noqa: TRY004 - a run file's value, no mistake in a call
    kind: Any = table.get("kind")
    options = {**table, "kind": GateKind(kind)}
    for name, value in options.items():
        if name not in _RULES:
            raise ValueError(f"{name} is {value!r:.40}, not an option of a gate")
        is_right, must_be = _RULES[name]
        if not is_right(value):
            raise ValueError(f"{name} is {value!r:.40}, not {must_be}")
    return options
