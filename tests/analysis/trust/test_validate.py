"""The alternative annotator test."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, ttest_1samp

from judgecli.analysis.trust.validate import (
    annotator_tests,
    closeness,
    mean_below_p,
    share_agreeing,
    validation_of,
    with_rejections,
)
from judgecli.errors import DataError, UsageError
from judgecli.types import (
    AnnotatorTest,
    CautionKind,
    ItemLabel,
    LabelKind,
    Labels,
    LabelSource,
    RunRecord,
    Winner,
)
from tests.analysis import graded
from tests.analysis.labelled import Case, annotated, labels, labels_of, record_of
from tests.analysis.made_up import WINNERS

NAMES = ("ann", "bob", "cem")


def votes(*rows: str) -> dict[str, dict[str, Winner]]:
    """Return annotators' labels by item, a letter each; `-` is none."""
    return {
        f"q{number}": {
            name: WINNERS[letter] for name, letter in zip(NAMES, row, strict=True) if letter in WINNERS
        }
        for number, row in enumerate(rows, 1)
    }


def test_the_hand_example() -> None:
    t, p = mean_below_p([0] * 30 + [1] * 12 + [-1] * 18, 0.2)
    assert (round(t, 3), round(p, 5)) == (-3.292, 0.00084)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=80).filter(lambda d: len(set(d)) > 1))
def test_the_t_test_is_scipys(d: list[int]) -> None:
    expected = ttest_1samp(d, 0.15, alternative="less")
    assert mean_below_p(d, 0.15) == pytest.approx((expected.statistic, expected.pvalue))


def test_where_all_differences_are_the_same_the_test_is_decided() -> None:
    assert mean_below_p([0] * 40, 0.2)[1] == 0
    assert mean_below_p([1] * 40, 0.2)[1] == 1
    assert mean_below_p([0] * 40, 0.0)[1] == 1
    assert np.isnan(mean_below_p([1], 0.2)).all()


def some_tests(p_values: list[float | None]) -> list[AnnotatorTest]:
    return [
        AnnotatorTest(annotator=str(n), n=40, advantage=0.5, human_advantage=0.5, p_value=p, rejected=False)
        for n, p in enumerate(p_values)
    ]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_correction_is_scipys_benjamini_yekutieli(p_values: list[float], q: float) -> None:
    adjusted = false_discovery_control(p_values, method="by")
    close = np.isclose(adjusted, q, rtol=1e-9)
    found = with_rejections(some_tests(p_values), q)
    assert [one.adjusted_p_value for one in found] == pytest.approx(list(adjusted))
    assert [one.rejected for one, c in zip(found, close, strict=True) if not c] == list(adjusted[~close] <= q)


def test_annotators_who_are_not_tested_do_not_count_in_the_correction() -> None:
    # of three, 0.03 would have to be at most 0.05 / (1 + 1/2 + 1/3)
    assert with_rejections(some_tests([0.03, None, None]), 0.05)[0].rejected
    assert not any(one.rejected for one in with_rejections(some_tests([0.03, 0.9, 0.9]), 0.05))


def test_the_judge_is_held_to_the_other_annotators() -> None:
    # on every item ann is alone against bob and cem, and the judge sides with them
    judged = {f"q{number}": Winner.B for number in range(1, 41)}
    tests = {
        one.annotator: one
        for one in annotator_tests(judged, votes(*["ABB"] * 40), alike=share_agreeing, epsilon=0.2)
    }
    ann, bob = tests["ann"], tests["bob"]
    assert (ann.advantage, ann.human_advantage, ann.n) == (1.0, 0.0, 40)
    assert ann.p_value == 0
    # against bob the others are ann and cem: one of two agrees with the judge, as with bob
    assert (bob.advantage, bob.human_advantage) == (1.0, 1.0)


def test_agreement_is_the_share_of_the_others_and_closeness_their_root_mean_square() -> None:
    assert share_agreeing("A", ["A", "B", "A", "tie"]) == 0.5
    assert closeness(5.0, [8.0, 1.0]) == -(((9 + 16) / 2) ** 0.5)


def run_and_votes(verdicts: str, *rows: str) -> tuple[RunRecord, dict[str, dict[str, Winner]]]:
    return record_of([Case(letter) for letter in verdicts]), votes(*rows)


def test_a_judge_who_says_what_the_majority_says_passes() -> None:
    record, by_item = run_and_votes("AB" * 30, *["AAB", "BBA"] * 15, *["ABA", "BAB"] * 15)
    summary = validation_of(record, annotated(by_item), epsilon=0.2)
    assert summary.passes is True
    assert summary.omega.value == 1
    assert summary.rho.value is not None
    assert summary.rho.value > 0.9
    assert (summary.n_items, len(summary.tests), summary.q) == (60, 3, 0.05)
    assert summary.cautions == ()


