"""What is said of a run and labels: failures, orders, seats, lengths, parts, annotators, and cautions."""

import time
from dataclasses import replace

import numpy as np
import pytest

from judgecli.analysis import summarise_agreement
from judgecli.errors import DataError
from judgecli.types import (
    BOTH_ORDERS,
    CautionKind,
    DecidedBy,
    Failure,
    LabelKind,
    Order,
    Verdict,
    Winner,
)
from tests.analysis import graded, ranked
from tests.analysis.compared import asked, from_table, random_letters, rated, run, winners
from tests.analysis.labelled import labels
from tests.analysis.made_up import cases_of, judgments, record

pytestmark = pytest.mark.filterwarnings("error")

SEATS = ((60, 6, 24), (4, 20, 6), (14, 4, 62))


def agree(record, given, **more):
    return summarise_agreement(record, given, **more)


def kinds(summary):
    return [caution.kind for caution in summary.cautions]


# What was compared.


def test_every_label_and_every_verdict_is_counted_once():
    summary = agree(run("ABu.TA"), winners("AA?AT.BB"))
    compared = summary.compared
    assert compared.n == 3  # q1, q2, q5
    assert (compared.n_unlabelled, compared.n_undecided) == (1, 1)  # q6; q3
    assert (compared.n_without_verdict, compared.n_not_in_run) == (1, 2)  # q4; q7, q8
    assert compared.failures == {}


def test_a_failure_counts_where_there_is_a_label():
    compared = agree(run("Auul"), winners("AB.B")).compared
    assert compared.failures == {Failure.UNREADABLE: 1, Failure.TOO_LONG: 1}
    assert compared.n_failed == 2
    assert compared.n_unlabelled == 1


def test_the_unit_is_named():
    assert agree(run("AB"), winners("AB")).compared.unit == "item"
    given = winners("ABT", metadata=[{"topic": "x"}, {"topic": "y"}, {"topic": "x"}])
    compared = agree(run("ABT"), given, group="topic").compared
    assert (compared.unit, compared.n_units, compared.n) == ("topic", 2, 3)


def test_labels_are_named():
    summary = agree(run("AB"), winners("AB", notes=("a note",)))
    assert (summary.labels_file, summary.kind, summary.notes) == (
        "labels.jsonl",
        LabelKind.WINNERS,
        ("a note",),
    )


# Failures.


def test_a_failure_is_no_verdict_and_what_it_would_make_stands_beside():
    summary = agree(run("AABBuu"), winners("AABATB"))
    assert summary.agreement.accuracy.value == 3 / 4
    assert summary.failures_as_ties.n == 6
    assert summary.failures_as_ties.accuracy.value == pytest.approx(4 / 6)
    assert summary.failures_wrong.value == pytest.approx(3 / 6)
    assert not summary.leads_with_ties


def test_the_reader_may_ask_for_failures_as_ties_to_lead():
    summary = agree(run("AABu"), winners("AABT"), failures_as_ties=True)
    assert summary.leads_with_ties
    assert summary.agreement.n == 3


def test_without_failures_there_is_nothing_beside():
    summary = agree(run("AB"), winners("AB"), failures_as_ties=True)
    assert (summary.failures_as_ties, summary.failures_wrong, summary.leads_with_ties) == (None, None, False)


def test_all_failures():
    summary = agree(run("uuu"), winners("ABT"))
    assert summary.agreement.n == 0
    assert summary.agreement.accuracy.value is None
    assert summary.failures_as_ties.accuracy.value == pytest.approx(1 / 3)
    assert summary.failures_wrong.value == 0
    assert CautionKind.MANY_FAILURES in kinds(summary)


# Rules.


def test_verdicts_by_rule_agree_like_others_and_say_nothing_of_seats():
    cases = ["AA", "BB", DecidedBy.EQUAL, DecidedBy.EMPTY_A]
    summary = agree(record(cases, pairs=asked(4)), winners("AATB"))
    assert summary.agreement.n == 4
    assert summary.agreement.accuracy.value == 3 / 4
    assert summary.by_order.mean.n == 2
    assert summary.position.consistency.n == 2
    assert summary.lengths.judge_longer.n == 2


# Orders and seats.


def test_by_order():
    # Right in both orders, in AB only, in BA only, in neither.
    summary = agree(record(["AA", "AB", "BA", "BB"], pairs=asked(4)), winners("AAAA"))
    ab, ba = (summary.by_order.orders[order] for order in BOTH_ORDERS)
    assert ab.table[0] == (2, 0, 2) == ba.table[0]
    assert summary.by_order.mean.value == 1 / 2
    assert summary.by_order.both_right.value == 1 / 4
    assert summary.agreement.table[0] == (1, 2, 1)


