"""The gate as a whole: its order of checks, what it counts, and what it says."""

import json
from dataclasses import asdict, replace

import pytest

from judgecli.analysis import decide_gate
from judgecli.errors import DataError, UsageError
from judgecli.types import (
    DecidedBy,
    FitnessName,
    Gate,
    GateDecision,
    GateKind,
    ReasonKind,
    RunRecord,
    StopReason,
)
from tests.analysis.gate.made_up import cases, grouped, options, run
from tests.analysis.made_up import pair

PASS, FAIL, INCONCLUSIVE = GateDecision.PASS, GateDecision.FAIL, GateDecision.INCONCLUSIVE


def gate(record: RunRecord, **changes) -> Gate:
    return decide_gate(record, options(**changes))


def check(found: Gate, name: FitnessName):
    return next(one for one in found.fitness if one.name is name)


@pytest.mark.parametrize(
    ("outcome", "margin", "decision", "kind"),
    [
        ((90, 40, 70), 0.05, PASS, ReasonKind.ABOVE),
        ((76, 40, 84), 0.05, INCONCLUSIVE, ReasonKind.UNDECIDED),
        ((76, 40, 84), 0.10, PASS, ReasonKind.ABOVE),
        ((70, 40, 90), 0.05, INCONCLUSIVE, ReasonKind.UNDECIDED),
        ((45, 30, 125), 0.05, FAIL, ReasonKind.BELOW),
    ],
)
def test_no_worse_at_a_margin(outcome, margin, decision, kind) -> None:
    found = gate(run(cases(*outcome)), margin=margin)
    assert (found.decision, found.reason.kind) == (decision, kind)
    assert found.is_fit


def test_what_a_report_says_of_the_worked_example() -> None:
    found = gate(run(cases(90, 40, 70)))
    assert (found.theta, round(found.lower, 3), found.threshold) == (0.55, 0.498, 0.45)
    assert (found.reason.value, found.reason.limit) == (found.lower, 0.45)
    assert round(found.p_value, 4) == 0.0008
    assert (found.counts.n, found.counts.n_judged, found.counts.invalid_share) == (200, 200, 0)
    assert (found.alpha, found.test.method) == (0.05, "exact unconditional test")
    assert round(100 * found.power.smallest_margin, 1) == 7.8
    assert found.power.n_needed == 491
    assert not found.is_better


def test_the_p_value_of_a_fail_is_that_of_being_under_the_threshold() -> None:
    found = gate(run(cases(45, 30, 125)))
    assert found.p_value == found.test.p_below <= 0.05


@pytest.mark.parametrize(
    ("outcome", "decision"),
    [((120, 30, 50), PASS), ((50, 30, 120), FAIL), ((90, 40, 70), INCONCLUSIVE)],
)
def test_better_is_against_one_half(outcome, decision) -> None:
    found = gate(run(cases(*outcome)), kind=GateKind.BETTER)
    assert (found.decision, found.threshold) == (decision, 0.5)


def test_a_pass_says_if_it_is_better_or_worse_within_the_margin() -> None:
    assert gate(run(cases(120, 30, 50))).is_better
    worse = gate(run(cases(4, 388, 20)))
    assert (worse.decision, worse.is_worse_within_margin) == (PASS, True)


def test_an_undecided_gate_says_how_many_more_it_takes() -> None:
    found = gate(run(cases(76, 40, 84)))
    assert (found.power.truth, found.power.n_needed, found.power.n_more) == (0.5, 491, 291)
    long = gate(run(cases(330, 120, 370)), margin=0.05)  # enough for equal models
    assert long.decision is INCONCLUSIVE
    assert long.power.truth == long.theta
    assert long.power.n_more > 0


def test_zero_judged_pairs_never_pass() -> None:
    equal = gate(run([DecidedBy.EQUAL] * 200))
    assert (equal.decision, equal.reason.name) == (INCONCLUSIVE, FitnessName.JUDGED)
    assert equal.test.p_above < 0.05
    nothing = gate(run([]))
    assert (nothing.decision, nothing.theta, nothing.p_value) == (INCONCLUSIVE, None, None)
    assert gate(run(["uu"] * 200)).decision is INCONCLUSIVE


@pytest.mark.parametrize(("n", "decision"), [(29, INCONCLUSIVE), (30, PASS)])
def test_under_30_pairs_are_inconclusive(n, decision) -> None:
    found = gate(run(["BB"] * n))
    assert found.decision is decision
    assert (check(found, FitnessName.ITEMS).value, check(found, FitnessName.ITEMS).limit) == (n, 30)


