"""What changed between two runs."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from judgecli.analysis import compare_runs
from judgecli.analysis.counts import count
from judgecli.analysis.winrate import win_rate
from judgecli.types import CautionKind, RunRecord
from tests.analysis.made_up import Case, pair, record

pytestmark = pytest.mark.filterwarnings("error")
NAMES = ("old", "new")


def compared(first: Sequence[Case], second: Sequence[Case], **changes: object):
    return compare_runs(record(first), record(second, **changes), NAMES)


def test_verdicts_are_counted_from_one_run_to_the_other():
    made = compared(
        ["AA", "AA", "TT", "AB", "BB", "BB", "uu", "BB", "uu", ".."],
        ["AA", "BB", "BB", "TT", "BB", "AA", "BB", "uu", "uu", "BB"],
    )
    assert made.table == ((1, 0, 1), (0, 1, 1), (1, 0, 1))
    assert (made.n_compared, made.n_changed) == (6, 3)
    assert (made.n_only_first, made.n_only_second, made.n_both_failed, made.n_open) == (1, 1, 1, 1)


def test_rates_are_over_the_items_that_have_a_verdict_in_both():
    made = compared(["AA", "BB", "BB", "uu"], ["BB", "BB", "uu", "BB"])
    assert (made.rate_first.value, made.rate_second.value, made.difference.value) == (0.5, 1.0, 0.5)
    assert made.rate_first.n == made.rate_second.n == made.difference.n == 2


def test_the_difference_is_paired_so_that_its_interval_is_narrower_than_two_runs_would_give():
    first = ["BB"] * 60 + ["AA"] * 40
    second = ["BB"] * 66 + ["AA"] * 34
    made = compared(first, second)
    assert made.difference.value == pytest.approx(0.06)
    assert made.difference.low is not None
    assert made.difference.high is not None
    assert made.difference.low > 0  # six moved, all one way
    alone = win_rate(_counts(record(first)))
    assert alone.low is not None
    assert alone.high is not None
    assert made.difference.high - made.difference.low < 0.6 * (alone.high - alone.low)


def _counts(run: RunRecord):
    return count(run, run.verdicts)


def test_agreement_is_that_of_two_raters():
    # by hand: 5 of 8 agree; by chance (4*3 + 0*1 + 4*4) / 64 = 0.4375
    made = compared(
        ["AA", "AA", "AA", "AA", "BB", "BB", "BB", "BB"],
        ["AA", "AA", "TT", "BB", "BB", "BB", "BB", "AA"],
    )
    assert made.agreement.value == 5 / 8
    assert made.kappa.value == pytest.approx((0.625 - 0.4375) / (1 - 0.4375))


def test_kappa_is_what_scikit_learn_says():
    metrics = pytest.importorskip("sklearn.metrics")
    first = ["AA", "BB", "TT", "AA", "BB", "BB", "TT", "AA", "BB"] * 5
    second = ["AA", "BB", "AA", "TT", "BB", "AA", "TT", "AA", "BB"] * 5
    made = compared(first, second)
    assert made.kappa.value == pytest.approx(metrics.cohen_kappa_score(first, second))


def test_items_are_joined_by_id_and_those_of_one_run_only_are_named():
    first, second = record(["BB"] * 4), record(["BB"] * 3, pairs=[pair("q3"), pair("q1"), pair("q9")])
    renamed = tuple(
        replace(one, item_id=item.id) for one, item in zip(second.verdicts, second.items, strict=True)
    )
    made = compare_runs(first, replace(second, verdicts=renamed), NAMES)
    assert [one.second.id for one in made.changes] == ["q3", "q1"]
    assert (made.only_first, made.only_second) == (("q2", "q4"), ("q9",))
    [caution] = [one for one in made.cautions if one.kind is CautionKind.NOT_SHARED]
    assert caution.value == pytest.approx(3 / 5)


def test_answers_that_differ_are_told_from_a_judge_that_differs():
    first = record(["BB"] * 3)
    other = record(["BB"] * 3, pairs=[pair("q1"), pair("q2", b="revised"), pair("q3", a="revised")])
    made = compare_runs(first, other, NAMES)
    assert [(one.same_a, one.same_b, one.same_question) for one in made.changes] == [
        (True, True, True),
        (True, False, True),
        (False, True, True),
    ]
    assert made.same_judge
    assert not made.same_answers
    assert compare_runs(first, record(["BB"] * 3), NAMES).same_answers


def test_both_at_once_are_warned_of():
    first = record(["BB"] * 30)
    other = record(
        ["BB"] * 30, pairs=[pair(f"q{n}", b="revised") for n in range(1, 31)], model={"sha256": "1" * 64}
    )
    made = compare_runs(first, other, NAMES)
    assert [one.kind for one in made.cautions] == [CautionKind.OTHER_JUDGE_AND_ANSWERS]
    assert not made.same_judge


def test_weights_under_another_name_are_the_same_judge():
    assert compared(["BB"], ["BB"], model={"name": "copy-of-judgelm"}).same_judge
    assert not compared(["BB"], ["BB"], prompt={"hash": "another"}).same_judge
    unknown = {"sha256": None, "name": "endpoint-model"}
    assert not compare_runs(
        record(["BB"], model=unknown), record(["BB"], model={**unknown, "name": "x"}), NAMES
    ).same_judge


@pytest.mark.parametrize(("first", "second"), [([], []), (["uu"], ["BB"]), ([".."], ["BB"])])
def test_with_nothing_to_compare_every_value_is_absent_with_a_reason(first, second):
    made = compared(first, second)
    for one in (made.rate_first, made.rate_second, made.difference, made.agreement, made.kappa):
        assert one.value is None
        assert one.method
    assert "label" not in made.agreement.method + made.kappa.method


def test_verdicts_of_one_kind_have_no_agreement_beyond_chance():
    made = compared(["BB"] * 5, ["BB"] * 5)
    assert made.kappa.value is None
    assert made.kappa.method.startswith("the verdicts of both runs are all the same")
