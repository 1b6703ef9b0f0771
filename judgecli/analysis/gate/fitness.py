"""Whether the judge, and the run, are fit for a gate: a judge at chance finds every candidate no worse."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.analysis.gate.view import View
from judgecli.analysis.orders import in_one_order
from judgecli.analysis.position import graded_alone
from judgecli.types import ControlResult, FitnessCheck, FitnessName, GateCounts


def fitness_of(view: View, counts: GateCounts, control: ControlResult | None) -> tuple[FitnessCheck, ...]:
    """Return every check in the order in which a gate makes them; the first that fails is its reason."""
    options = view.options
    return (
        _check(FitnessName.JUDGED, counts.n_judged, 1, counts.n_planned),
        FitnessCheck(
            name=FitnessName.COMPLETE,
            passed=counts.n_open == 0,
            value=counts.n_open,
            limit=0,
            n=counts.n_planned,
        ),
        _check(FitnessName.ITEMS, counts.n, options.min_items, counts.n_planned),
        *_groups(view, counts),
        _failures(counts, options.max_invalid),
        _consistency(view, options.min_consistency),
        _control(control, is_asked=options.control > 0, level=options.control_level),
    )


def _check(name: FitnessName, value: int, least: int, n: int) -> FitnessCheck:
    return FitnessCheck(name=name, passed=value >= least, value=value, limit=least, n=n)


def _groups(view: View, counts: GateCounts) -> Iterator[FitnessCheck]:
    if view.groups is not None:
        with_value = zip(view.groups, view.outcomes, strict=True)
        n_groups = len({key for key, outcome in with_value if outcome.value is not None})
        yield _check(FitnessName.GROUPS, n_groups, view.options.min_groups, counts.n)


def _failures(counts: GateCounts, most: float) -> FitnessCheck:
    share = counts.invalid_share
    passed = share is not None and share <= most
    return FitnessCheck(name=FitnessName.FAILURES, passed=passed, value=share, limit=most, n=counts.n_planned)


def _consistency(view: View, least: float) -> FitnessCheck:
    """Check the share of the judge's verdicts that do not depend on the order.

    It does not apply where answers were graded alone, and is not measured in one order, or where verdicts
    came without judgments.
    """
    judged = [one.consistent for one in view.outcomes if one.consistent is not None]
    record = view.record
    if graded_alone(record.header):
        return FitnessCheck(name=FitnessName.CONSISTENCY, passed=None, value=None, limit=least, n=len(judged))
    is_measured = bool(judged) and bool(record.judgments) and not in_one_order(record.header)
    value = sum(judged) / len(judged) if is_measured else None
    return FitnessCheck(
        name=FitnessName.CONSISTENCY,
        passed=value is not None and value >= least,
        value=value,
        limit=least,
        n=len(judged) if is_measured else 0,
    )


def _control(control: ControlResult | None, *, is_asked: bool, level: float) -> FitnessCheck:
    """Check the control; left out by the caller's choice it does not apply, missing it does not pass."""
    passed = (control.passed if control else False) if is_asked else None
    return FitnessCheck(
        name=FitnessName.CONTROL,
        passed=passed,
        value=control.bound if control else None,
        limit=level,
        n=control.counts.n if control else 0,
    )
