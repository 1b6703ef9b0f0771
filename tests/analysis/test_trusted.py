"""Which verdicts are trusted, who gave them, and what that took."""

from dataclasses import replace
from typing import Any

import pytest

from judgecli.analysis import summarise_pairs
from judgecli.analysis.trusted import effort_of, settled, trust_of
from judgecli.types import CautionKind, DecidedBy, Failure, Judgment, Order, RunRecord, Verdict, Winner
from tests.made_up import make_pair

A, B, TIE = Winner.A, Winner.B, Winner.TIE
DOUBT = {"below": 0.7, "everything": False, "order_dependent": True, "failed": False}
ESCALATION = {"key": "k", "model": {"name": "strong"}}


def verdict(item_id: str, winner: Winner | None = A, **more: Any) -> Verdict:
    return Verdict(item_id=item_id, winner=winner, judge=more.pop("judge", "weak"), **more)


def record(first: list[Verdict], final: list[Verdict] | None = None, **header: Any) -> RunRecord:
    return RunRecord(
        header={"mode": "pair", "model": {"name": "weak"}, "orders": "both", **header},
        items=tuple(make_pair(id=one.item_id) for one in first),
        judgments={},
        verdicts=tuple(first if final is None else final),
        first_verdicts={} if final is None else {one.item_id: one for one in first},
    )


def test_a_run_that_doubts_nothing_has_no_such_part() -> None:
    assert trust_of(record([verdict("q1")])) is None
    assert summarise_pairs(record([verdict("q1")])).trust is None


def test_doubtful_verdicts_are_counted_and_left_out_of_the_trusted_rate() -> None:
    first = [verdict("q1"), verdict("q2", B), verdict("q3", is_doubtful=True)]
    trust = trust_of(record(first, doubt=DOUBT))
    assert trust is not None
    assert trust.rule == "confidence under 0.7, order-dependent"
    assert (trust.trusted.value, trust.trusted.n) == (pytest.approx(2 / 3), 3)
    assert trust.doubtful.value == pytest.approx(1 / 3)
    assert trust.escalated.value is None
    assert (trust.win_rate.value, trust.win_rate.n) == (0.5, 2)


def test_a_stronger_judge_has_its_share_and_its_say() -> None:
    first = [
        verdict("q1"),
        verdict("q2", TIE, is_doubtful=True),
        verdict("q3", A, is_doubtful=True),
        verdict("q4", TIE, is_doubtful=True),
        verdict("q5", TIE, is_doubtful=True),
        verdict("q6", TIE, decided_by=DecidedBy.EQUAL, judge=None),
    ]
    final = [
        first[0],
        verdict("q2", B, judge="strong", is_doubtful=True),
        verdict("q3", A, judge="strong", is_doubtful=True),
        verdict("q4", None, failure=Failure.ENGINE, judge="strong", is_doubtful=True),
        verdict("q5", None, judge="strong", is_doubtful=True),
        first[5],
    ]
    trust = trust_of(record(first, final, doubt=DOUBT, escalation=ESCALATION))
    assert trust is not None
    assert (trust.first_judge, trust.judge) == ("weak", "strong")
    assert (trust.trusted.value, trust.doubtful.value, trust.escalated.value) == (0.2, 0.8, 0.6)
    assert (trust.n_escalated_open, trust.n_escalated_failed) == (1, 1)
    assert (trust.changed.value, trust.changed.n) == (0.5, 2)
    # the one trusted pair of the first judge: none of the stronger judge's, and none that a rule decided
    assert (trust.win_rate.value, trust.win_rate.n) == (0.0, 1)


def test_a_calibration_that_certified_nothing_is_a_caution() -> None:
    calibration = {"temperature": 1.5, "threshold": None, "agree": 0.8, "confidence": 0.9}
    doubt = {**DOUBT, "below": None, "everything": True, "order_dependent": False}
    made = record([verdict("q1", is_doubtful=True)], doubt=doubt, calibration=calibration)
    summary = summarise_pairs(made)
    assert CautionKind.NOTHING_CERTIFIED in [one.kind for one in summary.cautions]
    assert summary.trust is not None
    assert summary.trust.rule == "every verdict"
    assert (summary.trust.agree, summary.trust.confidence) == (0.8, 0.9)


