"""How the scores of a run that grades go with labelled scores."""

import numpy as np
import pytest

from judgecli.analysis import summarise_agreement
from judgecli.errors import DataError
from judgecli.types import CautionKind, Failure, ItemLabel, LabelKind, LabelSource
from tests.analysis.graded import record
from tests.analysis.labelled import labels

pytestmark = pytest.mark.filterwarnings("error")

HUMAN = [9, 8, 7, 7, 5, 4, 8, 6, 3, 10]
JUDGE = [8, 8, 7, 6, 6, 3, 9, 6, 4, 9]


def scored(scores, **more):
    by_item = {
        f"q{k}": ItemLabel(item_id=f"q{k}", score=score, metadata={"topic": k // 3})
        for k, score in enumerate(scores, 1)
    }
    return labels(by_item, kind=LabelKind.SCORES, **more)


def rated(rows, names="xy"):
    by_item = {}
    for k, row in enumerate(rows, 1):
        given = {name: score for name, score in zip(names, row, strict=True) if score is not None}
        by_item[f"q{k}"] = ItemLabel(
            item_id=f"q{k}", score=float(np.mean(list(given.values()))), scores=given
        )
    return labels(by_item, kind=LabelKind.SCORES, source=LabelSource.MEAN, annotators=tuple(names))


def agree(record, given, **more):
    return summarise_agreement(record, given, **more)


def test_worked_example():
    scores = agree(record(JUDGE), scored(HUMAN)).scores
    assert scores.pearson.value == pytest.approx(0.9185, abs=5e-5)
    assert scores.spearman.value == pytest.approx(0.9255, abs=5e-5)
    assert scores.kendall.value == pytest.approx(0.8198, abs=5e-5)
    assert scores.kendall.low < 0.8198 < scores.kendall.high


def test_nothing_is_said_of_winners():
    summary = agree(record(JUDGE), scored(HUMAN))
    assert (summary.agreement, summary.by_order, summary.position, summary.baselines) == (
        None,
        None,
        None,
        (),
    )
    assert summary.kind is LabelKind.SCORES


def test_failures_and_open_items_are_no_scores():
    summary = agree(record([8, "u", ".", 6, 7]), scored([9, 8, 7, 5]))
    compared = summary.compared
    assert (compared.n, compared.n_without_verdict, compared.n_unlabelled) == (2, 1, 1)
    assert compared.failures == {Failure.UNREADABLE: 1}
    assert summary.scores.pearson.value is None
    assert CautionKind.MANY_FAILURES in [one.kind for one in summary.cautions]


def test_an_empty_answer_counts_with_the_lowest_score():
    empty = agree(record([8, "", 6, 9]), scored([8, 2, 5, 9])).scores
    assert empty.pearson.value == pytest.approx(np.corrcoef([8, 1, 6, 9], [8, 2, 5, 9])[0, 1])


def test_annotators_of_scores_have_alpha_interval():
    evalica, pandas = pytest.importorskip("evalica"), pytest.importorskip("pandas")
    rows = [(9, 8), (4, 5), (7, None), (2, 2), (6, 3)]
    people = agree(record([8, 5, "u", 1, 6]), rated(rows)).annotators
    known = np.array([[np.nan if score is None else score for score in row] for row in rows]).T
    assert people.n == 2
    assert people.kappa.value is None
    assert people.alpha.value == pytest.approx(
        evalica.alpha(pandas.DataFrame(known), distance="interval").alpha
    )
    with_judge = np.vstack([known, [8, 5, np.nan, 1, 6]])
    assert people.alpha_with_judge.value == pytest.approx(
        evalica.alpha(pandas.DataFrame(with_judge), distance="interval").alpha
    )


def test_groups():
    summary = agree(record(JUDGE * 3), scored(HUMAN * 3), group="topic")
    assert (summary.compared.unit, summary.compared.n_units) == ("topic", 11)
    assert "11 groups by topic" in summary.scores.pearson.method


def test_shared_instructions():
    # Every made-up answer is to the same question.
    cautions = agree(record(JUDGE), scored(HUMAN)).cautions
    assert [one.value for one in cautions if one.kind is CautionKind.SHARED_INSTRUCTIONS] == [1]


def test_a_split_of_scores_is_refused():
    with pytest.raises(DataError, match="--by topic"):
        agree(record(JUDGE), scored(HUMAN), by="topic")


def test_nothing_in_common():
    with pytest.raises(DataError, match="judged yet"):
        agree(record([".", "."]), scored([1, 2]))
    with pytest.raises(DataError, match="its one label is not"):
        agree(record([8]), labels({"p": ItemLabel(item_id="p", score=1.0)}, kind=LabelKind.SCORES))


@pytest.mark.parametrize(
    ("judge", "is_warned"),
    [(JUDGE, False), ([8, 3, 9, 5, 6, 7, 4, 8, 6, 5], True), ([1, 2, 3, 3, 5, 6, 2, 4, 7, 1], True)],
)
def test_scores_that_are_not_shown_to_go_with_peoples_are_a_caution(judge, is_warned):
    summary = agree(record(judge), scored(HUMAN))
    warned = [one for one in summary.cautions if one.kind is CautionKind.NOT_CORRELATED]
    assert [one.value for one in warned] == [summary.scores.spearman.value] * is_warned


def test_scores_without_a_correlation_are_no_caution():
    summary = agree(record([7] * 10), scored(HUMAN))
    assert summary.scores.spearman.value is None
    assert CautionKind.NOT_CORRELATED not in [one.kind for one in summary.cautions]


def test_a_correlation_over_few_groups_shows_nothing():
    summary = agree(record(JUDGE), scored(HUMAN), group="topic")
    assert summary.compared.no_interval == "no interval: 4 groups by topic, at least 8 are needed"
    assert CautionKind.NOT_CORRELATED in [one.kind for one in summary.cautions]
