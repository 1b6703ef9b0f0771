"""Both orders make one verdict; some pairs need no judge."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.types import DecidedBy, Failure, Judgment, Order, Verdict, Winner
from judgecli.verdicts import decide_without_judge, merge_orders, verdict_by_rule
from tests.made_up import make_pair
from tests.verdicts.made_up import judgment

BOTH = (Order.AB, Order.BA)
A, B, TIE, FAILED = Winner.A, Winner.B, Winner.TIE, None

# What each order says, and what that makes: the winner and whether it depends on the order.
TABLE = {
    (A, A): (A, False),
    (A, TIE): (TIE, True),
    (A, B): (TIE, True),
    (A, FAILED): (FAILED, False),
    (TIE, A): (TIE, True),
    (TIE, TIE): (TIE, False),
    (TIE, B): (TIE, True),
    (TIE, FAILED): (FAILED, False),
    (B, A): (TIE, True),
    (B, TIE): (TIE, True),
    (B, B): (B, False),
    (B, FAILED): (FAILED, False),
    (FAILED, A): (FAILED, False),
    (FAILED, TIE): (FAILED, False),
    (FAILED, B): (FAILED, False),
    (FAILED, FAILED): (FAILED, False),
}


def said(winner: Winner | None, order: Order, **more: float) -> Judgment:
    if winner is None:
        return judgment(None, order, failure=Failure.UNREADABLE, detail=f"no scores in {order}")
    return judgment(winner, order, **more)


def merged(*judgments: Judgment, orders: tuple[Order, ...] = BOTH) -> Verdict:
    return merge_orders(make_pair(), {one.order: one for one in judgments}, orders)


def test_the_table_is_whole() -> None:
    assert set(TABLE) == set(itertools.product([A, TIE, B, FAILED], repeat=2))


@pytest.mark.parametrize(("ab", "ba"), TABLE)
def test_two_orders(ab: Winner | None, ba: Winner | None) -> None:
    verdict = merged(said(ab, Order.AB), said(ba, Order.BA))
    assert (verdict.winner, verdict.order_dependent) == TABLE[ab, ba]
    assert verdict.failure is (Failure.UNREADABLE if FAILED in {ab, ba} else None)
    assert verdict.decided_by is DecidedBy.JUDGE


def test_a_failed_pair_says_why_and_has_no_numbers() -> None:
    verdict = merged(said(A, Order.AB, score_a=8, score_b=6, p_a=0.9), said(FAILED, Order.BA))
    assert (verdict.failure, verdict.detail) == (Failure.UNREADABLE, "no scores in BA")
    assert (verdict.score_a, verdict.p_a, verdict.confidence) == (None, None, None)


@pytest.mark.parametrize("known", [A, TIE, B])
def test_a_pair_is_open_until_both_orders_are_judged(known: Winner) -> None:
    for verdict in (merged(said(known, Order.BA)), merged()):
        assert (verdict.winner, verdict.failure, verdict.order_dependent) == (None, None, False)


def test_one_failed_order_is_a_failure_before_the_other_is_judged() -> None:
    assert merged(said(FAILED, Order.BA)).failure is Failure.UNREADABLE


@pytest.mark.parametrize("winner", [A, TIE, B])
def test_one_order_only(winner: Winner) -> None:
    numbers = {"p_a": 0.25, "p_tie": 0.25, "p_b": 0.5, "score_a": 7.0, "score_b": 8.0}
    verdict = merged(said(winner, Order.AB, **numbers), orders=(Order.AB,))
    assert (verdict.winner, verdict.order_dependent) == (winner, False)
    assert (verdict.p_b, verdict.score_b) == (0.5, 8.0)


def test_numbers_are_means_over_the_orders() -> None:
    ab = said(B, Order.AB, p_a=0.1, p_tie=0.2, p_b=0.7, score_a=6, score_b=8)
    ba = said(B, Order.BA, p_a=0.3, p_tie=0.2, p_b=0.5, score_a=7, score_b=7.5)
    verdict = merged(ab, ba)
    assert (verdict.p_a, verdict.p_tie, verdict.p_b) == pytest.approx((0.2, 0.2, 0.6))
    assert (verdict.score_a, verdict.score_b) == (6.5, 7.75)
    assert verdict.confidence == pytest.approx(0.6)


def test_confidence_is_the_probability_of_what_is_reported() -> None:
    ab = said(A, Order.AB, p_a=0.9, p_tie=0.05, p_b=0.05)
    ba = said(B, Order.BA, p_a=0.1, p_tie=0.05, p_b=0.85)
    verdict = merged(ab, ba)
    assert (verdict.winner, verdict.order_dependent) == (TIE, True)
    assert verdict.confidence == verdict.p_tie == pytest.approx(0.05)


def test_a_number_that_one_order_lacks_is_none() -> None:
    verdict = merged(said(A, Order.AB, p_a=0.9, score_a=8), said(A, Order.BA, score_a=6))
    assert (verdict.p_a, verdict.confidence, verdict.score_a, verdict.score_b) == (None, None, 7, None)


def test_flags_of_the_pair_and_both_orders_come_once_each() -> None:
    ab = replace(said(A, Order.AB), flags=("altered", "reasons cut"))
    ba = replace(said(A, Order.BA), flags=("altered",))
    verdict = merge_orders(make_pair(flags=("cut",)), {Order.AB: ab, Order.BA: ba}, BOTH)
    assert verdict.flags == ("cut", "altered", "reasons cut")


winners = st.sampled_from([A, B, TIE, FAILED])
shares = st.floats(0, 1)


@given(winners, winners, shares, shares)
def test_exchanging_the_files_mirrors_the_verdict(
    ab: Winner | None, ba: Winner | None, p_ab: float, p_ba: float
) -> None:
    one = merged(said(ab, Order.AB, p_a=p_ab, p_b=p_ba), said(ba, Order.BA, p_a=p_ba, p_b=p_ab))
    swapped_ab, swapped_ba = (winner and winner.swapped() for winner in (ba, ab))
    other = merged(
        said(swapped_ab, Order.AB, p_a=p_ab, p_b=p_ba), said(swapped_ba, Order.BA, p_a=p_ba, p_b=p_ab)
    )
    assert other.winner == (one.winner and one.winner.swapped())
    assert (other.p_a, other.p_b) == (one.p_b, one.p_a)
    assert (other.failure, other.order_dependent) == (one.failure, one.order_dependent)


@pytest.mark.parametrize(
    ("a", "b", "decided_by", "winner"),
    [
        ("same", "same", DecidedBy.EQUAL, TIE),
        ("same\n", "  same", DecidedBy.EQUAL, TIE),
        ("", "text", DecidedBy.EMPTY_A, B),
        ("text", " \n", DecidedBy.EMPTY_B, A),
        ("<think>hm</think>", "text", DecidedBy.EMPTY_A, B),
        ("text", "<think>never closed", DecidedBy.EMPTY_B, A),
        ("", "<thinking>x</thinking> ", DecidedBy.BOTH_EMPTY, TIE),
        ("", "", DecidedBy.BOTH_EMPTY, TIE),
    ],
)
def test_decided_without_the_judge(a: str, b: str, decided_by: DecidedBy, winner: Winner) -> None:
    pair = make_pair(a, b, flags=("no-reference",))
    verdict = verdict_by_rule(pair, decided_by)
    assert decide_without_judge(pair, Order.AB) is decided_by
    assert (verdict.winner, verdict.decided_by, verdict.flags) == (winner, decided_by, ("no-reference",))
    assert verdict.confidence is None


@pytest.mark.parametrize(("a", "b"), [("one", "two"), ("Same", "same"), ("None", "null"), ("0", "text")])
def test_other_pairs_need_the_judge(a: str, b: str) -> None:
    assert decide_without_judge(make_pair(a, b), Order.AB) is None
