"""Other numbers on the same pairs: they warn where they would say something else, and never decide."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from judgecli.analysis import decide_gate
from judgecli.types import Gate, GateDecision, ItemLabel, SensitivityLine, SensitivityName, Winner
from tests.analysis.gate.made_up import cases, grouped, options, run
from tests.analysis.labelled import labels
from tests.analysis.made_up import WINNERS, pair, response

PASS, FAIL, INCONCLUSIVE = GateDecision.PASS, GateDecision.FAIL, GateDecision.INCONCLUSIVE


def line(found: Gate, name: SensitivityName) -> SensitivityLine | None:
    return next((one for one in found.sensitivity if one.name is name), None)


def gate(outcomes, given=None, changes=None, **more) -> Gate:
    return decide_gate(run(outcomes, **(changes or {})), options(**more), labels=given)


def test_decided_only_shows_what_ties_hide() -> None:
    # 20 of 200 are decided, and three in four of them lost: theta is 47.5%
    found = gate(cases(5, 180, 15))
    decided = line(found, SensitivityName.DECIDED)
    assert found.decision is PASS
    assert (decided.theta, decided.n, decided.flips) == (0.25, 20, True)


def test_decided_only_is_the_binomial_test() -> None:
    found = gate(cases(60, 30, 40))
    decided = line(found, SensitivityName.DECIDED)
    assert (decided.n, decided.theta, decided.decision) == (100, 0.6, PASS)
    assert binomtest(60, 100, 0.45, alternative="greater").pvalue <= 0.05
    assert line(gate(cases(53, 30, 47)), SensitivityName.DECIDED).decision is INCONCLUSIVE
    assert binomtest(53, 100, 0.45, alternative="greater").pvalue > 0.05


def test_lines_that_agree_with_the_gate_do_not_warn() -> None:
    found = gate(cases(120, 30, 50))
    assert found.sensitivity
    assert not any(one.flips for one in found.sensitivity)


def test_less_evidence_alone_is_no_flip() -> None:
    found = gate(cases(5, 190, 5))
    decided = line(found, SensitivityName.DECIDED)
    assert (found.decision, decided.decision, decided.flips) == (PASS, INCONCLUSIVE, False)


def test_averaged_orders_count_half_of_what_merging_calls_a_tie() -> None:
    # a win in one order and a tie in the other merge to a tie
    outcomes = [*["BB"] * 60, *["AA"] * 60, *["AT"] * 40]
    averaged = line(gate(outcomes), SensitivityName.AVERAGED)
    assert averaged.theta == pytest.approx((60 + 40 * 0.25) / 160)
    assert averaged.method == "t test over items"


def test_few_or_mostly_tied_pairs_are_bet_on_instead() -> None:
    for wins, ties, losses in ((30, 10, 30), (5, 180, 5)):
        averaged = line(gate([*cases(wins, ties, losses), *["TB"] * 10]), SensitivityName.AVERAGED)
        assert averaged.method == "betting"
        assert averaged.lower < averaged.theta < averaged.upper


def test_orders_that_average_to_what_was_merged_are_no_other_number() -> None:
    assert line(gate([*["BB"] * 60, *["AB"] * 40, *["TT"] * 20]), SensitivityName.AVERAGED) is None


def test_bounds_of_few_pairs_hold_their_own_estimate() -> None:
    for wins, losses, flips in ((20, 14, 2), (14, 20, 2), (15, 10, 0), (33, 1, 1)):
        outcomes = [*["BB"] * wins, *["AA"] * losses, *["TT"] * 9, *["AB"] * flips, "TB"]
        averaged = line(gate(outcomes), SensitivityName.AVERAGED)
        assert averaged.lower < averaged.theta < averaged.upper


def test_a_group_is_no_evidence_beyond_its_items() -> None:
    # each of 25 groups has two wins, two losses and a tie in one order: their means are nearly the same
    outcomes = ["BB", "BB", "AA", "AA", "TB"] * 25
    alone = line(gate(outcomes), SensitivityName.AVERAGED)
    grouped_by = {"pairs": grouped(125, 5)}
    together = line(gate(outcomes, changes=grouped_by, group="topic"), SensitivityName.AVERAGED)
    assert together.lower <= alone.lower
    assert together.upper >= alone.upper


def test_where_a_part_decides_lines_are_held_against_the_whole() -> None:
    pairs = [replace(pair(f"q{k + 1}"), metadata={"topic": "ab"[k < 160]}) for k in range(200)]
    outcomes = [*["BB"] * 100, *["AA"] * 60, *["TB", "BB", "AA", "AA"] * 10]
    found = gate(outcomes, changes={"pairs": pairs}, by="topic")
    assert found.decision is INCONCLUSIVE
    assert line(found, SensitivityName.DECIDED).decision is PASS
    assert not any(one.flips for one in found.sensitivity)


def test_soft_takes_the_judges_probabilities() -> None:
    made = run(cases(60, 0, 60))
    verdicts = tuple(
        replace(
            one,
            p_a=0.6 if one.winner is Winner.A else 0.0,
            p_tie=0.4,
            p_b=0.0 if one.winner is Winner.A else 0.6,
        )
        for one in made.verdicts
    )
    soft = line(decide_gate(replace(made, verdicts=verdicts), options()), SensitivityName.SOFT)
    assert (soft.theta, soft.n) == (pytest.approx(0.5), 120)
    assert line(gate(cases(60, 0, 60)), SensitivityName.SOFT) is None


def test_length_matched_keeps_answers_of_about_the_same_length() -> None:
    outcomes = [*["BB"] * 100, *["AA"] * 50]
    pairs = [
        replace(pair(f"q{k + 1}"), responses=(response("x" * 100), response("x" * (400 if k < 100 else 110))))
        for k in range(150)
    ]
    found = gate(outcomes, changes={"pairs": pairs})
    matched = line(found, SensitivityName.LENGTH_MATCHED)
    assert (found.decision, matched.n, matched.decision, matched.flips) == (PASS, 50, FAIL, True)


@pytest.mark.parametrize(("length", "n"), [(125, 40), (126, 0), (80, 40), (79, 0)])
def test_a_quarter_longer_is_still_matched(length, n) -> None:
    pairs = [
        replace(pair(f"q{k + 1}"), responses=(response("x" * 100), response("y" * length))) for k in range(40)
    ]
    matched = line(gate(["BB"] * 40, changes={"pairs": pairs}), SensitivityName.LENGTH_MATCHED)
    assert (matched.n if matched else 0) == n


def test_human_labels_adjust_the_win_rate() -> None:
    outcomes = cases(120, 0, 80)
    by_item = {f"q{k}": ItemLabel(item_id=f"q{k}", winner=WINNERS["A"]) for k in range(1, 101)}
    unanimous = line(gate(outcomes, labels(by_item)), SensitivityName.HUMAN_ADJUSTED)
    assert (unanimous.theta, unanimous.n, unanimous.decision, unanimous.flips) == (0.0, 100, FAIL, True)
    draw = np.random.default_rng(0)
    by_item = {
        item_id: replace(label, winner=WINNERS["AB"[int(draw.random() < 0.3)]])
        for item_id, label in by_item.items()
    }
    found = gate(outcomes, labels(by_item))
    adjusted = line(found, SensitivityName.HUMAN_ADJUSTED)
    assert (found.decision, adjusted.decision, adjusted.flips, adjusted.n) == (PASS, FAIL, True, 100)
    assert adjusted.lower < adjusted.theta < adjusted.upper < 0.45


def test_the_adjusted_bounds_are_those_of_the_adjusted_win_rate() -> None:
    from judgecli.analysis import adjust_by_labels

    draw = np.random.default_rng(1)
    made = run(cases(220, 60, 120), control="")
    by_item = {
        one.item_id: ItemLabel(
            item_id=one.item_id,
            winner=one.winner if draw.random() < 0.8 else WINNERS["ATB"[int(draw.integers(3))]],
        )
        for one in made.verdicts[:250]
    }
    given = labels(by_item)
    adjusted = line(decide_gate(made, options(control=0), labels=given), SensitivityName.HUMAN_ADJUSTED)
    estimate = adjust_by_labels(made, given).win_rate
    assert adjusted.theta == estimate.value
    # one-sided 95% and two-sided 95% bounds
    assert (adjusted.theta - adjusted.lower) * 1.959964 == pytest.approx(
        (estimate.value - estimate.low) * 1.644854, rel=0.01
    )


def test_groups_are_kept_together() -> None:
    outcomes = [*["BB"] * 105, *["AA"] * 95]
    found = gate(outcomes, changes={"pairs": grouped(200, 5)}, group="topic")
    assert all("40 groups by topic" in one.method for one in found.sensitivity)


def test_without_verdicts_there_are_no_lines() -> None:
    assert gate(["uu"] * 10).sensitivity == ()