def test_orders_are_compared_over_items_read_in_both():
    known = record(["AA", "BB", "AA"], pairs=asked(3))
    one_only = {key: one for key, one in known.judgments.items() if key != ("q3", Order.BA)}
    summary = agree(replace(known, judgments=one_only), winners("AAA"))
    assert summary.agreement.n == 3
    assert summary.by_order.mean.n == 2


def test_one_order_has_no_agreement_by_order():
    known = run("AB", orders="ab")
    ab = {key: one for key, one in known.judgments.items() if key[1] == Order.AB}
    summary = agree(replace(known, judgments=ab), winners("AB"))
    assert summary.by_order is None
    assert summary.position.consistency.value is None
    assert CautionKind.ONE_ORDER in kinds(summary)


def test_verdicts_made_elsewhere_have_no_orders_and_no_seats():
    summary = agree(replace(run("AB"), judgments={}), winners("AB"))
    assert (summary.by_order, summary.position) == (None, None)


def test_worked_example_of_the_seats():
    summary = agree(record(cases_of(SEATS), pairs=asked(200)), winners("A" * 100 + "B" * 100))
    assert summary.position.table == SEATS
    assert summary.position.consistency.value == pytest.approx(0.71)
    assert summary.position.lean.value == pytest.approx(0.07)
    assert CautionKind.LOW_CONSISTENCY not in kinds(summary)


def test_seats_are_those_of_compared_items():
    summary = agree(record(["AA", "AB", "AB"], pairs=asked(3)), winners("A.B"))
    assert summary.position.consistency.n == 2


# Lengths.


def test_length_effect():
    # B is the longer one: the judge is for it on 4 of 5, the labels on 2.
    summary = agree(run("BBBBA" + "TB"), winners("BBAAA" + "BT"))
    effect = summary.lengths
    assert (effect.judge_longer.value, effect.judge_longer.n) == (4 / 5, 5)
    assert effect.labels_longer.value == 2 / 5
    assert (effect.when_longer_right.value, effect.when_longer_right.n) == (1, 2)
    assert effect.when_shorter_right.value == pytest.approx(1 / 3)


def test_equal_lengths_say_nothing_of_length():
    effect = agree(run("AB", pairs=asked(2, a="same", b="size")), winners("AB")).lengths
    assert effect.judge_longer.value is None
    assert effect.when_shorter_right.n == 0


def test_without_answers_there_is_no_length_effect():
    pairs = [replace(pair, responses=()) for pair in asked(2)]
    assert agree(run("AB", pairs=pairs), winners("AB")).lengths is None


# Parts.


def test_splits_by_a_field():
    given = winners("ABAB", metadata=[{"part": name} for name in ("y", "x", "x", "y")])
    summary = agree(run("AABB"), given, by="part")
    assert summary.splits_by == "part"
    assert [(one.name, one.agreement.n, one.agreement.accuracy.value) for one in summary.splits] == [
        ("x", 2, 0.0),
        ("y", 2, 1.0),
    ]


def test_the_largest_part_comes_first():
    given = winners("ABABA", metadata=[{"part": name} for name in ("a", "b", "b", "c", "b")])
    summary = agree(run("AABBA"), given, by="part")
    assert [(one.name, one.agreement.n) for one in summary.splits] == [("b", 3), ("a", 1), ("c", 1)]


def test_what_was_asked_is_a_part_that_can_be_read():
    one, two = asked(2)
    pairs = [replace(one, instruction="Translate.", input="Hund"), two]
    summary = agree(run("AB", pairs=pairs), winners("AB"), by="instruction")
    assert [one.name for one in summary.splits] == ["Translate.\n\nHund", "Why 2?"]


def test_few_groups_have_no_interval_and_say_why():
    given = winners("AB" * 10, metadata=[{"topic": k % 4} for k in range(20)])
    compared = agree(run("AB" * 10), given, group="topic").compared
    assert (compared.n_units, compared.unit) == (4, "topic")
    assert compared.no_interval == "no interval: 4 groups by topic, at least 8 are needed"
    assert agree(run("AB" * 10), given).compared.no_interval is None


def test_no_splits_unless_asked():
    summary = agree(run("AB"), winners("AB"))
    assert (summary.splits_by, summary.splits) == (None, ())


def test_a_field_that_is_not_there():
    with pytest.raises(DataError, match="--by part: item 'q1' has no such field"):
        agree(run("AB"), winners("AB"), by="part")


