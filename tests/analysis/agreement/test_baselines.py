"""Judges that read nothing, and the advantage over them."""

from dataclasses import replace

import pytest

from judgecli.analysis.agreement.summary import agreement_of
from judgecli.analysis.intervals import tango_interval, wilson_interval
from judgecli.types import BaselineKind, CautionKind, Order
from tests.analysis.compared import asked, run, winners

pytestmark = pytest.mark.filterwarnings("error")


def beside(labelled, judged, *, group=None, **changes):
    labels = winners(labelled, metadata=[{"topic": str(k // 7)} for k in range(len(labelled))])
    return agreement_of(run(judged, **changes), labels, group=group)


def named(summary):
    return {one.kind: one for one in summary.baselines}


def not_better_than(summary):
    return {one.name for one in summary.cautions if one.kind is CautionKind.NOT_BETTER}


def test_longer_wins_counts_characters_and_ties_where_they_are_equal():
    pairs = [*asked(2), *asked(4, a="same", b="size")[2:]]  # of the first two, B's is longer
    found = named(beside("BATB", "BBBB", pairs=pairs))[BaselineKind.LONGER]
    assert found.accuracy.value == 2 / 4
    assert found.advantage.value == pytest.approx(2 / 4 - 2 / 4)


def test_the_first_seat_is_right_in_one_of_two_orders_and_never_on_a_tie():
    found = named(beside("ABABT", "ABABT"))[BaselineKind.FIRST_SEAT]
    assert found.accuracy.value == pytest.approx(4 * 0.5 / 5)
    assert found.advantage.value == pytest.approx(1 - 0.4)


def test_where_one_order_was_judged_the_first_seat_is_a():
    found = named(beside("AABT", "ABBT", orders="ab"))[BaselineKind.FIRST_SEAT]
    assert found.accuracy.value == 2 / 4
    assert found.advantage.value == pytest.approx(3 / 4 - 2 / 4)


def test_where_b_was_shown_first_the_first_seat_is_b():
    summary = beside("ABBT", "ABBT", orders="ba")
    assert named(summary)[BaselineKind.FIRST_SEAT].accuracy.value == 2 / 4
    assert CautionKind.ONE_ORDER in [one.kind for one in summary.cautions]


def test_where_each_pair_has_an_order_of_its_own_the_first_seat_is_the_pairs():
    known = run("AABB", orders="one")
    orders = {"q1": Order.AB, "q2": Order.BA, "q3": Order.BA, "q4": Order.AB}
    drawn = replace(
        known, judgments={key: one for key, one in known.judgments.items() if orders[key[0]] == key[1]}
    )
    summary = agreement_of(drawn, winners("AABT"))
    assert named(summary)[BaselineKind.FIRST_SEAT].accuracy.value == 2 / 4  # q1, where A sat first; q3, B
    assert summary.position.consistency.method == "not measured (one order)"
    assert CautionKind.ONE_ORDER in [one.kind for one in summary.cautions]


def test_answers_graded_alone_have_no_seats():
    assert BaselineKind.FIRST_SEAT not in named(beside("AB", "AB", prompt={"n_seats": 1}))


def test_majority_class():
    found = named(beside("BBBAT", "BBAAT"))[BaselineKind.MAJORITY]
    assert found.accuracy.value == 3 / 5
    assert (found.accuracy.low, found.accuracy.high) == wilson_interval(3, 5)
    assert found.advantage.value == pytest.approx(4 / 5 - 3 / 5)


def test_the_majority_is_left_out_where_one_label_says_it_all():
    assert BaselineKind.MAJORITY in named(beside("A" * 95 + "B" * 5, "A" * 100))
    assert BaselineKind.MAJORITY not in named(beside("A" * 96 + "B" * 4, "A" * 100))


def test_items_without_answers_have_no_longer_one():
    pairs = [replace(pair, responses=()) for pair in asked(2)]
    kinds = named(beside("AB", "AB", pairs=pairs))
    assert set(kinds) == {BaselineKind.FIRST_SEAT, BaselineKind.MAJORITY}


def test_the_advantage_pairs_item_by_item():
    # B's is always longer: judge and baseline differ where the label is A.
    found = named(beside("B" * 60 + "A" * 40, "B" * 50 + "A" * 50))[BaselineKind.LONGER]
    assert found.advantage.value == pytest.approx(0.9 - 0.6)
    assert (found.advantage.low, found.advantage.high) == tango_interval(40, 10, 100)


def test_a_judge_that_follows_length_is_not_better_than_length():
    summary = beside("B" * 60 + "A" * 40, "B" * 100)
    assert not_better_than(summary) == {"longer wins", "majority class"}
    caution = next(one for one in summary.cautions if one.name == "longer wins")
    assert caution.value == pytest.approx(0.6)


def test_a_good_judge_is_better_than_all():
    labelled = "BAT" * 40
    assert not_better_than(beside(labelled, labelled)) == set()
    assert not_better_than(beside(labelled, labelled, group="topic")) == set()


def test_by_group_the_advantage_has_an_interval_over_groups():
    found = named(beside("BBAABTABAB" * 10, "BBABBTABAA" * 10, group="topic"))
    assert all("15 groups by topic" in one.advantage.method for one in found.values())


def test_without_items_there_are_none():
    summary = beside("A", "u")
    assert summary.baselines == ()
    assert not_better_than(summary) == set()
