"""Everything a gate rests on, row by row, and its parts as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgecli.reports.pair.gate import between, held, interval, short_name
from judgecli.reports.wording.rows import Row, Section, Table, p_value, percent, plural, row, section
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
_DEGRADED = {ControlKind.QUARTER: "cut to a quarter", ControlKind.OTHER_ANSWER: "another's answer"}
_BY_PART = {ReasonKind.PART_BELOW, ReasonKind.PART_UNDECIDED}


def gate_section(gate: Gate) -> Section:
    """Return everything a gate rests on, its parts as a table."""
    return section("Gate", _rows(gate), _parts(gate) if gate.parts else None)


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
    yield row("regressed", _some(gate.regressed))


def _what_is_proved(gate: Gate) -> Iterator[str | None]:
    yield f"threshold {percent(gate.threshold)}"
    yield p_value(gate.p_value) if gate.reason.kind not in _BY_PART else None
    yield f"alpha {gate.alpha:g}"
    yield "the candidate is shown better" if gate.is_better else None
    if gate.reason.kind in _BY_PART:
        names = [part.name for part in gate.parts if part.decision is gate.decision]
        yield f"because of {short_name(gate.options.by or '')} {_some(names)}"
    yield "worse, but within the margin" if gate.is_worse_within_margin else None


def _bounds(gate: Gate) -> tuple[str | None, ...]:
    if gate.theta is None:
        return (gate.test.method,)
    n_groups = gate.test.n_groups
    return (
        f"{percent(gate.theta)} win rate",
        f"{interval(gate)}, {gate.test.bounds}",
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
    return f"{held(check)} {'ok' if check.passed else 'NOT OK'}"


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
    for part in (one for one in gate.parts if one.pooled or one.filled_with):
        yield f'"{part.name}" is {_some(part.pooled) or "missing answers of which the field is not known"}'
        if len(gate.parts) == 1:
            yield f"NO VALUE of {short_name(gate.options.by or '')} is tested by itself"
        yield f"values of under {gate.options.min_items} pairs, tested together"
        if part.filled_with:
            yield f"filled up with {_some(part.filled_with)}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_POOLED:,} more" if len(names) > _MAX_POOLED else ""
    return ", ".join(map(short_name, names[:_MAX_POOLED])) + more


def _parts(gate: Gate) -> Table:
    # those in the way first, where not all are shown
    parts = sorted(gate.parts, key=lambda one: (not one.regressed, one.decision is GateDecision.PASS))
    parts = parts if len(parts) > _MAX_PARTS else list(gate.parts)
    shown = parts[:_MAX_PARTS]
    rows = [
        (
            short_name(part.name),
            f"{part.n:,}" + (f" ({part.n_failed:,} failed)" if part.n_failed else ""),
            "-" if part.theta is None else percent(part.theta),
            between(part.lower, part.upper),
            part.decision.value,
        )
        for part in shown
    ]
    more = len(parts) - len(shown)
    note = [(f"and {more:,} more", "", "", "", "")] if more > 0 else []
    return Table(
        header=(short_name(gate.options.by or "part"), "n", "win rate", "bounds", "gate"), rows=(*rows, *note)
    )