def test_what_a_stronger_judge_settled_depends_on_no_order_any_more() -> None:
    first = [verdict(f"q{n}", TIE, order_dependent=True, is_doubtful=True) for n in range(40)]
    final = [verdict(one.item_id, B, judge="strong") for one in first]
    made = record(first, final, doubt=DOUBT, escalation=ESCALATION)
    assert settled(made).value == 1
    assert CautionKind.LOW_CONSISTENCY not in [one.kind for one in summarise_pairs(made).cautions]


def test_no_verdicts_give_no_shares() -> None:
    trust = trust_of(record([verdict("q1", None)], doubt=DOUBT))
    assert trust is not None
    assert (trust.trusted.value, trust.doubtful.value, trust.changed.value) == (None, None, None)


def judgment(order: Order, **more: Any) -> Judgment:
    return Judgment(item_id="q1", order=order, prompt_hash="h", winner="A", **more)


def test_calls_tokens_and_cost_of_each_endpoint() -> None:
    backend = {"name": "openai", "device": "endpoint", "price": [2.0, 10.0]}
    made = record([verdict("q1")], backend=backend, escalation={**ESCALATION, "backend": {"device": "cpu"}})
    judgments = {
        ("q1", order): judgment(order, n_calls=2, n_prompt_tokens=1000, n_completion_tokens=100)
        for order in (Order.AB, Order.BA)
    }
    [effort] = effort_of(replace(made, judgments=judgments))
    assert (effort.judge, effort.n_calls) == ("weak", 4)
    assert (effort.n_prompt_tokens, effort.n_completion_tokens) == (2000, 200)
    assert effort.cost == pytest.approx(0.006)


def test_what_the_cache_served_was_neither_called_nor_paid_for() -> None:
    backend = {"name": "openai", "device": "endpoint", "price": [2.0, 10.0]}
    made = record([verdict("q1")], backend=backend)
    judgments = {
        ("q1", Order.AB): judgment(Order.AB, n_calls=1, n_prompt_tokens=1000),
        ("q1", Order.BA): judgment(Order.BA, n_prompt_tokens=1000, cached=True),
    }
    [effort] = effort_of(replace(made, judgments=judgments))
    assert (effort.n_calls, effort.n_prompt_tokens) == (1, 1000)
    assert effort.cost == pytest.approx(0.002)


@pytest.mark.parametrize(
    ("price", "n_tokens"),
    [
        ([2.0, 10.0], 10**400),
        ([1e308, 1e308], 10**9),
        (["2", "10"], 1000),
        ([None, 1.0], 1000),
        ([[], {}], 1000),
    ],
)
def test_a_cost_that_no_number_holds_is_none(price: list[Any], n_tokens: int) -> None:
    made = record([verdict("q1")], backend={"device": "endpoint", "price": price})
    judgments = {("q1", Order.AB): judgment(Order.AB, n_prompt_tokens=n_tokens)}
    [effort] = effort_of(replace(made, judgments=judgments))
    assert (effort.n_prompt_tokens, effort.cost) == (n_tokens, None)


def test_without_prices_there_is_no_cost() -> None:
    made = record([verdict("q1")], backend={"device": "endpoint", "price": []})
    assert [one.cost for one in effort_of(made)] == [None]
    assert effort_of(record([verdict("q1")])) == ()


def test_the_mass_of_each_judge_is_its_own() -> None:
    first = [verdict("q1"), verdict("q2", is_doubtful=True)]
    final = [first[0], verdict("q2", B, judge="strong", is_doubtful=True)]
    made = record(first, final, doubt=DOUBT, escalation=ESCALATION)
    own, stronger = {("q1", Order.AB): judgment(Order.AB, mass=0.9)}, judgment(Order.AB, mass=0.2)
    summary = summarise_pairs(replace(made, judgments=own, escalated={("q2", Order.AB): stronger}))
    assert (summary.soft.mass.value, summary.soft.stronger_mass.value) == (0.9, 0.2)
    low = [one for one in summary.cautions if one.kind is CautionKind.LOW_MASS]
    assert [(one.name, one.value) for one in low] == [("strong", 0.2)]
    assert summarise_pairs(record(first, doubt=DOUBT)).soft.stronger_mass.value is None
