"""What `judge power` shows: the numbers of a gate's plan, as lines or as one object."""

import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial

from judgecli.analysis import gate_power
from judgecli.cli.console import report_width, show
from judgecli.cli.forms import PlainForm
from judgecli.cli.values import member
from judgecli.reports.wording.rows import plural
from judgecli.types import GateKind, GateOptions, GatePower

_MARGINS = (0.02, 0.03, 0.05, 0.10)
_TRUTHS = (0.52, 0.55, 0.60, 0.65)
_LEAST = GateOptions().min_items


def show_power(
    n: int | None,
    *,
    gate: str,
    margin: float,
    ties: float,
    truth: float | None,
    power: float,
    deff: float,
    form: PlainForm,
) -> None:
    """Write how many pairs a gate needs and what it can prove.

    Raises:
        UsageError: an option is out of its range.
    """
    kind = member("--gate", GateKind, gate)
    usual = 0.5 if kind is GateKind.NO_WORSE else 0.55
    true = usual if truth is None else truth
    planned = partial(gate_power, kind, tie_rate=ties, power=power, deff=deff)
    plan = planned(margin, n=n, truth=true)
    if form is PlainForm.JSON:
        show(json.dumps(asdict(plan), indent=2, allow_nan=False) + "\n")
        return
    if kind is GateKind.NO_WORSE:
        others = [planned(one, truth=true) for one in _MARGINS]
    else:
        others = [planned(margin, truth=one) for one in _TRUTHS]
    width = report_width()
    said = [line for sentence in _sentences(plan) for line in _wrapped(sentence, width)]
    show("\n".join([*said, "", *map(_row, others), *_least_said([plan, *others])]) + "\n")


def _wrapped(sentence: str, width: int) -> list[str]:
    return textwrap.wrap(sentence, width, break_on_hyphens=False, break_long_words=False)


def _sentences(plan: GatePower) -> Iterator[str]:
    """Yield what the pairs at hand show, where they are known, and how many show what is asked."""
    is_better = plan.kind is GateKind.BETTER
    truth = f"the true win rate is {plan.truth:.1%}"
    what = "better" if is_better else f"no worse by {100 * plan.margin:g} points"
    if plan.n is None:
        yield f"{_needed(plan)} {what} {_chance(plan, truth)}."
    elif plan.n < _LEAST:
        yield f"{plural(plan.n, 'pair')} can show nothing: a gate takes {_LEAST} pairs at least."
        yield f"{_needed(plan)} {what} {_chance(plan, truth)}."
    elif is_better:
        yield f"{plan.n:,} pairs can show {_shown(plan)} {_chance(plan)}."
        yield f"{_needed(plan)} it where {truth}."
    else:
        yield f"{plan.n:,} pairs can show {_shown(plan)} {_chance(plan, truth)}."
        yield f"{_needed(plan)} {what}."
    farthest = (1 - plan.tie_rate) / 2
    if abs(plan.truth - 0.5) > farthest:
        low, high = 0.5 - farthest, 0.5 + farthest
        yield f"With so many ties a win rate is between {low:.1%} and {high:.1%}."


def _shown(plan: GatePower) -> str:
    """Return what the pairs at hand show."""
    if plan.smallest_win_rate is not None:
        return f"better where the true win rate is {plan.smallest_win_rate:.1%} or more,"
    if plan.smallest_margin is not None:
        return f"margins of {100 * plan.smallest_margin:.1f} points or more"
    return "no model to be better" if plan.kind is GateKind.BETTER else "no margin"


def _needed(plan: GatePower) -> str:
    return "No number of pairs shows" if plan.n_needed is None else f"{plan.n_needed:,} pairs show"


def _chance(plan: GatePower, *conditions: str) -> str:
    """Return how likely it is shown, and under which conditions."""
    under = " and ".join([*conditions, f"{plan.tie_rate:.0%} of the pairs are ties"])
    groups = "" if plan.deff == 1 else f", design effect {plan.deff:g}"
    return f"with probability {plan.power:g}, if {under} (alpha {plan.alpha:g}, one-sided{groups})"


def _least_said(plans: Iterable[GatePower]) -> Iterator[str]:
    if any(plan.n_needed == _LEAST for plan in plans):
        yield ""
        yield f"A gate takes {_LEAST} pairs at least."


def _row(plan: GatePower) -> str:
    what = (
        f"win rate {plan.truth:.0%}"
        if plan.kind is GateKind.BETTER
        else f"margin {100 * plan.margin:g} points"
    )
    needed = "cannot be shown" if plan.n_needed is None else f"{plan.n_needed:>8,} pairs"
    return f"{what:<18}{needed}"
