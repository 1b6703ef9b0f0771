"""What the gate would say of other numbers on the same pairs: a warning where it differs, no decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log

import numpy as np
from scipy.special import bdtrc, stdtr, stdtrit

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.clustered import mean_test
from judgecli.analysis.gate.evidence import group_keys
from judgecli.analysis.gate.exact import LEVEL, item_test, no_test
from judgecli.analysis.gate.shuffled import shuffled_bounds
from judgecli.analysis.gate.testing import group_means, worse_of
from judgecli.analysis.gate.view import View
from judgecli.analysis.judged import POINTS
from judgecli.analysis.trust.adjusted import MIN_LABELS
from judgecli.analysis.trust.ppi import PoweredMean, powered_mean
from judgecli.types import (
    BOTH_ORDERS,
    GateDecision,
    GateTest,
    LabelKind,
    Labels,
    SensitivityLine,
    SensitivityName,
    Verdict,
    Winner,
)

MATCHED = 1.25  # lengths of a pair within a quarter of each other
# With fewer pairs, or with fewer that are no ties on either side, Student's t errs more often than it says.
_MIN_FOR_T, _MIN_SIDE = 100, 10
_MIN_FOR_ESTIMATE = 10  # a win rate of fewer pairs is on the other side of the threshold by chance alone


def sensitivity_of(view: View, decision: GateDecision, labels: Labels | None) -> tuple[SensitivityLine, ...]:
    """Return a line for each other number that can be had; after an early stop, of the pairs up to there."""
    tests = (
        (SensitivityName.AVERAGED, _averaged(view)),
        (SensitivityName.SOFT, _soft(view)),
        (SensitivityName.DECIDED, _decided(view)),
        (SensitivityName.LENGTH_MATCHED, _length_matched(view)),
        (SensitivityName.HUMAN_ADJUSTED, _human_adjusted(view, labels)),
    )
    return tuple(line for name, test in tests for line in _line(name, test, decision, view))


def _line(name: SensitivityName, test: GateTest, gate: GateDecision, view: View) -> Iterator[SensitivityLine]:
    if test.theta is None or test.lower is None or test.upper is None:
        return
    options = view.options
    has_items = test.n >= options.min_items or name is SensitivityName.HUMAN_ADJUSTED
    is_enough = has_items and test.has_groups(options.min_groups)
    decision = test.decide(options.alpha) if is_enough else GateDecision.INCONCLUSIVE
    is_above = test.theta > options.threshold
    is_other_side = {
        GateDecision.PASS: not is_above,
        GateDecision.FAIL: is_above,
        GateDecision.INCONCLUSIVE: False,
    }[gate]
    is_other = decision not in {gate, GateDecision.INCONCLUSIVE}
    yield SensitivityLine(
        name=name,
        decision=decision,
        theta=test.theta,
        lower=test.lower,
        upper=test.upper,
        n=test.n,
        method=test.method,
        flips=is_other or (is_other_side and test.n >= _MIN_FOR_ESTIMATE),
    )


def _averaged(view: View) -> GateTest:
    """Average what both orders say, instead of a tie where they differ."""
    values: dict[int, float] = {}
    n_other = 0
    for k, (pair, outcome) in enumerate(zip(view.pairs, view.outcomes, strict=True)):
        if outcome.value is None:
            continue
        points = _points_of_orders(view, view.verdicts[pair.id]) if outcome.consistent is not None else []
        values[k] = sum(points) / len(points) if points else outcome.value
        n_other += values[k] != outcome.value
    return _mean_test(view, values) if n_other else no_test("both orders average to what was merged")


def _points_of_orders(view: View, verdict: Verdict) -> list[float]:
    """Return what each order says, of the judge whose verdict stands; empty unless there are both."""
    record, item_id = view.record, verdict.item_id
    held = (record.judgments, record.escalated) if verdict.is_doubtful else (record.judgments,)
    for judgments in reversed(held):
        found = [judgments.get((item_id, order)) for order in BOTH_ORDERS]
        winners = [one.winner for one in found if one is not None and one.winner is not None]
        if len(winners) == len(BOTH_ORDERS):
            return [POINTS[Winner(winner)] for winner in winners]
    return []


def _soft(view: View) -> GateTest:
    """Take the judge's probabilities, P(B) + P(tie) / 2, where it gives them; a rule's verdict as it is."""
    values: dict[int, float] = {}
    n_judged = 0
    for k, (pair, outcome) in enumerate(zip(view.pairs, view.outcomes, strict=True)):
        if outcome.value is None:
            continue
        if outcome.consistent is None:
            values[k] = outcome.value
            continue
        verdict = view.verdicts[pair.id]
        if verdict.p_b is not None and verdict.p_tie is not None:
            values[k] = verdict.p_b + verdict.p_tie / 2
            n_judged += 1
    return _mean_test(view, values) if n_judged else no_test("no probabilities")


def _mean_test(view: View, values: dict[int, float]) -> GateTest:
    """Test a mean by t where it can be trusted, else by betting."""
    sides = (sum(one > 0.5 for one in values.values()), sum(one < 0.5 for one in values.values()))
    n_groups = None if view.groups is None else len({view.groups[k] for k in values})
    few_groups = n_groups is not None and n_groups < view.options.min_groups
    if len(values) < _MIN_FOR_T or min(sides) < _MIN_SIDE or few_groups:
        return _betting_test(view, values)
    points, threshold = np.array(list(values.values())), view.options.threshold
    by_item = mean_test(points, Units.of([str(k) for k in values], None), threshold)
    if view.groups is None:
        return by_item
    units = Units.of([view.groups[k] for k in values], view.options.group)
    return worse_of(mean_test(points, units, threshold), by_item)


def _betting_test(view: View, values: dict[int, float]) -> GateTest:
    """Test a mean of values within 0 and 1, whatever their distribution, over items or whole groups."""
    keys = view.groups or group_keys(view.pairs, None)
    means = group_means(list(values.values()), [keys[k] for k in values])
    said = shuffled_bounds(means, view.options.threshold, 1 - LEVEL)
    return GateTest(
        n=len(values),
        theta=means.mean,
        lower=said.lower,
        upper=said.upper,
        p_above=said.p_above,
        p_below=said.p_below,
        method="betting",
    )


def _decided(view: View) -> GateTest:
    """Leave out ties, those between the orders among them."""
    where = [k for k, outcome in enumerate(view.outcomes) if outcome.value in {0.0, 1.0}]
    values = [float(view.outcomes[k].value == 1) for k in where]
    wins, n, threshold = int(sum(values)), len(values), view.options.threshold
    plain = item_test(wins, n - wins, n, threshold)
    if n == 0:
        return plain
    by_item = GateTest(
        n=n,
        theta=plain.theta,
        lower=plain.lower,
        upper=plain.upper,
        p_above=_binomial_p(wins, n, threshold),
        p_below=_binomial_p(n - wins, n, 1 - threshold),
        method="exact binomial test",
    )
    if view.groups is None:
        return by_item
    units = Units.of([view.groups[k] for k in where], view.options.group)
    by_group = mean_test(np.array(values), units, threshold)
    return by_group if by_group.p_above is None else worse_of(by_group, by_item)


def _binomial_p(wins: int, n: int, threshold: float) -> float:
    return float(bdtrc(wins - 1, n, threshold)) if wins else 1.0


def _length_matched(view: View) -> GateTest:
    """Keep the pairs whose answers are about as long."""
    return view.test(
        [k for k, pair in enumerate(view.pairs) if pair.item and _is_matched(*_lengths(view, k))]
    )


def _lengths(view: View, place: int) -> Sequence[int]:
    item = view.pairs[place].item
    return [len(response.output) for response in item.responses[:2]] if item else [0, 0]


def _is_matched(a: int, b: int) -> bool:
    return min(a, b) > 0 and abs(log(a / b)) <= log(MATCHED) + 1e-12


def _human_adjusted(view: View, labels: Labels | None) -> GateTest:
    """Adjust by people's labels, which are a random sample of the pairs: PPI++. It knows of no groups."""
    if labels is None or labels.kind is not LabelKind.WINNERS:
        return no_test("no labels")
    given, judged, others = [], [], []
    for pair, outcome in zip(view.pairs, view.outcomes, strict=True):
        label = labels.by_item.get(pair.id) if pair.item else None
        if outcome.value is None:
            continue
        if label is not None and label.winner is not None:
            given.append(POINTS[label.winner])
            judged.append(outcome.value)
        else:
            others.append(outcome.value)
    if len(given) < MIN_LABELS:
        return no_test(f"fewer than {MIN_LABELS} labels")
    if len(set(given)) == 1:  # no spread to judge a mean by
        wins, losses = given.count(1.0), given.count(0.0)
        alone = item_test(wins, losses, len(given), view.options.threshold)
        return replace(alone, method="labels alone, exact unconditional test")
    mean = powered_mean(np.array(given), np.array(judged), np.array(others))
    return _powered_test(mean, view.options.threshold)


def _powered_test(mean: PoweredMean | None, threshold: float) -> GateTest:
    """Test by Student's t, which from 200 labels on is as good as the normal."""
    if mean is None or mean.standard_error == 0:
        return no_test("no spread to judge it by")
    degrees = mean.n - 1
    half = float(stdtrit(degrees, LEVEL)) * mean.standard_error
    t = (mean.value - threshold) / mean.standard_error
    return GateTest(
        n=mean.n,
        theta=min(max(mean.value, 0.0), 1.0),
        lower=max(0.0, mean.value - half),
        upper=min(1.0, mean.value + half),
        p_above=float(stdtr(degrees, -t)),
        p_below=float(stdtr(degrees, t)),
        method="PPI++, t test",
    )
