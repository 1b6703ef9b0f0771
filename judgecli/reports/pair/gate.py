"""What is said of a gate in one sentence: what it decided, and why."""

from __future__ import annotations

from judgecli.reports.wording import Ruling
from judgecli.reports.wording.rows import (
    clean,
    p_value,
    percent,
    plural,
    shortened,
)
from judgecli.types import (
    FitnessCheck,
    FitnessName,
    Gate,
    GateKind,
    ReasonKind,
)

_MAX_NAME = 30
_SHARES = {FitnessName.FAILURES, FitnessName.CONSISTENCY, FitnessName.CONTROL}
_CHECKED = {FitnessName.COMPLETE: "open pairs", FitnessName.CONTROL: "control bound"}
_EVEN = 0.5
_AT_MOST = {FitnessName.FAILURES, FitnessName.COMPLETE}


def ruling(gate: Gate) -> Ruling:
    """Return what a gate decided and why, in one sentence."""
    asked = "better" if gate.options.kind is GateKind.BETTER else f"no worse by {_margin(gate)}"
    sentence = f"gate {gate.decision.upper()} ({asked}): {_reason(gate)}"
    return Ruling(decision=gate.decision, sentence=sentence)


def _margin(gate: Gate) -> str:
    points = f"{100 * gate.options.margin:g}"
    return f"{points} point{'' if points == '1' else 's'}"


def _reason(gate: Gate) -> str:
    reason, limit = gate.reason, percent(gate.threshold)
    said = ""
    match reason.kind:
        case ReasonKind.ABOVE:
            bound = gate.lower if gate.lower is not None and gate.lower > gate.threshold else None
            said = f"{_bound('over', bound)} {limit}{_with_p(gate)}"
        case ReasonKind.BELOW:
            bound = gate.upper if gate.upper is not None and gate.upper < gate.threshold else None
            said = f"{_bound('under', bound)} {limit}{_with_p(gate)}"
        case ReasonKind.BELOW_WITHOUT_JUDGE:
            said = f"the candidate's missing and empty answers alone keep its win rate under {limit}"
        case ReasonKind.PART_BELOW:
            said = f"{_named(gate)}: {_bound('under', reason.value)} {limit}"
        case ReasonKind.PART_UNDECIDED:
            said = f"{_named(gate)}: {_why_part_undecided(gate)}"
        case ReasonKind.UNDECIDED:
            said = f"{_why_undecided(gate)}{_more(gate)}"
        case ReasonKind.UNFIT:
            said = _unfit(gate)
    return said


def _why_undecided(gate: Gate) -> str:
    lower, upper = gate.lower, gate.upper
    # bounds are for display: the exact test may not go as far as they do
    if lower is not None and lower > gate.threshold:
        return f"one-sided {p_value(gate.test.p_above)} is over {gate.alpha:g}"
    if upper is not None and upper < gate.threshold:
        return f"worse at one-sided {p_value(gate.test.p_below)}, which is over {gate.alpha:g}"
    return f"{between(lower, upper)} holds {percent(gate.threshold)}"


def _why_part_undecided(gate: Gate) -> str:
    part = next((one for one in gate.parts if one.name == gate.reason.name), None)
    options = gate.options
    if part is not None and part.lower is not None and part.lower > gate.threshold:
        return f"one-sided {p_value(part.p_value)} is over {gate.alpha:g}"
    if part is not None and part.n_failed > options.max_invalid * (part.n + part.n_failed):
        return f"{part.n_failed:,} of {plural(part.n + part.n_failed, 'pair')} failed"
    if part is not None and part.n < options.min_items:
        return f"{plural(part.n, 'pair')} with a verdict (at least {options.min_items})"
    if part is not None and part.n_groups is not None and part.n_groups < options.min_groups:
        return f"{plural(part.n_groups, 'group')} (at least {options.min_groups})"
    return f"{_bound('not over', gate.reason.value)} {percent(gate.threshold)}"


def _bound(where: str, bound: float | None) -> str:
    # bounds are for display: at the edge they may say something else than the exact test that decided
    return f"win rate {where}" if bound is None else f"win rate bound {percent(bound)} {where}"


def _with_p(gate: Gate) -> str:
    said = p_value(gate.p_value)
    return f" (one-sided {said}, n={gate.counts.n:,})" if said else f" (n={gate.counts.n:,})"


def _named(gate: Gate) -> str:
    return f"{short_name(gate.options.by or 'part')} {short_name(gate.reason.name or '')}".rstrip()


def short_name(name: str) -> str:
    """Return a value of a field as it is shown, cut where it is long."""
    return shortened(clean(name), _MAX_NAME)


def interval(gate: Gate) -> str:
    """Return both bounds of the win rate."""
    return between(gate.lower, gate.upper)


def between(lower: float | None, upper: float | None) -> str:
    """Return two shares as the ends of a range; a dash where one is missing."""
    return "-" if lower is None or upper is None else f"{percent(lower)} to {percent(upper)}"


def _more(gate: Gate) -> str:
    power, n = gate.power, gate.power.n_more
    if not n or (gate.theta is not None and gate.theta < gate.threshold):
        return ""
    when = "the models are equal" if power.truth == _EVEN else f"the win rate is {percent(power.truth)}"
    return f"; about {plural(n, 'more pair')} would decide if {when}"


def _unfit(gate: Gate) -> str:
    failed = [check for check in gate.fitness if check.passed is False]
    if not failed:
        return "a check did not pass"
    if failed[0].name is FitnessName.JUDGED and gate.counts.n_tie == gate.counts.n_planned > 0:
        return f"nothing to judge, both answers are equal in all {plural(gate.counts.n, 'pair')}"
    return f"not fit to decide: {', '.join(_unmet(check, gate) for check in failed)}"


def _unmet(check: FitnessCheck, gate: Gate) -> str:
    """Say what a check that did not pass lacks; the control has conditions beside its bound."""
    control = gate.control
    if check.name is not FitnessName.CONTROL or control is None:
        return held(check)
    if control.n_open:
        return f"{plural(control.n_open, 'control item')} not judged"
    if control.bound is not None and control.bound >= control.level:
        return "control bound of one kind of degraded answer not over 50%"
    return held(check)


def held(check: FitnessCheck) -> str:
    """Write a number and the limit it is held against: `consistency 71.0% (at least 60%)`."""
    is_share = check.name in _SHARES
    value = (
        "not measured" if check.value is None else percent(check.value) if is_share else f"{check.value:g}"
    )
    limit = f"{100 * check.limit:g}%" if is_share else f"{check.limit:g}"
    bound = "at most" if check.name in _AT_MOST else "at least"
    return f"{_CHECKED.get(check.name, check.name)} {value} ({bound} {limit})"
