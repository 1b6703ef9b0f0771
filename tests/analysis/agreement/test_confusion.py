"""Agreement from a table of labels and verdicts: the worked example, libraries, and what is not defined."""

import numpy as np
import pytest

from judgecli.analysis.agreement.confusion import (
    NO_CHANCE,
    NO_ITEMS,
    accuracy,
    agreement_of_items,
    decided,
    f1,
    kappa,
    mean_kappa,
    precision,
    recall,
    weighted_kappa,
)
from judgecli.types import Winner
from tests.analysis.compared import from_table, matched, random_letters

pytestmark = pytest.mark.filterwarnings("error")

TABLE = ((50, 4, 11), (10, 8, 12), (9, 6, 70))


@pytest.fixture(scope="module")
def example():
    return agreement_of_items(matched(*from_table(TABLE)))


def table(rows):
    return np.array(rows, dtype=float)


def test_the_table_has_labels_in_rows_and_verdicts_in_columns(example):
    assert example.table == TABLE
    assert example.n == 180


def test_worked_example(example):
    assert example.accuracy.value == pytest.approx(0.7111, abs=5e-5)
    assert example.precision.value == pytest.approx(0.6406, abs=5e-5)
    assert example.recall.value == pytest.approx(0.6198, abs=5e-5)
    assert example.f1.value == pytest.approx(0.6220, abs=5e-5)
    assert example.kappa.value == pytest.approx(0.5193, abs=5e-5)
    assert example.weighted_kappa.value == pytest.approx(0.5870, abs=5e-5)
    assert example.decided.value == pytest.approx(0.8571, abs=5e-5)
    assert example.decided.n == 50 + 11 + 9 + 70


def test_worked_example_class_by_class(example):
    assert [one.winner for one in example.classes] == [Winner.A, Winner.TIE, Winner.B]
    assert [one.precision for one in example.classes] == pytest.approx([0.725, 0.444, 0.753], abs=5e-4)
    assert [one.recall for one in example.classes] == pytest.approx([0.769, 0.267, 0.824], abs=5e-4)
    assert [one.f1 for one in example.classes] == pytest.approx([0.746, 0.333, 0.787], abs=5e-4)
    assert [one.n_labelled for one in example.classes] == [65, 30, 85]
    assert [one.n_judged for one in example.classes] == [69, 18, 93]


def test_kappa_interval_is_near_the_bootstrap_and_the_formula(example):
    assert (example.kappa.low, example.kappa.high) == pytest.approx((0.412, 0.624), abs=0.01)
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    found = inter_rater.cohens_kappa(table(TABLE))
    assert example.kappa.value == pytest.approx(found.kappa)
    assert (example.kappa.low, example.kappa.high) == pytest.approx(
        (found.kappa_low, found.kappa_upp), abs=0.015
    )


def test_accuracy_has_wilsons_interval(example):
    assert (example.accuracy.low, example.accuracy.high) == pytest.approx((0.6411, 0.7725), abs=5e-4)
    assert "Wilson" in example.accuracy.method


def test_prevalence_paradox_the_same_accuracy_and_other_kappas():
    common, even = table(((80, 0, 10), (0, 0, 0), (10, 0, 0))), table(((45, 0, 10), (0, 0, 0), (10, 0, 35)))
    assert accuracy(common) == accuracy(even) == pytest.approx(0.8)
    assert kappa(common) == pytest.approx(-0.111, abs=5e-4)
    assert kappa(even) == pytest.approx(0.596, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_random_tables_equal_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    labelled, judged = random_letters(np.random.default_rng(seed), 60)
    found = agreement_of_items(matched(labelled, judged))
    y, p = list(labelled), list(judged)
    as_numbers = ["ATB".index(one) for one in y], ["ATB".index(one) for one in p]
    macro = {"average": "macro", "zero_division": 0, "labels": sorted(set(y))}
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(y, p))
    assert found.precision.value == pytest.approx(metrics.precision_score(y, p, **macro))
    assert found.recall.value == pytest.approx(metrics.recall_score(y, p, **macro))
    assert found.f1.value == pytest.approx(metrics.f1_score(y, p, **macro))
    assert found.kappa.value == pytest.approx(metrics.cohen_kappa_score(y, p))
    weighted = metrics.cohen_kappa_score(*as_numbers, weights="linear", labels=[0, 1, 2])
    assert found.weighted_kappa.value == pytest.approx(weighted)