def cascade(first, second):
    """A run of two judges: letters of the first, and of the second on items handed on, else `-`."""
    own = run(first)
    verdicts, escalated = [], {}
    for verdict, letter in zip(own.verdicts, second, strict=True):
        if letter == "-":
            verdicts.append(replace(verdict, judge="small"))
            continue
        escalated |= judgments(verdict.item_id, letter * 2)
        winner = {"A": Winner.A, "B": Winner.B, "T": Winner.TIE}.get(letter)
        failure = None if winner else Failure.UNREADABLE
        item_id = verdict.item_id
        verdicts.append(
            Verdict(item_id=item_id, winner=winner, failure=failure, judge="large", is_doubtful=True)
        )
    first_verdicts = {one.item_id: replace(one, judge="small") for one in own.verdicts}
    return replace(own, verdicts=tuple(verdicts), escalated=escalated, first_verdicts=first_verdicts)


def test_each_stage_and_what_the_first_judge_had_said():
    summary = agree(cascade("ABBAB", "--AB" + "u"), winners("AABBA"))
    small, large = summary.stages
    assert (small.name, small.agreement.n, small.agreement.accuracy.value) == ("small", 2, 0.5)
    assert small.before is None
    assert (large.name, large.agreement.n, large.agreement.accuracy.value) == ("large", 2, 0.5)
    assert large.before.table == ((0, 0, 0), (0, 0, 0), (1, 0, 1))
    assert summary.agreement.n == 4


def test_a_stage_without_verdicts_still_has_its_judges_name():
    header = {"model": {"name": "small"}, "escalation": {"model": {"name": "large"}}}
    made = cascade("ABBA", "-u-u")
    made = replace(made, header={**made.header, **header})
    small, large = agree(made, winners("AABB")).stages
    assert [(one.name, one.agreement.n) for one in (small, large)] == [("small", 2), ("large", 0)]


def handed_on_and_open(order_dependent):
    """A cascade whose order-dependent pairs were handed on; on these the stronger judge failed."""
    own = record(["AB" if k in order_dependent else "AA" for k in range(10)], pairs=asked(10))
    first = {one.item_id: replace(one, is_doubtful=one.order_dependent) for one in own.verdicts}
    final = [
        Verdict(item_id=one.item_id, failure=Failure.ENGINE, is_doubtful=True) if one.is_doubtful else one
        for one in first.values()
    ]
    return replace(own, verdicts=tuple(final), first_verdicts=first)


def test_seats_and_orders_of_a_cascade_are_the_first_judges_over_all_it_judged():
    summary = agree(handed_on_and_open({1, 4, 6}), winners("A" * 10))
    assert (summary.agreement.n, summary.agreement.accuracy.value) == (7, 1)
    assert (summary.position.consistency.value, summary.position.consistency.n) == (0.7, 10)
    assert summary.position.prefers_first.value == 0.3
    assert (summary.by_order.mean.n, summary.by_order.orders[Order.BA].accuracy.value) == (10, 0.7)
    assert summary.by_order.both_right.value == 0.7


def test_what_a_stronger_judge_settled_does_not_depend_on_the_order():
    handed = handed_on_and_open(range(8))
    assert CautionKind.LOW_CONSISTENCY not in kinds(agree(handed, winners("A" * 10)))
    alone = replace(handed, verdicts=tuple(handed.first_verdicts.values()), first_verdicts={})
    assert CautionKind.LOW_CONSISTENCY in kinds(agree(alone, winners("A" * 10)))


def test_one_judge_has_no_stages():
    assert agree(run("AB"), winners("AB")).stages == ()


# Annotators.


