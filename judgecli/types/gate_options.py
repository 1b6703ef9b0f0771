"""Nouns of the merge gate: what is asked of it, and what it may decide."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
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
        if not 0 < self.margin < 0.5:
            raise UsageError(f"--margin is a win rate between 0 and 0.5, such as 0.05, not {self.margin:g}")
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"--alpha is a probability between 0 and 0.5, such as 0.05, not {self.alpha:g}")
        if self.control < 0:
            raise UsageError(f"--control is a number of items, 0 for none, not {self.control}")
        for option, field in (("--group", self.group), ("--by", self.by)):
            if field is not None and not field.strip():
                raise UsageError(f"{option} is empty; name a field, or leave the option out")
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


_COUNTS = ("control", "min_items", "min_groups")
_SHARES = ("margin", "alpha", "max_invalid", "min_consistency", "control_level")


def _recorded(table: Any) -> dict[str, Any]:
    """Return the options that a run header holds, by name; a ValueError says what is none."""
    if not isinstance(table, dict):
        raise ValueError(f"{table!r:.40}")  # noqa: TRY004 - a run file's value, no mistake in a call
    for name, value in table.items():
        _check_recorded(name, value)
    kind: Any = table.get("kind")
    return {**table, "kind": GateKind(kind)}


def _check_recorded(name: str, value: Any) -> None:
    """Raise a ValueError if a run header's value is not of the kind that the gate's option has."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if name in _COUNTS:
        is_right, kind = is_whole and value >= 0, "a number from 0 on"
    elif name in _SHARES:
        is_number = is_whole or isinstance(value, float)
        is_right, kind = is_number and 0 <= value <= 1, "a number from 0 to 1"
    elif name == "seed":
        is_right, kind = is_whole, "a whole number"
    elif name == "early_stop":
        is_right, kind = isinstance(value, bool), "true or false"
    elif name in {"group", "by"}:
        is_right, kind = value is None or isinstance(value, str), "a field's name"
    else:
        is_right, kind = name == "kind", "an option of a gate"
    if not is_right:
        raise ValueError(f"{name} is {value!r:.40}, not {kind}")
