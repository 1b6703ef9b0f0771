"""Whether the judge tells whole answers from degraded ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from judgecli.analysis.gate.controls import KIND_FIELD, SIDE_FIELD, is_control
from judgecli.analysis.gate.exact import DISPLAY_LEVEL
from judgecli.analysis.intervals import tango_interval
from judgecli.types import (
    ControlCounts,
    ControlKind,
    ControlResult,
    DecidedBy,
    Item,
    RunRecord,
    Verdict,
    Winner,
)

_CHANCE = 0.5
_MIN_OF_KIND = 5  # with fewer the bound is over one half only if none at all was missed


def control_counts(wins: int, ties: int, losses: int, kind: ControlKind | None = None) -> ControlCounts:
    """Return the counts with Tango's one-sided 95% lower bound, None for n = 0; whole answers win."""
    interval = tango_interval(wins, losses, wins + ties + losses, DISPLAY_LEVEL)
    lower = None if interval is None else (1 + interval[0]) / 2
    return ControlCounts(n_win=wins, n_tie=ties, n_loss=losses, kind=kind, lower=lower)


def control_result(
    kinds: Iterable[ControlCounts], *, level: float, n_failed: int = 0, n_open: int = 0
) -> ControlResult:
    """Decide about the control from the counts of each kind.

    It passes if the lower bound of all comes up to `level`, that of each kind of at least five is over one
    half, and none is open. A judge that only likes length finds all that is cut and half of what is replaced.
    What the judge failed on it has not told: to the bound of all, each failure is a loss.
    """
    parts = tuple(kinds)
    wins, ties, losses = (sum(getattr(one, name) for one in parts) for name in ("n_win", "n_tie", "n_loss"))
    bound = control_counts(wins, ties, losses + n_failed).lower
    is_seen = bound is not None and bound >= level
    by_kind = all(one.lower is not None and one.lower > _CHANCE for one in parts if one.n >= _MIN_OF_KIND)
    return ControlResult(
        counts=control_counts(wins, ties, losses),
        bound=bound,
        kinds=parts,
        n_failed=n_failed,
        n_open=n_open,
        level=level,
        passed=is_seen and by_kind and not n_open,
    )


def control_of(record: RunRecord, level: float) -> ControlResult | None:
    """Return the result of the control items of a record; None where there are none.

    Failures are left out of the counts, not of the bound.
    """
    items = {item.id: item for item in record.items if is_control(item)}
    if not items:
        return None
    verdicts = {one.item_id: one for one in record.verdicts}
    won: Counter[tuple[str, float]] = Counter()
    n_failed = n_open = 0
    for item_id, item in items.items():
        verdict = verdicts.get(item_id)
        if verdict is None or (verdict.winner is None and verdict.failure is None):
            n_open += 1
        elif verdict.winner is None:
            n_failed += 1
        elif verdict.decided_by is DecidedBy.JUDGE:
            won[item.metadata[KIND_FIELD], _points(item, verdict)] += 1
    asked = {item.metadata[KIND_FIELD] for item in items.values()}
    kinds = [
        control_counts(won[kind, 1.0], won[kind, 0.5], won[kind, 0.0], kind)
        for kind in ControlKind
        if kind.value in asked
    ]
    return control_result(kinds, level=level, n_failed=n_failed, n_open=n_open)


def _points(item: Item, verdict: Verdict) -> float:
    """Return what the whole answer won."""
    if verdict.winner is Winner.TIE:
        return 0.5
    return float(verdict.winner != item.metadata[SIDE_FIELD])