def test_a_judge_against_everybody_fails() -> None:
    record, by_item = run_and_votes("B" * 60, *["AAA"] * 60)
    summary = validation_of(record, annotated(by_item), epsilon=0.2)
    assert summary.passes is False
    assert summary.omega.value == 0
    assert summary.rho.value == 0
    assert [one.human_advantage for one in summary.tests] == [1, 1, 1]


def test_half_of_the_annotators_are_enough() -> None:
    # ann and bob agree with each other on all, cem and dee with nobody on 40 items each; nor does the judge
    names = [*["cem"] * 40, *["dee"] * 40]
    by_item = {
        f"q{number}": {"ann": Winner.A, "bob": Winner.A, name: Winner.B}
        for number, name in enumerate(names, 1)
    }
    summary = validation_of(record_of([Case("T")] * 80), annotated(by_item), epsilon=0.2)
    assert [one.rejected for one in summary.tests] == [False, False, True, True]
    assert [one.human_advantage for one in summary.tests] == [1, 1, 1, 1]
    assert (summary.omega.value, summary.rho.value) == (0.5, 0.5)
    assert summary.passes is True


def test_annotators_with_few_items_are_not_tested_and_the_summary_says_so() -> None:
    record, by_item = run_and_votes("A" * 60, *["AAA"] * 29, *["AA-"] * 31)
    summary = validation_of(record, annotated(by_item), epsilon=0.2)
    cem = summary.tests[2]
    assert (cem.n, cem.p_value, cem.rejected, cem.advantage) == (29, None, False, None)
    assert cem.reason == "29 items, and the test needs 30"
    assert (summary.omega.n, summary.rho.n) == (2, 2)
    assert summary.notes == ("too few items to be tested: 1 of 3 annotators",)


def test_where_nobody_can_be_tested_nothing_passes_or_fails() -> None:
    record, by_item = run_and_votes("A" * 29, *["AAA"] * 29)
    summary = validation_of(record, annotated(by_item), epsilon=0.2)
    assert summary.passes is None
    assert (summary.omega.value, summary.rho.value, summary.omega.n) == (None, None, 0)
    assert "30 items" in summary.omega.method
    assert [one.kind for one in summary.cautions] == [CautionKind.FEW_LABELS]


def test_items_of_one_annotator_and_failed_ones_are_left_out() -> None:
    record, by_item = run_and_votes("A" * 40 + "uu", *["AAA"] * 35, *["A--"] * 5, *["AAA"] * 2)
    summary = validation_of(record, annotated(by_item), epsilon=0.2)
    assert summary.n_items == 35
    assert [one.n for one in summary.tests] == [35, 35, 35]
    assert "left out: 2 labelled items on which the judge failed" in summary.notes


def test_what_a_rule_decided_is_no_work_of_the_judge() -> None:
    cases = [*[Case("A")] * 40, *[Case("T", by_rule=True)] * 5]
    summary = validation_of(record_of(cases), annotated(votes(*["AAA"] * 45)), epsilon=0.2)
    assert summary.n_items == 40


def test_scores_are_held_to_the_other_scores() -> None:
    record = graded.record([5] * 40)
    by_item = {
        item.id: ItemLabel(item_id=item.id, scores={"ann": 2.0, "bob": 5.0, "cem": 6.0})
        for item in record.items
    }
    more = {"kind": LabelKind.SCORES, "source": LabelSource.MEAN, "annotators": NAMES}
    summary = validation_of(record, labels(by_item, **more), epsilon=0.2)
    ann, bob, cem = summary.tests
    # 5 is nearer to 5 and 6 than ann's 2, as near to 2 and 6 as bob's 5, and nearer to 2 and 5 than cem's 6
    assert (ann.advantage, bob.advantage, cem.advantage) == (1, 1, 1)
    assert (ann.human_advantage, bob.human_advantage, cem.human_advantage) == (0, 1, 0)


NEAR = (
    "measured within epsilon of ann, bob, cem and not shown to hold: under 100 labels, few may be the reason"
)


