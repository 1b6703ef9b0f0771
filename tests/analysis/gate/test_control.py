"""The positive control: what is judged, and what it must show."""

from dataclasses import replace

import numpy as np
import pytest

from judgecli.analysis.gate.control import control_counts, control_of, control_result
from judgecli.analysis.gate.controls import control_plan, is_control, split_control
from judgecli.types import ControlKind, DecidedBy, Item, Order, Response, Source, Winner
from judgecli.verdicts import decide_without_judge
from tests.analysis.gate.made_up import cases, run

WORDS = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "owls", "watch")


def item(k: int, a: str | None = None, instruction: str | None = None, **more) -> Item:
    text = " ".join(WORDS[j % len(WORDS)] for j in range(k, 2 * k + 5)) if a is None else a
    source = Source(file="made-up.jsonl", line=k + 1)
    return Item(
        id=f"q{k}",
        instruction=instruction or f"What about {k}?",
        responses=(Response(output=text, source=source, model="old"), Response(output="b", source=source)),
        metadata={"topic": f"t{k % 3}"},
        **more,
    )


ITEMS = [item(k) for k in range(60)]


@pytest.mark.parametrize(
    ("wins", "ties", "losses", "lower", "passed"),
    [(27, 2, 1, 0.830, True), (20, 6, 4, 0.641, False), (15, 10, 5, 0.546, False)],
)
def test_the_worked_numbers(wins, ties, losses, lower, passed) -> None:
    result = control_result([control_counts(wins, ties, losses)], level=0.65)
    assert round(result.counts.lower, 3) == lower
    assert result.passed is passed


def test_a_mere_taste_for_length_does_not_pass() -> None:
    # all that is cut is found, and by luck nine of fifteen that are replaced
    kinds = [control_counts(15, 0, 0, ControlKind.QUARTER), control_counts(9, 0, 6, ControlKind.OTHER_ANSWER)]
    result = control_result(kinds, level=0.65)
    assert result.counts.lower > 0.65
    assert not result.passed


@pytest.mark.parametrize("n", [0, 1, 5])
def test_few_control_items_show_nothing(n) -> None:
    assert not control_result([control_counts(n, 0, 0)], level=0.65).passed


def test_six_in_six_are_enough() -> None:
    assert control_result([control_counts(6, 0, 0)], level=0.65).passed


def test_a_judge_at_chance_passes_in_less_than_one_of_a_thousand() -> None:
    draw = np.random.default_rng(1)
    counts = draw.binomial(15, 0.5, size=(20_000, 2))
    passed = {
        pair: control_result([control_counts(k, 0, 15 - k) for k in pair], level=0.65).passed
        for pair in {(int(a), int(b)) for a, b in counts}
    }
    assert np.mean([passed[int(a), int(b)] for a, b in counts]) <= 0.001


def test_half_is_cut_and_half_replaced_with_sides_in_turn() -> None:
    plan = control_plan(ITEMS, 30, seed=0)
    seats = [(one.kind, one.degraded) for one in plan]
    assert len(plan) == 30
    assert {seat: seats.count(seat) for seat in seats} == {
        (ControlKind.QUARTER, Winner.B): 8,
        (ControlKind.OTHER_ANSWER, Winner.B): 8,
        (ControlKind.QUARTER, Winner.A): 7,
        (ControlKind.OTHER_ANSWER, Winner.A): 7,
    }


def test_a_control_item_is_the_baselines_answer_against_its_copy() -> None:
    by_id = {one.id: one for one in ITEMS}
    for one in control_plan(ITEMS, 30, seed=0):
        original = by_id[one.of]
        seats = {Winner.A: one.item.response_a, Winner.B: one.item.response_b}
        whole = seats[one.degraded.swapped()]
        assert one.item.id == f"control:{one.of}"
        assert one.item.instruction == original.instruction
        assert whole == original.response_a
        assert seats[one.degraded].output == one.text != whole.output
        assert is_control(one.item)
        assert not is_control(original)


