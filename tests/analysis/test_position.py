"""Position bias: JudgeLM's five numbers, the signed lean, and what must not count."""

import pytest

from judgecli.analysis import summarise
from judgecli.types import DecidedBy
from tests.analysis.made_up import cases_of, record

pytestmark = pytest.mark.filterwarnings("error")

TABLE = ((60, 6, 24), (4, 20, 6), (14, 4, 62))


@pytest.fixture(scope="module")
def summary():
    return summarise(record(cases_of(TABLE)))


def test_the_table_has_order_ab_in_rows_and_order_ba_in_columns(summary):
    assert summary.position.table == TABLE


def test_judgelm_five_numbers(summary):
    seats = summary.position
    assert seats.consistency.value == pytest.approx(0.71)
    assert seats.prefers_first.value == pytest.approx(0.18)
    assert seats.prefers_second.value == pytest.approx(0.11)
    assert abs(seats.lean.value) == pytest.approx(0.07)
    assert seats.prefers_first.value + seats.prefers_second.value == pytest.approx(
        1 - seats.consistency.value
    )


def test_consistency_interval(summary):
    seats = summary.position
    assert (seats.consistency.low, seats.consistency.high) == pytest.approx((0.644, 0.768), abs=5e-4)
    assert seats.consistency.n == 200


def test_lean_is_signed_and_tested_with_mid_p(summary):
    assert summary.position.lean.value == pytest.approx(0.07)
    assert summary.position.lean.p_value == pytest.approx(0.0674, abs=5e-5)
    assert summary.position.lean.low < 0 < 0.07 < summary.position.lean.high


def test_lean_to_the_second_seat_is_negative():
    transposed = tuple(zip(*TABLE, strict=True))
    assert summarise(record(cases_of(transposed))).position.lean.value == pytest.approx(-0.07)


def test_hard_flips_and_effect_on_the_win_rate(summary):
    assert summary.position.hard_flips.value == pytest.approx(0.19)
    assert summary.position.effect.value == pytest.approx(0.03)


def test_merged_verdicts_are_ties_unless_both_orders_agree(summary):
    counts = summary.counts
    # The worked example counts for the baseline: 60 / 78 / 62 and .4950 [.441, .549].
    assert (counts.n_loss, counts.n_tie, counts.n_win) == (60, 78, 62)
    assert counts.n_order_dependent == 58
    assert summary.win_rate.value == pytest.approx(1 - 0.4950)
    assert (summary.win_rate.low, summary.win_rate.high) == pytest.approx((1 - 0.549, 1 - 0.441), abs=5e-4)


def test_a_pair_judged_twice_is_one_observation(summary):
    assert summary.win_rate.n == 200
    assert summary.counts.n_judgments == 400


def test_equal_leans_cancel_but_consistency_shows_them():
    seats = summarise(record([*["AB"] * 40, *["BA"] * 40, *["BB"] * 20])).position
    assert seats.lean.value == 0
    assert seats.lean.p_value == 1
    assert seats.consistency.value == pytest.approx(0.2)


def test_pairs_decided_without_the_judge_count_in_the_win_rate_only():
    plain = summarise(record(["BB", "BA"]))
    ruled = summarise(record(["BB", "BA", DecidedBy.EQUAL, DecidedBy.EMPTY_B]))
    assert ruled.position == plain.position
    assert (plain.win_rate.n, ruled.win_rate.n) == (2, 4)


def test_a_pair_with_a_failed_order_does_not_count():
    seats = summarise(record(["BB", "Bu", "uu"])).position
    assert (seats.consistency.value, seats.consistency.n) == (1, 1)


def test_one_order_measures_no_bias():
    summary = summarise(record(["B", "A", "T"], orders="ab"))
    assert summary.position.table is None
    for estimate in (summary.position.consistency, summary.position.lean, summary.position.effect):
        assert estimate.value is None
        assert estimate.method == "not measured (one order)"
    assert summary.win_rate.n == 3


def test_no_pair_gives_no_value_and_a_reason():
    seats = summarise(record([])).position
    for estimate in (seats.consistency, seats.prefers_first, seats.lean, seats.hard_flips, seats.effect):
        assert (estimate.value, estimate.n) == (None, 0)
        assert estimate.method == "no pair judged in both orders"
