"""What `judge power` shows: the numbers of a gate's plan, as lines or as one object."""

import json
from collections.abc import Iterator
from dataclasses import asdict

from judgecli.analysis import gate_power
from judgecli.cli.console import write
from judgecli.cli.options import Form
from judgecli.cli.values import member
from judgecli.types import GateKind, GatePower

_MARGINS = (0.02, 0.03, 0.05, 0.10)
_TRUTHS = (0.52, 0.55, 0.60, 0.65)


def show_power(
    n: int | None,
    *,
    gate: str,
    margin: float,
    ties: float,
    truth: float | None,
    power: float,
    deff: float,
    form: Form,
) -> None:
    """Write how many pairs a gate needs and what it can prove.

    Raises:
        UsageError: an option is out of its range.
    """
    kind = member("--gate", GateKind, gate)
    usual = 0.5 if kind is GateKind.NO_WORSE else 0.55
    true = usual if truth is None else truth
    common = {"tie_rate": ties, "power": power, "deff": deff}
    plan = gate_power(kind, margin, n=n, truth=true, **common)
    if form is Form.JSON:
        write(json.dumps(asdict(plan), indent=2, allow_nan=False) + "\n")
        return
    others = [
        gate_power(kind, one, n=n, truth=true, **common)
        for one in (_MARGINS if kind is GateKind.NO_WORSE else ())
    ] + [
        gate_power(kind, margin, n=n, truth=one, **common)
        for one in (_TRUTHS if kind is GateKind.BETTER else ())
    ]
    write("\n".join([*_lines(plan), "", *map(_row, others)]) + "\n")


def _lines(plan: GatePower) -> Iterator[str]:
    what = "better" if plan.kind is GateKind.BETTER else f"no worse by {100 * plan.margin:g} points"
    needed = "no number of pairs shows" if plan.n_needed is None else f"{plan.n_needed:,} pairs show"
    yield f"{needed} {what} with probability {plan.power:g}, if the true win rate"
    yield f"is {plan.truth:.1%} and {plan.tie_rate:.0%} of the pairs are ties (alpha {plan.alpha:g},"
    yield "one-sided)"
    if plan.n is not None and plan.smallest_margin is not None:
        yield f"{plan.n:,} pairs can show margins of {100 * plan.smallest_margin:.1f} points or more"


def _row(plan: GatePower) -> str:
    what = (
        f"win rate {plan.truth:.0%}"
        if plan.kind is GateKind.BETTER
        else f"margin {100 * plan.margin:g} points"
    )
    needed = "cannot be shown" if plan.n_needed is None else f"{plan.n_needed:>8,} pairs"
    return f"{what:<18}{needed}"