def test_many_tables_at_once_are_each_measured_alone():
    tables = np.random.default_rng(0).integers(0, 9, (4, 5, 3, 3)).astype(float)
    for measure in (accuracy, precision, recall, f1, kappa, weighted_kappa, decided):
        assert measure(tables).shape == (4, 5)
        assert measure(tables)[2, 3] == pytest.approx(float(measure(tables[2, 3])))


def test_a_class_judged_but_never_labelled_is_left_out_of_the_means():
    found = agreement_of_items(matched("BABA", "BATA"))
    assert found.precision.value == 1
    assert found.recall.value == pytest.approx((1 + 0.5) / 2)
    assert found.f1.value == pytest.approx((1 + 2 / 3) / 2)
    tie = next(one for one in found.classes if one.winner is Winner.TIE)
    assert (tie.n_labelled, tie.precision, tie.recall, tie.f1) == (0, 0.0, None, None)


def test_a_class_labelled_but_never_judged_counts_as_nothing():
    found = agreement_of_items(matched("ATB", "AAB"))
    assert found.precision.value == pytest.approx((0.5 + 0 + 1) / 3)
    tie = next(one for one in found.classes if one.winner is Winner.TIE)
    assert (tie.n_judged, tie.precision, tie.recall, tie.f1) == (0, None, 0.0, 0.0)


def test_a_class_that_nobody_named_is_not_listed():
    assert [one.winner for one in agreement_of_items(matched("AB", "AB")).classes] == [Winner.A, Winner.B]


def test_one_class_only_has_no_kappa_and_says_why():
    found = agreement_of_items(matched("AAA", "AAA"))
    assert found.accuracy.value == found.f1.value == found.decided.value == 1
    for estimate in (found.kappa, found.weighted_kappa):
        assert (estimate.value, estimate.low, estimate.method) == (None, None, NO_CHANCE)


def test_resamples_without_a_kappa_are_left_out_of_its_interval():
    found = agreement_of_items(matched("AAAAAAAB", "AAAAAAAB"))
    assert found.kappa.value == 1
    assert (found.kappa.low, found.kappa.high) == (None, None)
    assert "no spread" in found.kappa.method


def test_ties_alone_have_no_decided_agreement():
    found = agreement_of_items(matched("TTA", "TBT"))
    assert (found.decided.value, found.decided.n) == (None, 0)


def test_no_items():
    found = agreement_of_items(matched("", ""))
    every = (found.accuracy, found.precision, found.recall, found.f1, found.kappa, found.weighted_kappa)
    assert all(one.value is None and one.n == 0 and one.method == NO_ITEMS for one in every)
    assert found.decided.value is None
    assert found.table == ((0, 0, 0),) * 3
    assert found.classes == ()


def test_repeating_every_item_does_not_narrow_intervals_by_group():
    labelled, judged = random_letters(np.random.default_rng(3), 60)
    groups = [str(number % 60) for number in range(60 * 4)]
    once = agreement_of_items(matched(labelled, judged))
    by_item = agreement_of_items(matched(labelled * 4, judged * 4))
    by_group = agreement_of_items(matched(labelled * 4, judged * 4, groups))
    for name in ("accuracy", "kappa", "f1", "decided"):
        widths = [getattr(one, name).high - getattr(one, name).low for one in (once, by_item, by_group)]
        assert widths[1] < 0.6 * widths[0]
        assert widths[2] == pytest.approx(widths[0], rel=0.15)
    assert "60 groups by topic" in by_group.kappa.method
    assert by_group.kappa.value == pytest.approx(once.kappa.value)


def test_under_eight_groups_there_is_no_interval():
    labelled, judged = random_letters(np.random.default_rng(3), 70)
    found = agreement_of_items(matched(labelled, judged, ["abcdefg"[k % 7] for k in range(70)]))
    assert found.kappa.value is not None
    for name in ("accuracy", "kappa", "f1", "decided"):
        assert getattr(found, name).low is None
        assert "7 groups by topic, at least 8 are needed" in getattr(found, name).method


def test_mean_kappa_leaves_out_tables_without_one():
    tables = np.stack([table(TABLE), np.diag([5.0, 0, 0]), table(TABLE)])
    assert mean_kappa(tables) == pytest.approx(0.5193, abs=5e-5)
    assert np.isnan(mean_kappa(np.zeros((2, 3, 3))))
