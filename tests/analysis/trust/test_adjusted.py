"""The win rate as people would have it, put together from a run and labels."""

import numpy as np
import pytest

from judgecli.analysis.pair import adjusted_summary_of
from judgecli.analysis.trust.adjusted import adjusted_of, win_rate_by_people
from judgecli.analysis.trust.ppi import powered_estimate, powered_mean
from judgecli.errors import DataError
from judgecli.types import CautionKind, Conclusion, ItemLabel, LabelKind, Winner
from tests.analysis.labelled import Case, labels, labels_of, record_of

# 120 labelled pairs: of 60 that people give to B the judge does 48 and of 40 for A 30; 20 they call a tie.
LABELLED = [
    *[Case("B", "B")] * 48,
    *[Case("A", "B")] * 12,
    *[Case("A", "A")] * 30,
    *[Case("B", "A")] * 10,
    *[Case("T", "T")] * 15,
    *[Case("B", "T")] * 5,
]
OTHERS = [*[Case("B")] * 200, *[Case("A")] * 100, *[Case("T")] * 50]


def test_the_numbers_of_a_run_and_its_labels() -> None:
    cases = LABELLED + OTHERS
    adjusted = adjusted_of(record_of(cases), labels_of(cases))
    points = {"A": 0.0, "T": 0.5, "B": 1.0}
    mean = powered_mean(
        np.array([points[case.label] for case in LABELLED]),
        np.array([points[case.said] for case in LABELLED]),
        np.array([points[case.said] for case in OTHERS]),
    )
    assert mean is not None
    assert adjusted.win_rate == powered_estimate("win_rate", mean)
    assert adjusted.tuning == mean.tuning
    assert adjusted.n_labelled == 120
    assert adjusted.by_people.value == pytest.approx(70 / 120)
    assert (adjusted.sensitivity.value, adjusted.specificity.value) == (48 / 60, 30 / 40)
    assert adjusted.corrected.value == pytest.approx((200 / 300 + 0.75 - 1) / (0.8 + 0.75 - 1))
    assert adjusted.corrected.n == 300
    assert adjusted.corrected.method.startswith("300 decided pairs without a label, corrected by")


def test_labels_alone_have_tangos_interval() -> None:
    alone = win_rate_by_people([1.0] * 90 + [0.5] * 40 + [0.0] * 70)
    assert (alone.value, alone.low, alone.high) == pytest.approx((0.55, 0.4880, 0.6103), abs=5e-5)
    assert win_rate_by_people([]).value is None


def test_a_judge_that_always_favours_the_candidate_is_set_right() -> None:
    draw = np.random.default_rng(7)
    people = draw.choice(["A", "B"], size=2000)
    said = np.where(draw.random(2000) < 0.4, "B", people)
    cases = [
        Case(str(verdict), str(label) if number < 300 else "")
        for number, (verdict, label) in enumerate(zip(said, people, strict=True))
    ]
    adjusted = adjusted_of(record_of(cases), labels_of(cases))
    truth = (people == "B").mean()
    assert (said == "B").mean() > truth + 0.15
    for one in (adjusted.win_rate, adjusted.by_people, adjusted.corrected):
        assert one.low is not None
        assert one.high is not None
        assert one.low <= truth <= one.high
    assert adjusted.win_rate.high - adjusted.win_rate.low < adjusted.by_people.high - adjusted.by_people.low


def test_twenty_labels_are_the_fewest() -> None:
    cases = [*[Case("A", "A")] * 10, *[Case("B", "B")] * 9, Case("A")]
    with pytest.raises(DataError, match=r"labels\.jsonl: 19 of the run's verdicts have a label, .* needs 20"):
        adjusted_of(record_of(cases), labels_of(cases))
    cases = [*[Case("A", "A")] * 10, *[Case("B", "B")] * 10, Case("A")]
    assert adjusted_of(record_of(cases), labels_of(cases)).n_labelled == 20


def test_the_notes_say_what_is_taken_for_granted() -> None:
    cases = LABELLED + OTHERS
    sample, ties = adjusted_of(record_of(cases), labels_of(cases)).notes
    assert sample == "this holds if the 120 labelled pairs are a random sample of the run's 470 verdicts"
    assert ties.startswith("people call 5 of the 105 labelled pairs that the verdicts decide a tie; ")
    few = LABELLED[30:80] + OTHERS
    assert (
        "under 100 labels the interval tends to be too narrow"
        in adjusted_of(record_of(few), labels_of(few)).notes
    )


