"""What is said of a gate: its decision in one sentence, and all that it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording import Ruling
from judgecli.reports.wording.rows import (
    Row,
    Section,
    Table,
    clean,
    p_value,
    percent,
    plural,
    row,
    section,
    shortened,
)
from judgecli.types import (
    ControlKind,
    ControlResult,
    FitnessCheck,
    FitnessName,
    Gate,
    GateDecision,
    GateKind,
    ReasonKind,
    SensitivityLine,
    StopReason,
    StopRecord,
)

_MAX_PARTS = 13  # 12 and those that were pooled
_MAX_POOLED = 6
_MAX_NAME = 30
_SHARES = {FitnessName.FAILURES, FitnessName.CONSISTENCY, FitnessName.CONTROL}
_CHECKED = {FitnessName.COMPLETE: "open pairs", FitnessName.CONTROL: "control bound"}
_DEGRADED = {ControlKind.QUARTER: "cut to a quarter", ControlKind.OTHER_ANSWER: "another's answer"}
_BY_PART = {ReasonKind.PART_BELOW, ReasonKind.PART_UNDECIDED}
_EVEN = 0.5
_AT_MOST = {FitnessName.FAILURES, FitnessName.COMPLETE}


def ruling(gate: Gate) -> Ruling:
    """Return what a gate decided and why, in one sentence."""
    asked = "better" if gate.options.kind is GateKind.BETTER else f"no worse by {_margin(gate)}"
    sentence = f"gate {gate.decision.upper()} ({asked}): {_reason(gate)}"
    return Ruling(decision=gate.decision, sentence=sentence)


def gate_section(gate: Gate) -> Section:
    """Return everything a gate rests on, its parts as a table."""
    return section("Gate", _rows(gate), _parts(gate) if gate.parts else None)


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
    return f"{_between(lower, upper)} holds {percent(gate.threshold)}"


def _why_part_undecided(gate: Gate) -> str:
    part = next((one for one in gate.parts if one.name == gate.reason.name), None)
    options = gate.options
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
    return f"{_short(gate.options.by or 'part')} {_short(gate.reason.name or '')}".rstrip()


def _short(name: str) -> str:
    return shortened(clean(name), _MAX_NAME)


def _interval(gate: Gate) -> str:
    return _between(gate.lower, gate.upper)


def _between(lower: float | None, upper: float | None) -> str:
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
    return f"not fit to decide: {', '.join(map(_held, failed))}"


def _rows(gate: Gate) -> Iterator[Row | None]:
    yield row("gate", gate.decision, *_what_is_proved(gate))
    yield row("bounds", *_bounds(gate))
    yield row("fit", *map(_check, filter(_is_shown, gate.fitness)))
    yield row("control", *_control(gate.control)) if gate.control else None
    yield row("missing", *_missing(gate))
    yield row("stopped", *_stop(gate.stop)) if gate.stop else None
    for i, line in enumerate(gate.sensitivity):
        yield row("" if i else "otherwise", *_line(line))
    yield row("power", *_power(gate)) if gate.reason.kind is ReasonKind.UNDECIDED else None
    yield row("pooled", *_pooled(gate))
    yield row("regressed", ", ".join(_short(name) for name in gate.regressed))


def _what_is_proved(gate: Gate) -> Iterator[str | None]:
    yield f"threshold {percent(gate.threshold)}"
    yield p_value(gate.p_value) if gate.reason.kind not in _BY_PART else None
    yield f"alpha {gate.alpha:g}"
    yield "the candidate is shown better" if gate.is_better else None
    if gate.reason.kind in _BY_PART:
        names = [_short(part.name) for part in gate.parts if part.decision is not GateDecision.PASS]
        shown = ", ".join(names[:_MAX_POOLED]) + (", ..." if len(names) > _MAX_POOLED else "")
        yield f"because of {_short(gate.options.by or '')} {shown}"
    yield "worse, but within the margin" if gate.is_worse_within_margin else None


def _bounds(gate: Gate) -> tuple[str | None, ...]:
    if gate.theta is None:
        return (gate.test.method,)
    n_groups = gate.test.n_groups
    return (
        f"{percent(gate.theta)} win rate",
        f"{_interval(gate)}, {gate.test.bounds}",
        f"n={gate.counts.n:,}",
        f"{n_groups:,} groups, design effect {gate.test.deff:.2f}" if n_groups is not None else None,
    )


def _is_shown(check: FitnessCheck) -> bool:
    """Leave out what goes without saying where it holds: that pairs were judged, and all of them."""
    return check.passed is not True or check.name not in {FitnessName.JUDGED, FitnessName.COMPLETE}


def _check(check: FitnessCheck) -> str:
    """Write a check: `consistency 71.0% (at least 60%) ok`."""
    if check.passed is None:
        return f"{check.name} not checked"
    return f"{_held(check)} {'ok' if check.passed else 'NOT OK'}"


def _held(check: FitnessCheck) -> str:
    """Write a number and the limit it is held against: `consistency 71.0% (at least 60%)`."""
    is_share = check.name in _SHARES
    value = (
        "not measured" if check.value is None else percent(check.value) if is_share else f"{check.value:g}"
    )
    limit = f"{100 * check.limit:g}%" if is_share else f"{check.limit:g}"
    bound = "at most" if check.name in _AT_MOST else "at least"
    return f"{_CHECKED.get(check.name, check.name)} {value} ({bound} {limit})"


def _control(control: ControlResult) -> Iterator[str | None]:
    counts = control.counts
    if counts.theta is None:
        yield "no control item has a verdict"
    else:
        yield f"the whole answer wins {percent(counts.theta)} against its degraded copy (n={counts.n:,})"
    for kind in control.kinds:
        if kind.theta is not None and kind.kind is not None:
            yield f"{_DEGRADED[kind.kind]} {percent(kind.theta)}"
    yield f"{control.n_failed:,} failed" if control.n_failed else None


def _missing(gate: Gate) -> Iterator[str | None]:
    lost, failed = gate.counts.n_only_in_baseline, gate.counts.n_only_in_candidate
    yield f"{plural(lost, 'pair')} without the candidate's answer, each a loss here" if lost else None
    yield f"{plural(failed, 'pair')} without the baseline's answer, each a failure here" if failed else None


def _stop(stop: StopRecord) -> Iterator[str | None]:
    yield f"after {stop.unit:,} of {stop.n_planned:,}"
    if stop.reason is StopReason.BETTING:
        yield f"the evidence is enough: e-value {stop.e_value:,.0f}, and {stop.limit:,.0f} were needed"
    else:
        yield "what was left could not have changed the decision"
        yield p_value(stop.p_value)


def _line(line: SensitivityLine) -> tuple[str | None, ...]:
    return (
        f"{line.name} {percent(line.theta)} [{100 * line.lower:.1f}, {100 * line.upper:.1f}]",
        f"n={line.n:,}",
        f"{line.decision} by itself",
        "NOT THE SAME" if line.flips else None,
    )


def _power(gate: Gate) -> Iterator[str | None]:
    power = gate.power
    if power.n_needed is not None:
        what = "better" if power.kind is GateKind.BETTER else "no worse"
        yield f"{plural(power.n_needed, 'pair')} show {what} in {power.power:.0%} of runs"
        yield f"if the true win rate is {percent(power.truth)} and {percent(power.tie_rate)} are ties"
    if power.smallest_margin is not None:
        least = f"{100 * power.smallest_margin:.1f} points"
        yield f"with {plural(power.n or 0, 'pair')} the least margin is {least}"
    if power.smallest_win_rate is not None:
        least = percent(power.smallest_win_rate)
        yield f"with {plural(power.n or 0, 'pair')} the least win rate that is shown is {least}"


def _pooled(gate: Gate) -> Iterator[str]:
    """Yield which values are in "other", and why."""
    for part in (one for one in gate.parts if one.pooled):
        names = [_short(name) for name in part.pooled]
        more = f" and {len(names) - _MAX_POOLED:,} more" if len(names) > _MAX_POOLED else ""
        yield f'"{part.name}" is {", ".join(names[:_MAX_POOLED])}{more}'
        if len(gate.parts) == 1:
            yield f"NO VALUE of {_short(gate.options.by or '')} is tested by itself"
        yield f"values of under {gate.options.min_items} pairs, tested together"
        if part.filled_with:
            yield f"filled up with {', '.join(map(_short, part.filled_with))}"


def _parts(gate: Gate) -> Table:
    parts = gate.parts
    shown = parts[:_MAX_PARTS]
    rows = [
        (
            _short(part.name),
            f"{part.n:,}" + (f" ({part.n_failed:,} failed)" if part.n_failed else ""),
            "-" if part.theta is None else percent(part.theta),
            _between(part.lower, part.upper),
            part.decision.value,
        )
        for part in shown
    ]
    more = len(parts) - len(shown)
    note = [(f"and {more:,} more", "", "", "", "")] if more > 0 else []
    return Table(
        header=(_short(gate.options.by or "part"), "n", "win rate", "bounds", "gate"), rows=(*rows, *note)
    )