@pytest.mark.parametrize(("n_failed", "decision"), [(2, PASS), (3, INCONCLUSIVE)])
def test_failures_are_at_most_2_percent_of_all_planned_pairs(n_failed, decision) -> None:
    found = gate(run([*["BB"] * (100 - n_failed), *["uu"] * n_failed]))
    assert found.decision is decision
    assert check(found, FitnessName.FAILURES).value == n_failed / 100
    assert found.counts.n == 100 - n_failed


def test_an_answer_missing_only_in_the_candidate_is_a_loss() -> None:
    missing = {"only_in_a": [f"m{k}" for k in range(60)]}
    found = gate(run(cases(100, 0, 40), input=missing))
    assert (found.counts.n_loss, found.counts.n_only_in_baseline, found.counts.n) == (100, 60, 200)
    assert (found.theta, found.counts.invalid_share) == (0.5, 0)
    assert gate(run(cases(100, 0, 40))).decision is PASS
    assert found.decision is INCONCLUSIVE


def test_one_missing_only_in_the_baseline_is_a_failure() -> None:
    found = gate(run(["BB"] * 97, input={"only_in_b": ["x", "y", "z"]}))
    assert (found.counts.n, found.counts.n_invalid, found.counts.n_planned) == (97, 3, 100)
    assert (found.decision, found.reason.name) == (INCONCLUSIVE, FitnessName.FAILURES)


@pytest.mark.parametrize(("flips", "decision"), [(80, PASS), (81, INCONCLUSIVE)])
def test_the_judge_says_the_same_in_both_orders_of_60_percent(flips, decision) -> None:
    found = gate(run(cases(100, flips, 100 - flips, flips=flips)))
    assert found.decision is decision
    assert check(found, FitnessName.CONSISTENCY).value == pytest.approx(1 - flips / 200)


def test_one_order_measures_no_consistency() -> None:
    found = gate(run(["BB"] * 100, orders="ab"))
    consistency = check(found, FitnessName.CONSISTENCY)
    assert (found.decision, consistency.passed, consistency.value) == (INCONCLUSIVE, False, None)


def test_verdicts_without_judgments_measure_none_either() -> None:
    found = gate(replace(run(["BB"] * 100), judgments={}))
    assert check(found, FitnessName.CONSISTENCY).passed is False


def test_answers_graded_alone_have_no_order() -> None:
    found = gate(run(["BB"] * 100, prompt={"n_seats": 1}))
    assert (found.decision, check(found, FitnessName.CONSISTENCY).passed) == (PASS, None)


@pytest.mark.parametrize("control", ["-+" * 15, "=" * 30, "", "+" * 29 + ".", "u" * 30])
def test_a_judge_that_does_not_tell_degraded_answers_passes_nothing(control) -> None:
    found = gate(run(["BB"] * 100, control=control))
    assert (found.decision, found.reason.kind) == (INCONCLUSIVE, ReasonKind.UNFIT)
    assert found.reason.name == FitnessName.CONTROL


def test_the_control_can_be_left_out() -> None:
    found = gate(run(["BB"] * 100, control=""), control=0)
    assert (found.decision, check(found, FitnessName.CONTROL).passed, found.control) == (PASS, None, None)


def test_control_items_are_not_counted_among_the_pairs() -> None:
    found = gate(run(cases(90, 40, 70)))
    assert (found.counts.n, found.control.counts.n) == (200, 30)


def test_an_unfit_judge_does_not_fail_a_candidate_either() -> None:
    assert gate(run(["AA"] * 100, control="=" * 30)).decision is INCONCLUSIVE


def test_but_what_no_judge_can_mend_fails() -> None:
    empty = gate(run([*[DecidedBy.EMPTY_B] * 80, *["BB"] * 20], control="=" * 30))
    assert (empty.decision, empty.reason.kind) == (FAIL, ReasonKind.BELOW_WITHOUT_JUDGE)
    assert gate(run([DecidedBy.EMPTY_B] * 100)).decision is FAIL
    assert gate(run([*[DecidedBy.EMPTY_B] * 50, *["uu"] * 50])).decision is INCONCLUSIVE


def test_a_run_that_is_not_finished_is_inconclusive() -> None:
    found = gate(run([*["BB"] * 100, "."]))
    assert (found.decision, found.reason.name) == (INCONCLUSIVE, FitnessName.COMPLETE)
    missing = gate(replace(run(["BB"] * 100), n_missing=5))
    assert (missing.decision, missing.counts.n_open) == (INCONCLUSIVE, 5)