def test_failed_pairs_count_in_neither_part_and_are_named() -> None:
    sound = LABELLED[:100] + OTHERS
    failed = [*sound, Case("u", "A"), Case("u"), Case("u")]
    without, with_failed = (adjusted_of(record_of(cases), labels_of(cases)) for cases in (sound, failed))
    assert with_failed.win_rate == without.win_rate
    assert with_failed.corrected == without.corrected
    assert "left out: 3 pairs on which the judge failed (1 labelled)" in with_failed.notes


def test_pairs_without_a_majority_count_as_not_labelled() -> None:
    cases = LABELLED + OTHERS
    split = {"q121": ItemLabel(item_id="q121"), **labels_of(cases).by_item}
    adjusted = adjusted_of(record_of(cases), labels(split))
    assert adjusted.n_labelled == 120
    assert "counted as not labelled: 1 pair whose annotators have no majority" in adjusted.notes


def test_where_everything_is_labelled_the_judge_adds_nothing() -> None:
    adjusted = adjusted_of(record_of(LABELLED), labels_of(LABELLED))
    assert adjusted.tuning == 0
    assert adjusted.win_rate.value == adjusted.by_people.value
    assert adjusted.corrected.value is None
    assert "every verdict has a label" in adjusted.notes[0]


def test_labelled_pairs_that_share_an_instruction_are_named() -> None:
    cases = [*LABELLED, Case("A", "A", instruction="Why q1?")]
    assert "share an instruction" in adjusted_of(record_of(cases), labels_of(cases)).notes[-1]


# 80 labels that say what the judge says, and 60 pairs that nobody labelled.
AGREED = [*[Case("B", "B")] * 45, *[Case("A", "A")] * 35]


def test_the_decided_pairs_without_a_label_must_be_enough_to_correct() -> None:
    cases = [*AGREED, *[Case("B")] * 2, Case("A"), *[Case("T")] * 40]
    corrected = adjusted_of(record_of(cases), labels_of(cases)).corrected
    assert (corrected.value, corrected.n) == (None, 3)
    assert corrected.method == "3 decided pairs without a label, and it takes 20"


@pytest.mark.parametrize(
    ("others", "kind"),
    [
        ([Case("B")] * 200, []),  # the judge and people both find the candidate better
        ([*[Case("B")] * 40, *[Case("A")] * 20], [Conclusion.NO_DIFFERENCE]),
    ],
)
def test_where_labels_do_not_show_what_the_judge_does_that_is_a_caution(
    others: list[Case], kind: list[Conclusion]
) -> None:
    # of 40 labelled pairs that the judge gives to B, people give 18 to A
    cases = [*[Case("B", "B")] * 22, *[Case("B", "A")] * 18, *others] if kind else [*AGREED, *others]
    summary = adjusted_summary_of(record_of(cases), labels_of(cases))
    assert summary.conclusion is Conclusion.CANDIDATE_BETTER
    differ = [one for one in summary.cautions if one.kind is CautionKind.LABELS_DIFFER]
    assert [one.name for one in differ] == kind
    assert [one.value for one in differ] == [summary.adjusted.win_rate.value for _ in kind]


def test_a_win_rate_without_an_interval_by_labels_differs_from_nothing() -> None:
    cases = [*[Case("T", "T")] * 20, *[Case("B")] * 100]
    summary = adjusted_summary_of(record_of(cases), labels_of(cases))
    assert summary.adjusted.win_rate.low is None
    assert CautionKind.LABELS_DIFFER not in [one.kind for one in summary.cautions]


def test_scores_are_no_labels_for_it() -> None:
    scores = labels({"q1": ItemLabel(item_id="q1", score=4.0)}, kind=LabelKind.SCORES)
    with pytest.raises(DataError, match=r"labels\.jsonl: these labels are scores"):
        adjusted_of(record_of([Case("A")]), scores)


def test_a_judge_at_chance_is_not_corrected_by() -> None:
    cases = [
        *[Case(said, label) for said in "AB" for label in "AB" for _ in range(20)],
        *[Case("B")] * 50,
    ]
    adjusted = adjusted_of(record_of(cases), labels_of(cases))
    assert adjusted.corrected.value is None
    assert adjusted.tuning == 0
    assert adjusted.win_rate.value == 0.5
    assert labels_of(cases).by_item["q1"].winner is Winner.A


@pytest.mark.parametrize(("n", "is_warned"), [(99, True), (100, False)])
def test_under_a_hundred_labels_are_a_caution(n: int, is_warned: bool) -> None:
    cases = [*[Case("B", "B")] * 60, *[Case("A", "A")] * (n - 60)]
    summary = adjusted_summary_of(record_of(cases), labels_of(cases))
    few = [one.value for one in summary.cautions if one.kind is CautionKind.FEW_LABELS]
    assert few == ([n] if is_warned else [])