def test_a_copy_is_a_quarter_or_the_nearest_other_answer_in_length() -> None:
    outputs = {one.id: one.response_a.output for one in ITEMS}
    for one in control_plan(ITEMS, 30, seed=0):
        whole = outputs[one.of]
        if one.kind is ControlKind.QUARTER:
            assert one.text == whole[: len(whole) // 4]
        else:
            others = [text for item_id, text in outputs.items() if item_id != one.of and text != whole]
            assert one.text in others
            least = min(abs(len(text) - len(whole)) for text in others)
            assert abs(len(one.text) - len(whole)) == least


def test_the_seed_and_the_items_decide() -> None:
    assert control_plan(ITEMS, 30, seed=0) == control_plan(ITEMS, 30, seed=0)
    assert control_plan(ITEMS, 30, seed=0) != control_plan(ITEMS, 30, seed=1)
    backwards = control_plan(ITEMS[::-1], 30, seed=0)
    assert [one.of for one in backwards] == [one.of for one in control_plan(ITEMS, 30, seed=0)]


def test_the_judge_is_needed_for_every_control_item() -> None:
    thinking = f"<think>{'hm ' * 50}</think> Yes."
    odd = [item(0, ""), item(1, "   "), item(2, "no"), item(3, "abc"), item(4, thinking), item(5, "    x   ")]
    plan = control_plan([*odd, *ITEMS[6:20]], 20, seed=3)
    assert len(plan) >= 14
    assert all(decide_without_judge(one.item, Order.AB) is None for one in plan)
    assert not {"q0", "q1"} & {one.of for one in plan}


def test_another_answer_to_the_same_instruction_is_no_degraded_copy() -> None:
    same = [item(k, instruction="The same?") for k in range(10)]
    assert {one.kind for one in control_plan(same, 10, seed=0)} == {ControlKind.QUARTER}


def test_answers_of_a_word_are_replaced() -> None:
    short = [item(k, "yes" if k % 2 else "no") for k in range(20)]
    plan = control_plan(short, 10, seed=0)
    assert len(plan) == 10
    assert {one.kind for one in plan} == {ControlKind.OTHER_ANSWER}
    assert sorted(one.degraded for one in plan) == [Winner.A] * 5 + [Winner.B] * 5


def test_there_may_be_fewer_than_asked_for() -> None:
    assert len(control_plan(ITEMS[10:16], 30, seed=0)) == 6
    assert control_plan(ITEMS, 0, seed=0) == ()
    assert control_plan([], 30, seed=0) == ()


def test_a_reference_and_earlier_turns_stay() -> None:
    asked = [
        replace(one, reference="42", earlier_instructions=("Hello?",), earlier_references=(None,))
        for one in ITEMS
    ]
    control = control_plan(asked, 4, seed=0)[0].item
    assert (control.reference, control.earlier_instructions) == ("42", ("Hello?",))
    assert control.metadata["topic"].startswith("t")


def test_the_result_of_a_run() -> None:
    result = control_of(run(cases(5, 0, 5), control="+" * 25 + "-==u."), 0.65)
    assert (result.counts.n_win, result.counts.n_tie, result.counts.n_loss) == (25, 2, 1)
    assert (result.n_failed, result.n_open) == (1, 1)
    assert [one.kind for one in result.kinds] == list(ControlKind)
    assert [one.n for one in result.kinds] == [14, 14]
    assert not result.passed  # one is open


def test_a_side_that_always_wins_shows_nothing() -> None:
    # the degraded side is B, B, A, A, ...: a judge that says A is right half the time
    marks = "".join("++--"[k % 4] for k in range(30))
    result = control_of(run([], control=marks), 0.65)
    assert result.counts.theta == pytest.approx(0.5, abs=0.05)
    assert not result.passed


def test_what_a_rule_decided_is_no_evidence() -> None:
    made = run([], control="+" * 30)
    ruled = tuple(replace(one, decided_by=DecidedBy.EMPTY_B) for one in made.verdicts)
    assert control_of(replace(made, verdicts=ruled), 0.65).counts.n == 0


def test_without_control_items_there_is_no_result() -> None:
    assert control_of(run(cases(5, 0, 5), control=""), 0.65) is None


def test_control_items_are_split_off() -> None:
    pairs, control = split_control(run(cases(5, 3, 2), control="+-="))
    assert len(pairs.items) == len(pairs.verdicts) == 10
    assert [one.id for one in control.items] == ["control:q1", "control:q2", "control:q3"]
    assert len(pairs.judgments) == 20
    assert len(control.judgments) == 6


def test_a_users_own_item_that_is_called_so_stays() -> None:
    own = replace(ITEMS[0], id="control:q9")
    pairs, control = split_control(replace(run([], control=""), items=(own,), verdicts=()))
    assert (pairs.items, control.items) == ((own,), ())
    assert all(one.of != "q9" for one in control_plan([*ITEMS, own], 60, seed=0))


def test_what_the_judge_failed_on_it_has_not_told() -> None:
    assert control_result([control_counts(6, 0, 0)], level=0.65).passed
    failed = control_result([control_counts(6, 0, 0)], level=0.65, n_failed=24)
    assert not failed.passed
    assert (failed.counts.n, failed.counts.theta) == (6, 1.0)
    assert failed.bound == control_counts(6, 0, 24).lower


def test_kinds_that_nobody_knows_are_no_control() -> None:
    assert not control_result([], level=0.65).passed