def test_groups_make_the_gate_less_sure() -> None:
    outcomes = [*["BB"] * 105, *["AA"] * 95]
    alone = gate(run(outcomes, pairs=grouped(200, 5)))
    by_group = gate(run(outcomes, pairs=grouped(200, 5)), group="topic")
    assert (alone.decision, by_group.decision) == (PASS, INCONCLUSIVE)
    assert "40 groups by topic" in by_group.test.method
    assert by_group.power.n_needed > alone.power.n_needed


@pytest.mark.parametrize(("size", "decision"), [(13, PASS), (15, INCONCLUSIVE)])
def test_under_8_groups_are_inconclusive(size, decision) -> None:
    found = gate(run(["BB"] * 100, pairs=grouped(100, size)), group="topic")
    assert (found.decision, check(found, FitnessName.GROUPS).limit) == (decision, 8)


@pytest.mark.parametrize("name", ["group", "by"])
def test_a_field_that_an_item_lacks_is_named(name) -> None:
    with pytest.raises(
        DataError, match=rf"--{name} topic: item 'q1' has no such field; there are instruction"
    ):
        gate(run(["BB"] * 50), **{name: "topic"})


def test_instructions_can_be_the_groups() -> None:
    pairs = [replace(pair(f"q{k}"), instruction=f"What of {k // 2}?") for k in range(1, 61)]
    found = gate(run(["BB"] * 60, pairs=pairs), group="instruction")
    assert (found.decision, check(found, FitnessName.GROUPS).value) == (PASS, 31)


def test_an_early_stop_decides_and_leaves_out_what_came_later() -> None:
    found = gate(run(cases(250, 100, 79)), early_stop=True)
    assert found.stop is not None
    assert (found.decision, found.stop.reason) == (PASS, StopReason.BETTING)
    assert found.counts.n == found.stop.unit < 200
    assert found.counts.n + found.counts.n_left_out == 429
    assert found.lower >= 0.45
    assert found.p_value <= found.alpha == 0.01
    assert found.test.bounds == "98% confidence sequence"


def test_pairs_that_were_not_judged_after_the_stop_are_not_missed() -> None:
    whole = run(cases(250, 100, 79))
    stop = gate(whole, early_stop=True).stop
    from judgecli.analysis.gate.evidence import planned_pairs
    from judgecli.analysis.gate.sequential import Watch

    items = [item for item in whole.items if item.id.startswith("q")]
    reached = set(list(Watch(planned_pairs(items), options(early_stop=True)).item_ids)[: stop.unit])
    verdicts = tuple(
        one if one.item_id in reached or one.item_id.startswith("control") else replace(one, winner=None)
        for one in whole.verdicts
    )
    found = gate(replace(whole, verdicts=verdicts), early_stop=True)
    assert (found.stop, found.decision, found.counts.n_open) == (stop, PASS, 0)


def test_without_a_stop_the_last_test_has_four_fifths_of_alpha() -> None:
    found = gate(run(cases(73, 40, 69)), early_stop=True, margin=0.06)
    assert found.stop is None or found.stop.reason is StopReason.CURTAILMENT
    assert found.alpha == pytest.approx(0.04)


def test_an_early_stop_passes_no_unfit_judge() -> None:
    found = gate(run(cases(250, 100, 79), control="=" * 30), early_stop=True)
    assert (found.decision, found.reason.name) == (INCONCLUSIVE, FitnessName.CONTROL)


def test_groups_stop_as_a_whole() -> None:
    found = gate(run(["BB"] * 200, pairs=grouped(200, 5)), early_stop=True, group="topic")
    assert found.decision is PASS
    assert found.stop.n_planned == 40
    assert found.counts.n == 5 * found.stop.unit


def test_every_number_of_a_gate_can_be_written_as_json() -> None:
    for record in (run(cases(90, 40, 70)), run([]), run(["uu"] * 40)):
        for early_stop in (False, True):
            text = json.dumps(asdict(gate(record, early_stop=early_stop)), allow_nan=False)
            assert '"decision"' in text


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"margin": 0}, "--margin"),
        ({"margin": 0.5}, "--margin"),
        ({"margin": float("nan")}, "--margin"),
        ({"alpha": 0.5}, "--alpha"),
        ({"control": -1}, "--control"),
        ({"group": " "}, "--group"),
        ({"by": ""}, "--by"),
        ({"by": "topic", "early_stop": True}, "--early-stop.*--by"),
    ],
)
def test_options_that_mean_nothing_are_refused(changes, option) -> None:
    with pytest.raises(UsageError, match=option):
        options(**changes)
