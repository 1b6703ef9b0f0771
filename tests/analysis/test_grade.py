"""What a run of grades comes to."""

from dataclasses import replace
from statistics import fmean

import pytest
from scipy import stats

from judgecli.analysis import summarise, summarise_grades
from judgecli.types import CautionKind, DecidedBy, Failure
from tests.analysis.graded import YES_OR_NO, answer, record

pytestmark = pytest.mark.filterwarnings("error")

SCORES = [8, 6, 7, 9, 3, 8.5, 7, 10]


def kinds(summary):
    return [caution.kind for caution in summary.cautions]


def test_the_mean_has_students_interval():
    mean = summarise_grades(record(SCORES)).mean
    expected = stats.t.interval(0.95, len(SCORES) - 1, fmean(SCORES), stats.sem(SCORES))
    assert mean.value == pytest.approx(fmean(SCORES))
    assert (mean.low, mean.high) == pytest.approx(expected)
    assert mean.n == 8
    assert "rough" in mean.method


def test_of_thirty_scores_or_more_the_interval_is_not_called_rough():
    assert summarise_grades(record(SCORES * 4)).mean.method == "t interval, 95%"


def test_the_interval_ends_with_the_scale():
    mean = summarise_grades(record([10, 10, 10, 4])).mean
    assert mean.high == 10
    assert mean.low > 1


def test_scores_that_are_all_the_same_have_no_interval():
    mean = summarise_grades(record([7, 7, 7])).mean
    assert (mean.value, mean.low, mean.high) == (7, None, None)
    assert "no spread" in mean.method


def test_a_failure_is_never_a_score():
    summary = summarise_grades(record([8, "u", "l", 6, "."]))
    assert (summary.mean.value, summary.mean.n) == (7, 2)
    assert summary.counts.failures == {Failure.UNREADABLE: 1, Failure.TOO_LONG: 1}
    assert (summary.counts.n_graded, summary.counts.n_failed, summary.counts.n_open) == (2, 2, 1)
    assert (summary.counts.n_items, summary.counts.n_judgments) == (5, 4)


def test_an_empty_answer_counts_with_the_lowest_score_and_apart():
    summary = summarise_grades(record([9, 9, ""]))
    assert (summary.mean.value, summary.mean.n) == (pytest.approx(19 / 3), 3)
    assert summary.median.value == 9
    assert summary.counts.without_judge == {DecidedBy.EMPTY: 1}
    assert (summary.counts.n_graded, summary.counts.n_scores) == (2, 3)
    assert {one.name: one.n for one in summary.histogram if one.n} == {"9": 2}
    assert (summary.at_lowest.value, summary.at_highest.n) == (0, 2)


def test_without_a_scale_an_empty_answer_counts_nowhere():
    summary = summarise_grades(record([9, 7, ""], scale=None))
    assert (summary.mean.value, summary.mean.n) == (8, 2)
    assert summary.scale is None
    assert summary.histogram == ()
    assert summary.at_lowest.value is None


@pytest.mark.parametrize("scale", [{"low": "x", "high": 3}, {"low": 3, "high": 3}, [1, 10], {"low": True}])
def test_a_scale_that_cannot_be_is_none(scale):
    assert summarise_grades(record([9, 7], scale=scale)).scale is None


def test_a_decimal_is_drawn_with_the_whole_number_below_it():
    summary = summarise_grades(record([8, 8.5, 8.9, 9, 10, 1]))
    assert {one.name: one.n for one in summary.histogram if one.n} == {"1": 1, "8": 3, "9": 1, "10": 1}
    assert [one.name for one in summary.histogram] == [str(n) for n in range(1, 11)]


def test_a_long_scale_is_drawn_in_tens():
    summary = summarise_grades(record([0, 9, 10, 99, 100], scale={"low": 0, "high": 100}))
    assert {one.name: one.n for one in summary.histogram if one.n} == {
        "0-9": 2,
        "10-19": 1,
        "90-99": 1,
        "100": 1,
    }


def test_expected_scores_are_averaged_beside_the_hard_ones():
    soft = [{"8": 0.5, "6": 0.5}, {"4": 1.0}, {}]
    summary = summarise_grades(record([8, 4, ""], soft=soft))
    assert (summary.expected.value, summary.expected.n) == (pytest.approx((7 + 4 + 1) / 3), 3)
    assert summary.mean.value == pytest.approx(13 / 3)
    p = {one.name: one.p for one in summary.histogram}
    assert (p["4"], p["6"], p["8"], p["10"]) == (0.5, 0.25, 0.25, 0)


def test_without_probabilities_nothing_soft_is_said():
    run = record([8, ""])
    unseen = replace(run, judgments={key: replace(one, mass=None) for key, one in run.judgments.items()})
    summary = summarise_grades(unseen)
    assert (summary.expected.value, summary.expected.method) == (None, "no probabilities")
    assert all(one.p is None for one in summary.histogram)
    followed_too_little = summarise_grades(run).expected
    assert (followed_too_little.value, "too little" in followed_too_little.method) == (None, True)


def test_ends_are_shares_of_the_judges_scores():
    summary = summarise_grades(record([10, 10, 1, 5, ""]))
    assert (summary.at_highest.value, summary.at_lowest.value) == (0.5, 0.25)
    assert summary.most_common.value == 0.5