def test_annotators_and_the_judge_as_one_of_them():
    metrics = pytest.importorskip("sklearn.metrics")
    rows = ["AAA", "AAB", "BBB", "TTB", "BBA", "ABT", "ABB", "TTT"]
    summary = agree(run("AABTBATB"), rated(rows))
    people = summary.annotators
    expected = [
        metrics.cohen_kappa_score([row[i] for row in rows], [row[j] for row in rows])
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    assert people.n == 3
    assert people.kappa.value == pytest.approx(np.mean(expected))
    assert people.kappa.n == people.alpha.n == 8  # the item without a majority too
    assert summary.agreement.n == 7
    evalica, pandas = pytest.importorskip("evalica"), pytest.importorskip("pandas")
    codes = [["ATB".index(letter) for letter in row] for row in rows]
    assert people.alpha.value == pytest.approx(
        evalica.alpha(pandas.DataFrame(np.array(codes).T), distance="nominal").alpha
    )
    with_judge = [[*row, "ATB".index(own)] for row, own in zip(codes, "AABTBATB", strict=True)]
    assert people.alpha_with_judge.value == pytest.approx(
        evalica.alpha(pandas.DataFrame(np.array(with_judge).T), distance="nominal").alpha
    )


def test_annotators_of_items_on_which_the_judge_failed_count():
    whole = agree(run("ABBA"), rated(["AAB", "BBB", "ABB", "ABA"])).annotators
    failed = agree(run("ABuu"), rated(["AAB", "BBB", "ABB", "ABA"])).annotators
    assert failed.alpha.value == whole.alpha.value
    assert failed.alpha_with_judge.n == 4
    assert failed.alpha_with_judge.value != whole.alpha_with_judge.value


def test_one_annotator_cannot_agree():
    people = agree(run("AB"), winners("AB")).annotators
    assert (people.n, people.kappa.value, people.alpha.value, people.alpha_with_judge.value) == (
        0,
        None,
        None,
        None,
    )
    assert people.alpha.method == "fewer than two annotators"


def test_annotators_who_share_no_item():
    people = agree(run("AB"), rated(["A..", ".B."])).annotators
    assert (people.kappa.value, people.alpha.value) == (None, None)
    assert people.alpha_with_judge.value is not None


def test_many_annotators_have_a_kappa_and_no_interval():
    names = "abcdefghijklm"
    draw = np.random.default_rng(0)
    rows = ["".join(draw.choice(list("AAB"), len(names))) for _ in range(30)]
    people = agree(run("AB" * 15), rated(rows, names)).annotators
    assert people.kappa.value is not None
    assert people.kappa.low is None
    assert "too many annotators" in people.kappa.method
    assert people.alpha.low is not None


# Cautions.


def test_a_good_run_has_none():
    labelled = "ABT" * 20
    assert kinds(agree(run(labelled), winners(labelled))) == []


def test_demo_judge_and_open_items():
    labelled = "ABT" * 20
    summary = agree(run(labelled[:-1] + ".", model={"demo": True}), winners(labelled))
    assert kinds(summary) == [CautionKind.DEMO_JUDGE, CautionKind.PARTIAL]


def test_low_consistency():
    summary = agree(record(["AB"] * 30 + ["AA"] * 30, pairs=asked(60)), winners("TA" * 30))
    assert CautionKind.LOW_CONSISTENCY in kinds(summary)


def test_few_items_or_few_labels():
    letters = "ABT" * 20
    few_labels = agree(run(letters), winners(letters[:29]))
    assert CautionKind.FEW_LABELS in kinds(few_labels)
    few_items = agree(run(letters[:29]), winners(letters))
    assert CautionKind.FEW_ITEMS in kinds(few_items)
    assert [(one.value, one.limit) for one in few_items.cautions if one.kind is CautionKind.FEW_ITEMS] == [
        (29, 30)
    ]


def test_shared_instructions_unless_grouped():
    letters = "ABT" * 20
    pairs = [replace(pair, instruction=f"Why {k % 20}?") for k, pair in enumerate(asked(60))]
    alone = agree(run(letters, pairs=pairs), winners(letters))
    assert [(one.kind, one.value) for one in alone.cautions] == [(CautionKind.SHARED_INSTRUCTIONS, 20)]
    grouped = agree(run(letters, pairs=pairs), winners(letters), group="instruction")
    assert CautionKind.SHARED_INSTRUCTIONS not in kinds(grouped)


# What cannot be compared.


def test_a_ranking_is_refused():
    with pytest.raises(DataError, match="a ranking"):
        agree(ranked.by_pairs({"AB": ["AA"]}), winners("A"))


def test_labels_of_the_other_kind_are_refused():
    with pytest.raises(DataError, match="labels with scores"):
        agree(graded.record([8, 9]), winners("AB"))
    with pytest.raises(DataError, match="labels with winners"):
        agree(run("AB"), labels({}, kind=LabelKind.SCORES))


def test_nothing_in_common():
    with pytest.raises(DataError, match=r"its one label is not .* 'q3' there and 'q1' in the run"):
        agree(run("AB"), winners("..A"))
    with pytest.raises(DataError, match="judged yet"):
        agree(run(".."), winners("AB"))
    with pytest.raises(DataError, match="no majority"):
        agree(run("AB"), winners("??"))
    with pytest.raises(DataError, match="none of its 0 labels"):
        agree(run("AB"), winners(""))


def test_a_thousand_items_take_about_a_second():
    labelled, judged = random_letters(np.random.default_rng(0), 1000)
    known, given = run(judged), winners(labelled)
    agree(run("AB"), winners("AB"))  # imports
    began = time.process_time()
    agree(known, given)
    assert time.process_time() - began < 4


def test_worked_example_from_a_run():
    labelled, judged = from_table(((50, 4, 11), (10, 8, 12), (9, 6, 70)))
    found = agree(run(judged), winners(labelled)).agreement
    assert found.kappa.value == pytest.approx(0.5193, abs=5e-5)
