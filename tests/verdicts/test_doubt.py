"""Which verdicts are doubtful, and what a temperature does to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.types import DecidedBy, DoubtRule, Failure, Verdict, Winner, tempered
from judgecli.verdicts import is_doubtful, with_temperature

P = st.floats(0, 1, allow_nan=False)


def verdict(**more: object) -> Verdict:
    given: dict[str, object] = {"item_id": "q1", "winner": Winner.A, "confidence": 0.6, **more}
    return Verdict(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "rule", "doubtful"),
    [
        (verdict(), DoubtRule(), False),
        (verdict(), DoubtRule(below=0.6), False),
        (verdict(), DoubtRule(below=0.61), True),
        (verdict(confidence=None), DoubtRule(below=0.1), True),
        (verdict(), DoubtRule(everything=True), True),
        (verdict(order_dependent=True), DoubtRule(order_dependent=True), True),
        (verdict(order_dependent=True), DoubtRule(below=0.5), False),
        (verdict(winner=None, failure=Failure.LOW_MASS), DoubtRule(everything=True), False),
        (verdict(winner=None, failure=Failure.LOW_MASS), DoubtRule(failed=True), True),
        (verdict(winner=None), DoubtRule(everything=True, failed=True), False),
        (verdict(decided_by=DecidedBy.EQUAL, confidence=None), DoubtRule(everything=True), False),
    ],
)
def test_what_is_doubtful(one: Verdict, rule: DoubtRule, doubtful: bool) -> None:
    assert is_doubtful(one, rule) is doubtful


def test_a_rule_survives_its_header() -> None:
    rule = DoubtRule(below=0.7, failed=True)
    assert DoubtRule.recorded(rule.as_table) == rule
    assert DoubtRule.recorded(None) is None


def test_a_rule_in_words() -> None:
    assert str(DoubtRule(below=0.675, order_dependent=True)) == "confidence under 0.675, order-dependent"
    assert str(DoubtRule(everything=True, failed=True)) == "every verdict, failed"
    assert str(DoubtRule()) == "none"


def test_a_temperature_of_one_changes_nothing() -> None:
    assert tempered((0.2, 0.3, 0.5), 1.0) == pytest.approx((0.2, 0.3, 0.5))


def test_a_high_temperature_flattens_and_a_low_one_sharpens() -> None:
    assert tempered((0.8, 0.0, 0.2), 2.0)[0] == pytest.approx(0.8**0.5 / (0.8**0.5 + 0.001 + 0.2**0.5))
    assert tempered((0.8, 0.0, 0.2), 0.5)[0] > 0.8


@given(st.tuples(P, P, P), st.floats(0.05, 20))
def test_tempered_probabilities_add_up_and_keep_their_order(
    p: tuple[float, float, float], temperature: float
) -> None:
    after = tempered(p, temperature)
    assert sum(after) == pytest.approx(1)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        assert p[i] < p[j] or after[i] >= after[j]


def test_the_confidence_goes_with_the_reported_winner() -> None:
    one = with_temperature(verdict(winner=Winner.B, p_a=0.2, p_tie=0.3, p_b=0.5, confidence=0.5), 0.5)
    assert one.winner is Winner.B
    assert one.confidence == one.p_b == pytest.approx(0.25 / 0.38)


def test_a_verdict_without_probabilities_stays_as_it_is() -> None:
    assert with_temperature(verdict(), 2.0) == verdict()