def test_labels_have_a_share_and_no_mean():
    soft = [{"1": 0.9, "0": 0.1}, {"1": 0.7, "0": 0.3}, {"0": 1.0}, {}]
    summary = summarise_grades(record([1, 1, 0, ""], scale=YES_OR_NO, soft=soft))
    assert (summary.label_share.value, summary.label_share.n) == (0.5, 4)
    assert summary.label_share.method.startswith("Wilson")
    assert summary.label_probability.value == pytest.approx((0.9 + 0.7) / 4)
    assert (summary.mean.value, summary.median.value, summary.expected.value) == (None, None, None)
    assert summary.result is summary.label_share
    assert [(one.name, one.n, one.p) for one in summary.histogram] == [
        ("No", 1, pytest.approx(1.4 / 3)),
        ("Yes", 2, pytest.approx(1.6 / 3)),
    ]


def test_a_run_without_a_score_says_so():
    for cases in ([], ["u", "u"], ["."]):
        summary = summarise_grades(record(cases))
        assert (summary.mean.value, summary.mean.method) == (None, "no scores")
        assert (summary.median.value, summary.most_common.value) == (None, None)


def test_longer_answers_may_have_higher_scores():
    items = [answer(f"q{n}", "x" * n) for n in range(1, 13)]
    rho = summarise_grades(record([n / 2 for n in range(2, 14)], items=items)).length_correlation
    assert (rho.value, rho.n, rho.p_value) == (1, 12, 0)
    assert summarise_grades(record([5, 6])).length_correlation.value is None


def test_a_split_by_category():
    items = [answer(f"q{n}", metadata={"category": name}) for n, name in enumerate("mmcc", 1)]
    splits = summarise_grades(record([2, 4, 9, "u"], items=items)).by_metadata
    assert [(one.name, one.value, one.result.value, one.n_failed) for one in splits] == [
        ("category", "c", 9, 1),
        ("category", "m", 3, 0),
    ]


def test_an_answer_counts_in_each_capability_it_has():
    named = [["rec"], ["rec", "ocr"], [], []]
    items = [answer(f"q{n}", metadata={"capability": names}) for n, names in enumerate(named, 1)]
    splits = summarise_grades(record([2, 4, 9, 9], items=items)).by_metadata
    assert [(one.value, one.result.value, one.result.n) for one in splits] == [("ocr", 4, 1), ("rec", 3, 2)]


def test_categories_of_single_answers_are_no_split():
    items = [answer(f"q{n}", metadata={"category": name}) for n, name in enumerate("abc", 1)]
    assert summarise_grades(record([2, 4, 9], items=items)).by_metadata == ()


@pytest.mark.parametrize("n", [1, 13])
def test_one_category_or_very_many_are_no_split(n):
    items = [answer(f"q{i}", metadata={"category": str(i % n)}) for i in range(1, 14)]
    assert summarise_grades(record([5] * 13, items=items)).by_metadata == ()


def test_a_split_by_reference_where_some_only_have_one():
    items = [answer("q1", reference="r"), answer("q2"), answer("q3", reference="r")]
    summary = summarise_grades(record([2, 4, 6], items=items))
    assert [(one.value, one.result.value) for one in summary.by_reference] == [("with", 4), ("without", 4)]
    items[1] = answer("q2", reference="r")
    assert summarise_grades(record([2, 4, 6], items=items)).by_reference == ()


def test_cautions_with_the_gravest_first():
    run = record([*[9] * 10, "u", "."], model={"demo": True}, prompt={"off_protocol": True})
    assert kinds(summarise_grades(run)) == [
        CautionKind.DEMO_JUDGE,
        CautionKind.PARTIAL,
        CautionKind.OFF_PROTOCOL,
        CautionKind.ONE_SCORE,
        CautionKind.MANY_FAILURES,
        CautionKind.FEW_ITEMS,
    ]


def test_an_ordinary_run_has_no_caution():
    assert kinds(summarise_grades(record(SCORES * 4))) == []


@pytest.mark.parametrize(("n_same", "warned"), [(40, False), (41, True)])
def test_more_than_four_fifths_of_one_score_is_a_caution(n_same, warned):
    summary = summarise_grades(record([*[9] * n_same, *[5] * (50 - n_same)]))
    assert (CautionKind.ONE_SCORE in kinds(summary)) is warned


def test_many_empty_answers_are_a_caution():
    assert CautionKind.WITHOUT_JUDGE in kinds(summarise_grades(record([*SCORES * 4, *[""] * 10])))


def test_a_judge_that_would_write_something_else_is_a_caution():
    run = record(SCORES * 4)
    low = {key: replace(judgment, mass=0.2) for key, judgment in run.judgments.items()}
    assert kinds(summarise_grades(replace(run, judgments=low))) == [CautionKind.LOW_MASS]


def test_items_that_are_missing_in_the_file_are_open():
    counts = summarise_grades(replace(record([5]), n_missing=3)).counts
    assert (counts.n_items, counts.n_open) == (4, 3)


def test_the_mode_finds_the_summary():
    run = record(SCORES)
    assert summarise(run) == summarise_grades(run)


def test_who_answered():
    side = summarise_grades(record([5, ""])).side
    assert (side.model, side.file, side.n_empty) == ("gpt35", "answers/gpt35.jsonl", 1)
