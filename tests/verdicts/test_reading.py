"""The hard reading is guarded, the soft one never changes a winner, and a failure has no numbers."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.types import (
    BOTH_ORDERS,
    Distribution,
    Failure,
    Grammar,
    Judgment,
    Order,
    ReadingRule,
    VerdictPlace,
    Winner,
)
from judgecli.verdicts import read_completion
from tests.made_up import make_pair
from tests.verdicts.made_up import LABELS, SCORES, completion, distribution, read_scores_of


def read(
    found: Distribution,
    *,
    grammar: Grammar = LABELS,
    min_mass: float = 0.5,
    order: Order = Order.AB,
    **more: str,
) -> Judgment:
    made = completion(grammar=grammar, distribution=found, order=order, **more)
    return read_completion(made, make_pair(), rule=ReadingRule(reader="first_label"), min_mass=min_mass)


def test_the_greedy_path_wins_and_probabilities_are_renormalised() -> None:
    judgment = read(distribution({"A": 0.6, "B": 0.15, "tie": 0.05}))
    assert judgment.winner == Winner.A
    assert (judgment.p.get("A"), judgment.p.get("B"), judgment.p.get("tie")) == pytest.approx(
        (0.75, 0.1875, 0.0625)
    )
    assert (judgment.mass, judgment.p_unopened) == pytest.approx((0.8, 0.0))
    assert (judgment.scores.get("A"), judgment.expected.get("A")) == (None, None)


def test_probabilities_never_change_the_winner() -> None:
    found = distribution({"8 6\n": 0.3, "7 7\n": 0.25, "6 7\n": 0.35}, greedy="8 6\n")
    judgment = read(found, grammar=SCORES)
    assert (judgment.winner, judgment.scores.get("A"), judgment.scores.get("B")) == (Winner.A, 8, 6)
    assert judgment.p.get("B") == pytest.approx(0.35 / 0.9)
    assert judgment.expected.get("A") == pytest.approx((8 * 0.3 + 7 * 0.25 + 6 * 0.35) / 0.9)
    assert judgment.expected.get("B") == pytest.approx((6 * 0.3 + 7 * 0.25 + 7 * 0.35) / 0.9)


def test_other_texts_of_the_same_score_count_together() -> None:
    judgment = read(distribution({"8 6\n": 0.4, "8.0 6\n": 0.2, "8 8.0\n": 0.2}), grammar=SCORES)
    assert (judgment.p.get("A"), judgment.p.get("tie")) == pytest.approx((0.75, 0.25))


@pytest.mark.parametrize(("min_mass", "winner"), [(0.0, Winner.A), (0.2, Winner.A), (0.21, None)])
def test_too_little_mass_on_verdicts_is_a_failure(min_mass: float, winner: Winner | None) -> None:
    judgment = read(distribution({"A": 0.125, "B": 0.0625}, p_unopened=0.0125), min_mass=min_mass)
    assert judgment.winner == winner
    assert judgment.failure is (None if winner else Failure.LOW_MASS)
    assert judgment.mass == pytest.approx(0.2)


def test_low_mass_says_what_the_judge_would_write() -> None:
    found = Distribution(p={"A": 0.001}, greedy="A", p_unopened=0.0, preferred=("Sure", 0.9))
    judgment = read(found)
    assert judgment.detail == "mass 0.001; would write 'Sure' (0.9)"


def test_soft_reading_is_null_where_most_was_not_followed() -> None:
    judgment = read(distribution({"A": 0.3}, p_unopened=0.4))
    assert (judgment.winner, judgment.p.get("A"), judgment.p.get("B")) == (Winner.A, None, None)
    assert (judgment.mass, judgment.p_unopened) == pytest.approx((0.7, 0.4))


@pytest.mark.parametrize("broken", [{"A": math.nan}, {"A": math.inf}])
def test_probabilities_that_are_not_numbers_are_an_engine_failure(broken: dict[str, float]) -> None:
    judgment = read(distribution(broken), min_mass=0.0)
    assert judgment.failure is Failure.ENGINE
    assert (judgment.mass, judgment.p.get("A"), judgment.p_unopened) == (None, None, None)


def test_an_engine_failure_keeps_no_numbers() -> None:
    made = completion("8 6", distribution=distribution({"8 6\n": 0.9}), error="logits are NaN")
    judgment = read_completion(made, make_pair(), rule=ReadingRule(reader="first_line_scores"), min_mass=0.5)
    assert (judgment.failure, judgment.detail) == (Failure.ENGINE, "logits are NaN")
    assert (judgment.winner, judgment.scores.get("A"), judgment.mass, judgment.p.get("A")) == (
        None,
        None,
        None,
        None,
    )


def test_reasons_that_were_cut_off_are_flagged_and_no_failure() -> None:
    judgment = read_scores_of("8 6\nFirst of all", n_reason_tokens=512, finish_reason="length", flags=("x",))
    assert (judgment.winner, judgment.flags) == (Winner.A, ("x", "reasons cut"))
    assert read_scores_of("8 6\nFirst.", n_reason_tokens=512).flags == ()
    assert read_scores_of("8 6\nFirst", finish_reason="length").flags == ()
    without = read_scores_of("I think", n_reason_tokens=512, finish_reason="length")
    assert (without.failure, without.flags) == (Failure.TRUNCATED, ())


def read_begun(found: Distribution | None, *, min_mass: float = 0.5, **more: Any) -> Judgment:
    """Read a verdict that was begun after reasons which quote another one."""
    made = completion(
        "I choose B.\nI choose A", grammar=LABELS, distribution=found, n_reason_tokens=9, **more
    )
    request = replace(made.request, place=VerdictPlace.LAST, conclusion="\nI choose ")
    rule = ReadingRule(reader="last_match", pattern="I choose {verdict}")
    pair = make_pair("I choose A", "I choose B.")
    return read_completion(replace(made, request=request), pair, rule=rule, min_mass=min_mass)


def test_a_verdict_begun_after_the_reasons_is_the_greedy_path() -> None:
    """It is no quotation, though the same words stand in an answer."""
    judgment = read_begun(distribution({"B": 0.5, "A": 0.25, "tie": 0.05}))
    assert (judgment.winner, judgment.failure, judgment.flags) == (Winner.B, None, ())
    assert (judgment.mass, judgment.p["B"]) == pytest.approx((0.8, 0.625))
    assert judgment.text == "I choose B.\nI choose A"


def test_a_verdict_begun_after_the_reasons_needs_mass_too() -> None:
    judgment = read_begun(distribution({"B": 0.125, "A": 0.0625}))
    assert (judgment.winner, judgment.failure) == (None, Failure.LOW_MASS)
    assert judgment.detail == "mass 0.188; would write 'B' (0.25)"
    assert read_begun(distribution({"B": 0.125, "A": 0.0625}), min_mass=0.1).winner == Winner.B


def test_a_verdict_begun_after_reasons_that_were_cut_off_is_flagged() -> None:
    judgment = read_begun(distribution({"A": 0.9}), finish_reason="length", flags=("x",))
    assert (judgment.winner, judgment.failure, judgment.flags) == (Winner.A, None, ("x", "reasons cut"))


def test_without_a_distribution_the_text_is_searched_whatever_was_to_follow() -> None:
    assert "also stands in" in (read_begun(None).detail or "")
    assert read_begun(None, finish_reason="length").failure is Failure.TRUNCATED


def test_costs_and_the_text_are_kept() -> None:
    judgment = read_scores_of("8 6", n_prompt_tokens=640, n_completion_tokens=4, elapsed_s=1.5)
    assert (judgment.n_prompt_tokens, judgment.n_completion_tokens, judgment.elapsed_s) == (640, 4, 1.5)
    assert (judgment.item_id, judgment.order, judgment.text) == ("q1", Order.AB, "8 6")


SWAP = {Winner.A: Winner.B, Winner.B: Winner.A, Winner.TIE: Winner.TIE, None: None}


@given(
    st.dictionaries(st.sampled_from(sorted(SCORES.readings)), st.floats(0.001, 0.2), min_size=1, max_size=4)
)
def test_the_other_order_mirrors_everything(p: dict[str, float]) -> None:
    ab, ba = (read(distribution(p), grammar=SCORES, min_mass=0.0, order=order) for order in BOTH_ORDERS)
    assert ba.winner == SWAP[ab.winner]
    assert (ba.scores.get("A"), ba.scores.get("B")) == (ab.scores.get("B"), ab.scores.get("A"))
    assert (ba.p.get("A"), ba.p.get("tie"), ba.p.get("B")) == (ab.p.get("B"), ab.p.get("tie"), ab.p.get("A"))
    assert (ba.expected.get("A"), ba.expected.get("B")) == (ab.expected.get("B"), ab.expected.get("A"))
    assert (ba.mass, ba.failure) == (ab.mass, ab.failure)


@given(st.text(max_size=30) | st.from_regex(r"\A\s*[0-9.]{1,3}[ ,\t]{1,2}[0-9.]{1,3}\s*\Z"))
def test_any_text_gives_a_winner_with_both_scores_or_a_failure_with_none(text: str) -> None:
    ab, ba = (read_scores_of(text, order=order) for order in BOTH_ORDERS)
    assert (
        (ab.winner is None)
        == (ab.failure is not None)
        == (ab.scores.get("A") is None)
        == (ab.scores.get("B") is None)
    )
    assert ba.winner == SWAP[ab.winner]
    if ab.winner is not None:
        assert 1 <= (ab.scores.get("A") or 0) <= 10
        assert 1 <= (ab.scores.get("B") or 0) <= 10