def as_good_as_people(n: int) -> tuple[RunRecord, dict[str, dict[str, Winner]]]:
    """Return a judge that is as often alone as each annotator is."""
    rows = ["AAB", "ABA", "BAA", "AAA", "AAA"] * (n // 5)
    return run_and_votes("AAAAB" * (n // 5), *rows)


def test_a_judge_as_good_as_people_needs_labels_to_be_shown_to_hold() -> None:
    record, by_item = as_good_as_people(30)
    few = validation_of(record, annotated(by_item), epsilon=0.1)
    assert [one.rejected for one in few.tests] == [False, False, False]
    assert [one.advantage == pytest.approx(one.human_advantage) for one in few.tests] == [True, True, True]
    assert few.notes[0].startswith(NEAR)
    record, by_item = as_good_as_people(600)
    assert validation_of(record, annotated(by_item), epsilon=0.1).passes is True


def test_a_judge_that_is_measured_worse_is_not_told_to_label_more() -> None:
    record, by_item = run_and_votes("B" * 40, *["AAA"] * 40)
    assert validation_of(record, annotated(by_item), epsilon=0.2).notes == ()


def grouped(n_groups: int, *, size: int) -> tuple[RunRecord, Labels]:
    """Return items of `n_groups` instructions, `size` of each; the judge is wrong on every other one."""
    said = ["A" if (k // size) % 2 else "B" for k in range(n_groups * size)]
    cases = [Case(letter, instruction=f"Why {k // size}?") for k, letter in enumerate(said)]
    return record_of(cases), annotated(votes(*["AAA"] * len(cases)))


def test_items_that_share_an_instruction_are_a_caution_unless_grouped() -> None:
    record, known = grouped(40, size=3)
    summary = validation_of(record, known, epsilon=0.2)
    shared = [one for one in summary.cautions if one.kind is CautionKind.SHARED_INSTRUCTIONS]
    assert [one.value for one in shared] == [40]
    assert (summary.group, summary.n_groups, summary.tests[0].n) == (None, None, 120)
    summary = validation_of(record, known, epsilon=0.2, group="instruction")
    assert CautionKind.SHARED_INSTRUCTIONS not in [one.kind for one in summary.cautions]
    assert (summary.n_items, summary.group, summary.n_groups) == (120, "instruction", 40)


def test_a_group_is_one_unit_with_the_mean_of_its_differences() -> None:
    record, known = grouped(40, size=3)
    by_group = validation_of(record, known, epsilon=0.7, group="instruction").tests[0]
    one_each_record, one_each = grouped(40, size=1)
    # all items of a group are alike here, so three of each say what one says
    assert by_group == validation_of(one_each_record, one_each, epsilon=0.7).tests[0]
    assert by_group.n == 40
    p_by_item = validation_of(record, known, epsilon=0.7).tests[0].p_value
    assert p_by_item is not None
    assert by_group.p_value is not None
    assert p_by_item < by_group.p_value
    # groups of different sizes count alike: 20 with d = 0 and 20 with d = 1 for a half of their items
    judged = {f"q{k}": Winner.A if k < 20 or k % 2 else Winner.B for k in range(60)}
    units = {f"q{k}": str(k if k < 20 else 20 + (k - 20) // 2) for k in range(60)}
    people = {item_id: dict.fromkeys(NAMES, Winner.A) for item_id in judged}
    (ann, *_) = annotator_tests(judged, people, alike=share_agreeing, epsilon=0.5, units=units)
    assert (ann.n, ann.advantage, ann.human_advantage) == (40, 0.75, 1.0)
    assert ann.p_value == pytest.approx(ttest_1samp([0.0] * 20 + [0.5] * 20, 0.5, alternative="less").pvalue)


def test_under_thirty_groups_there_is_no_test() -> None:
    record, known = grouped(29, size=3)
    summary = validation_of(record, known, epsilon=0.2, group="instruction")
    assert summary.passes is None
    assert summary.tests[0].reason == "29 groups by instruction, and the test needs 30"
    assert [(one.kind, one.value) for one in summary.cautions] == [(CautionKind.FEW_LABELS, 29)]
    with pytest.raises(DataError, match="--group topic: item 'q1' has no such field"):
        validation_of(record, known, epsilon=0.2, group="topic")


def test_two_annotators_are_too_few() -> None:
    by_item = {"q1": {"ann": Winner.A, "bob": Winner.A}}
    with pytest.raises(DataError, match=r"labels\.jsonl: 2 named annotators, and the test needs 3"):
        validation_of(record_of([Case("A")]), annotated(by_item), epsilon=0.2)
    with pytest.raises(DataError, match="no named annotators"):
        validation_of(record_of([Case("A")]), labels_of([Case("A", "A")]), epsilon=0.2)


def test_labels_of_another_run_are_refused() -> None:
    with pytest.raises(DataError, match="no item has both"):
        validation_of(record_of([Case("u")]), annotated(votes("AAA")), epsilon=0.2)


@pytest.mark.parametrize("epsilon", [-0.1, 1.0])
def test_epsilon_is_a_share(epsilon: float) -> None:
    with pytest.raises(UsageError, match="--epsilon"):
        validation_of(record_of([Case("A")]), annotated(votes("AAA")), epsilon=epsilon)
