"""A ranking's numbers from its record: by pairs of models, and from scores in one prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecli.analysis import summarise, summarise_ranking
from judgecli.analysis.winrate import win_rate
from judgecli.types import (
    CautionKind,
    DecidedBy,
    Failure,
    JointResult,
    Judgment,
    Order,
    PairsResult,
    RankSummary,
    RunRecord,
)
from tests.analysis.made_up import Case
from tests.analysis.ranked import by_pairs, jointly

# In the letters of each pair: A is the first of the two.
WORKED = {
    "AB": ["AA"] * 30 + ["AB"] * 10 + ["BB"] * 20,
    "AC": ["AA"] * 40 + ["TT"] * 10 + ["BB"] * 10,
    "BC": ["AA"] * 33 + ["BA"] * 10 + ["BB"] * 17,
}


def of_pairs(cases: Mapping[str, Sequence[Case]]) -> PairsResult:
    result = summarise_ranking(by_pairs(cases)).pairs
    assert result is not None
    return result


def of_scores(record: RunRecord) -> tuple[RankSummary, JointResult]:
    summary = summarise_ranking(record)
    assert summary.joint is not None
    return summary, summary.joint


def kinds(summary: RankSummary) -> list[CautionKind]:
    return [caution.kind for caution in summary.cautions]


def test_the_worked_example_is_ranked_on_the_elo_scale() -> None:
    result = of_pairs(WORKED)
    assert [one.letter for one in result.standings] == ["A", "B", "C"]
    assert [one.rank for one in result.standings] == [1, 2, 3]
    assert [one.merit.value for one in result.standings] == pytest.approx([1082, 1012, 906], abs=0.5)
    assert [one.win_rate.value for one in result.standings] == pytest.approx([80 / 120, 63 / 120, 37 / 120])
    assert {one.merit.n for one in result.standings} == {60}


def test_intervals_and_ranks_come_from_resampled_items() -> None:
    close = {"AB": ["AA"] * 21 + ["BB"] * 19, "AC": ["AA", "AA", "BB", "AA"] * 10, "BC": ["AA", "AB"] * 20}
    first, second, third = of_pairs(close).standings
    for one in (first, second, third):
        assert one.merit.low is not None
        assert one.merit.value is not None
        assert one.merit.low < one.merit.value < (one.merit.high or 0)
    assert [one.letter for one in (first, second, third)] == ["A", "B", "C"]
    assert (first.rank_low, first.rank_high) == (1, 2)
    assert (second.rank_low, second.rank_high) == (1, 2)
    assert (third.rank_low, third.rank_high) == (3, 3)
    assert 0.5 < (first.p_first or 0) < 0.9
    assert (third.p_first or 0) < 0.025


def test_an_items_comparisons_are_drawn_together() -> None:
    """Items that say the same of all pairs leave the strengths less sure than as many unlike ones."""
    alike = {"AB": ["AA", "BB"] * 20, "AC": ["AA", "BB"] * 20, "BC": ["AB"] * 40}
    mixed = {"AB": ["AA", "BB"] * 20, "AC": ["BB", "AA"] * 20, "BC": ["AB"] * 40}
    widths = []
    for cases in (alike, mixed):
        a = next(one for one in of_pairs(cases).standings if one.letter == "A")
        widths.append((a.merit.high or 0) - (a.merit.low or 0))
    assert widths[0] > 100
    assert widths[1] == pytest.approx(0, abs=1e-6)


def test_the_same_record_gives_the_same_numbers() -> None:
    assert of_pairs(WORKED) == of_pairs(WORKED)


def test_each_two_models_have_the_win_rate_of_a_run_of_pairs() -> None:
    summary = summarise_ranking(by_pairs(WORKED))
    assert summary.pairs is not None
    assert [one.name for one in summary.pairs.meetings] == ["AB", "AC", "BC"]
    for meeting in summary.pairs.meetings:
        assert meeting.win_rate == win_rate(meeting.counts)
    first = summary.pairs.meetings[0]
    assert (first.counts.n_loss, first.counts.n_tie, first.counts.n_win) == (30, 10, 20)
    assert first.counts.n_order_dependent == 10
    assert first.consistency.value == pytest.approx(50 / 60)


def test_the_seats_are_counted_over_all_comparisons() -> None:
    seats = of_pairs(WORKED).position
    assert seats.table == ((103, 0, 10), (0, 10, 0), (10, 0, 47))
    assert seats.consistency.value == pytest.approx(160 / 180)
    assert seats.lean.value == 0
    assert seats.lean.p_value is None  # comparisons of one item are no independent trials
    assert seats.consistency.n == 60
    assert (seats.consistency.low or 1) < 160 / 180 < (seats.consistency.high or 0)


def test_what_failed_or_is_open_is_left_out_and_counted() -> None:
    cases = {"AB": ["AA", "uA", ".."], "AC": ["AA", "AA", "AA"], "BC": ["TT", "ll", "BB"]}
    summary = summarise_ranking(by_pairs(cases))
    counts = summary.counts
    assert (counts.n_items, counts.n_compared, counts.n_verdicts) == (3, 9, 6)
    assert (counts.n_failed, counts.n_open, counts.n_failed_judgments) == (2, 1, 3)
    assert counts.failures == {Failure.UNREADABLE: 1, Failure.TOO_LONG: 1}
    assert summary.pairs is not None
    by_letter = {one.letter: one.win_rate.value for one in summary.pairs.standings}
    assert by_letter == {"A": 1, "B": pytest.approx(0.5 / 3), "C": pytest.approx(1.5 / 5)}
    assert {CautionKind.PARTIAL, CautionKind.MANY_FAILURES} <= set(kinds(summary))


def test_rules_count_in_the_fit_and_not_in_the_consistency() -> None:
    cases = {
        "AB": ["AA", DecidedBy.EMPTY_B],
        "AC": ["AA", DecidedBy.EQUAL],
        "BC": ["AA", DecidedBy.EMPTY_A],
    }
    summary = summarise_ranking(by_pairs(cases))
    assert summary.counts.without_judge == {DecidedBy.EMPTY: 2, DecidedBy.EQUAL: 1}
    assert summary.pairs is not None
    assert summary.pairs.position.table == ((3, 0, 0), (0, 0, 0), (0, 0, 0))
    assert {one.letter: one.win_rate.value for one in summary.pairs.standings} == {
        "A": pytest.approx(3.5 / 4),
        "B": pytest.approx(1 / 4),
        "C": pytest.approx(1.5 / 4),
    }
    assert CautionKind.WITHOUT_JUDGE in kinds(summary)


def test_a_model_that_never_lost_a_point_is_said_to_have_no_bound() -> None:
    summary = summarise_ranking(by_pairs({"AB": ["AA"] * 40, "AC": ["AA"] * 40, "BC": ["AA", "BB"] * 20}))
    assert summary.pairs is not None
    fit = summary.pairs.fit
    assert fit.is_separated
    assert (fit.unbeaten, fit.winless) == (("A",), ())
    assert fit.n_separated == fit.n_resamples == 2000
    assert kinds(summary) == [CautionKind.SEPARATION]
    first = summary.pairs.standings[0]
    assert (first.letter, first.rank_low, first.rank_high, first.p_first) == ("A", 1, 1, 1)
    assert 1000 < (first.merit.value or 0) < 3000


def test_groups_that_never_met_are_separated_too() -> None:
    cases = {"AB": ["AA", "BB"], "CD": ["AA", "BB"], "AC": ["uu", "uu"]}
    summary = summarise_ranking(by_pairs(cases))
    assert summary.pairs is not None
    assert summary.pairs.fit.is_separated
    assert (summary.pairs.fit.unbeaten, summary.pairs.fit.winless) == ((), ())
    assert summary.pairs.fit.groups == ("AB", "CD")
    assert CautionKind.SEPARATION in kinds(summary)


def test_models_with_verdicts_that_link_them_are_one_group() -> None:
    assert of_pairs({"AB": ["AA"], "CD": ["AA"], "BC": ["AA"], "AE": ["uu"]}).fit.groups == ("ABCD",)


def test_resamples_without_a_bound_are_counted() -> None:
    cases = {"AB": ["AA"] * 5 + ["BB"], "AC": ["AA"] * 5 + ["BB"], "BC": ["AA", "BB"] * 3}
    fit = of_pairs(cases).fit
    assert not fit.is_separated
    assert 400 < fit.n_separated < 1000  # an item is in none of a sixth's resamples with p = (5/6)^6 = 0.33


def test_level_models_share_a_rank_whose_interval_says_nothing() -> None:
    result = of_pairs({"AB": ["AB"] * 40, "AC": ["AB"] * 40, "BC": ["AB"] * 40})
    for one in result.standings:
        assert (one.rank, one.rank_low, one.rank_high, one.p_first) == (1, None, None, None)
        assert (one.merit.value, one.merit.low) == (pytest.approx(1000), None)


def test_one_item_has_no_interval() -> None:
    for one in of_pairs({"AB": ["AA"], "AC": ["AA"], "BC": ["TT"]}).standings:
        assert one.rank is not None
        assert (one.merit.low, one.rank_low, one.p_first) == (None, None, None)


def test_a_model_without_a_verdict_has_no_rank() -> None:
    result = of_pairs({"AB": ["AA", "BB"], "AC": ["uu", "uu"], "BC": ["uu", "uu"]})
    last = result.standings[-1]
    assert (last.letter, last.rank, last.merit.value, last.win_rate.value) == ("C", None, None, None)
    assert last.merit.method == "no verdicts"


@pytest.mark.parametrize("case", ["uu", ".."])
def test_nothing_judged_ranks_nobody(case: str) -> None:
    result = of_pairs({letters: [case] * 3 for letters in ("AB", "AC", "BC")})
    assert {one.rank for one in result.standings} == {None}
    assert result.fit.n_items == 0
    assert result.position.consistency.value is None


def test_no_items_rank_nobody() -> None:
    record = replace(by_pairs({"AB": [], "AC": [], "BC": []}), items=())
    assert [one.side.model for one in summarise_ranking(record).standings] == ["alpaca", "bison", "cohere"]
    assert summarise_ranking(jointly([], 3)).joint is not None


def test_answers_graded_alone_have_no_seats() -> None:
    record = by_pairs({"AB": ["AA"], "AC": ["TT"], "BC": ["BB"]}, prompt={"n_seats": 1})
    alone = {letters: replace(one, judgments={}) for letters, one in record.comparisons.items()}
    result = summarise_ranking(replace(record, comparisons=alone)).pairs
    assert result is not None
    assert result.position.consistency.method == "no seats: each answer was graded alone"
    assert result.position.table is None


@settings(deadline=None, max_examples=15)
@given(st.lists(st.text("ABT", min_size=6, max_size=6), min_size=2, max_size=8), st.permutations("ABC"))
def test_other_letters_for_the_same_models_change_nothing_but_the_letters(
    rows: list[str], names: list[str]
) -> None:
    cases = {
        letters: [row[2 * k : 2 * k + 2] for row in rows] for k, letters in enumerate(("AB", "AC", "BC"))
    }
    permuted: dict[str, list[str]] = {}
    swapped = str.maketrans("AB", "BA")
    for letters, told in cases.items():
        new = "".join(names["ABC".index(letter)] for letter in letters)
        if new in cases:
            permuted[new] = told
        else:  # the other way round: the second order is the first now
            permuted[new[::-1]] = [case[::-1].translate(swapped) for case in told]
    before = {names["ABC".index(one.letter)]: one for one in of_pairs(cases).standings}
    after = {one.letter: one for one in of_pairs(permuted).standings}
    for letter, one in before.items():
        assert after[letter].rank == one.rank
        assert after[letter].merit.value == pytest.approx(one.merit.value, abs=1e-6)
        assert after[letter].win_rate.value == pytest.approx(one.win_rate.value)


# Of an item three rows, ABC, BCA and CAB, each with the scores by letter.
def same(a: float, b: float, c: float) -> list[list[float]]:
    return [[a, b, c]] * 3


def test_scores_rank_by_their_means_over_seats_and_items() -> None:
    items = [same(8, 6, 4), same(9, 7, 2), [[7, 7, 5], [6, 8, 5], [8, 6, 5]], same(5, 10, 3)]
    summary, result = of_scores(jointly(items, 3))
    assert [one.letter for one in result.standings] == ["B", "A", "C"]
    assert [one.merit.value for one in result.standings] == pytest.approx([7.5, 7.25, 3.5])
    assert [one.rank for one in result.standings] == [1, 2, 3]
    assert [one.mean_rank.value for one in result.standings] == pytest.approx([1.625, 1.375, 3])
    assert [one.best.value for one in result.standings] == pytest.approx([1.5 / 4, 2.5 / 4, 0])
    assert [one.n_best for one in result.standings] == [1, 2, 0]
    b = result.standings[0]
    assert (b.rank_low, b.rank_high) == (1, 2)
    assert (b.merit.low or 9) < 7.5 < (b.merit.high or 0)
    assert (summary.counts.n_items, summary.counts.n_verdicts, summary.counts.n_judgments) == (4, 4, 12)


def test_intervals_of_scores_end_where_the_scale_does() -> None:
    high, low = [[9.0] * 3, [7.0] * 3, [5.0] * 3], [[2.0] * 3, [2.0] * 3, [1.0] * 3]
    _, result = of_scores(jointly([high, low], 3, scale={"low": 1, "high": 10, "decimals": True}))
    means = [one.merit for one in result.standings] + [one.mean for one in result.seats]
    assert {(one.low, one.high) for one in means} == {(1.0, 10.0)}


def test_a_failed_rotation_fails_its_item_only() -> None:
    """With a rotation missing, some answers would have sat in the good seats more often."""
    failed = [[8.0, 6.0, 4.0], Failure.UNREADABLE, [8.0, 6.0, 4.0]]
    summary, result = of_scores(jointly([same(5, 6, 7), failed, [None, None, None], same(5, 6, 9)], 3))
    assert [(one.letter, one.merit.value, one.merit.n) for one in result.standings] == [
        ("C", 8, 2),
        ("B", 6, 2),
        ("A", 5, 2),
    ]
    counts = summary.counts
    assert (counts.n_verdicts, counts.n_failed, counts.n_open) == (2, 1, 1)
    assert counts.failures == {Failure.UNREADABLE: 1}
    assert counts.n_failed_judgments == 1


def test_an_item_with_a_rotation_to_come_is_open() -> None:
    summary, result = of_scores(jointly([[[8.0, 6.0, 4.0], None, [8.0, 6.0, 4.0]]], 3))
    assert summary.counts.n_open == 1
    assert {one.merit.value for one in result.standings} == {None}
    assert {one.rank for one in result.standings} == {None}


def test_answers_that_are_all_alike_share_the_ranks_and_have_no_scores() -> None:
    summary, result = of_scores(jointly([same(9, 6, 3), DecidedBy.EQUAL], 3))
    assert summary.counts.without_judge == {DecidedBy.EQUAL: 1}
    first = result.standings[0]
    assert (first.merit.value, first.merit.n) == (9, 1)
    assert (first.mean_rank.value, first.mean_rank.n) == (1.5, 2)
    assert first.best.value == pytest.approx((1 + 1 / 3) / 2)


def test_the_seats_effects_are_reported() -> None:
    # the first seat adds 2: A sits there in ABC, B in BCA, C in CAB
    items = [[[8.0, 5.0, 4.0 + k], [6.0, 7.0, 4.0 + k], [6.0, 5.0, 6.0 + k]] for k in range(6)]
    summary, result = of_scores(jointly(items, 3))
    assert [one.effect.value for one in result.seats] == pytest.approx([4 / 3, -2 / 3, -2 / 3])
    assert result.seat_test.value == pytest.approx(2)
    assert (result.seat_test.p_value or 1) < 0.01
    assert CautionKind.UNEVEN_SEATS not in kinds(summary)


def test_fewer_rotations_than_seats_are_said() -> None:
    summary, result = of_scores(jointly([[[8.0, 6.0, 4.0]] * 2] * 40, 3, rotations=2))
    assert result.n_rotations == 2
    [caution] = summary.cautions
    assert (caution.kind, caution.value, caution.limit) == (CautionKind.UNEVEN_SEATS, 2, 3)


def test_items_may_be_judged_in_rotations_of_their_own() -> None:
    """One item in CAB and ABC, one in BCA and CAB: the first seat is worth 3 points, the models are alike."""
    rows = {
        "q1": {"CAB": [2.0, 2.0, 5.0], "ABC": [5.0, 2.0, 2.0]},
        "q2": {"BCA": [2.0, 5.0, 2.0], "CAB": [2.0, 2.0, 5.0]},
        "q3": {"BCA": [2.0, 5.0, 2.0], "ABC": [5.0, 2.0, 2.0]},
    }
    made = jointly([[None, None]] * 4, 3, rotations=2)
    judgments = {
        (item_id, Order(order)): Judgment(
            item_id=item_id, order=Order(order), prompt_hash="0", scores=dict(zip("ABC", scores, strict=True))
        )
        for item_id, orders in rows.items()
        for order, scores in orders.items()
    }
    summary, result = of_scores(replace(made, judgments=judgments))
    assert (summary.counts.n_verdicts, summary.counts.n_open) == (3, 1)
    assert [seat.mean.value for seat in result.seats] == pytest.approx([5, 2, 2])
    assert [seat.effect.value for seat in result.seats] == pytest.approx([2, -1, -1])
    assert [one.merit.value for one in result.standings] == pytest.approx([3, 3, 3])


def test_scores_that_differ_by_rounding_only_are_level() -> None:
    scores = [[0.1, 0.2, 0.3], [0.2, 0.3, 0.1], [0.3, 0.1, 0.2]]
    _, result = of_scores(jointly([scores, scores], 3))
    assert [one.rank for one in result.standings] == [1, 1, 1]
    assert [one.best.value for one in result.standings] == pytest.approx([1 / 3] * 3)


@settings(deadline=None, max_examples=10)
@given(
    st.lists(st.lists(st.integers(1, 10), min_size=9, max_size=9), min_size=2, max_size=5),
    st.permutations(range(3)),
)
def test_scores_follow_their_models(cells: list[list[int]], order: list[int]) -> None:
    items = [[[float(x) for x in one[3 * r : 3 * r + 3]] for r in range(3)] for one in cells]
    moved = [[[row[k] for k in order] for row in one] for one in items]
    before = {one.letter: one for one in of_scores(jointly(items, 3))[1].standings}
    after = {one.letter: one for one in of_scores(jointly(moved, 3))[1].standings}
    for new, old in zip("ABC", order, strict=True):
        was, now = before["ABC"[old]], after[new]
        assert (now.rank, now.n_best) == (was.rank, was.n_best)
        assert now.merit.value == pytest.approx(was.merit.value)
        assert now.mean_rank.value == pytest.approx(was.mean_rank.value)


def test_summarise_finds_the_mode() -> None:
    record = by_pairs({"AB": ["AA"], "AC": ["AA"], "BC": ["TT"]})
    assert summarise(record) == summarise_ranking(record)


def test_models_are_named_by_the_header_and_else_by_their_files() -> None:
    record = by_pairs({"AB": ["AA"], "AC": ["AA"], "BC": ["TT"]}, models=["alpaca", None, ""])
    by_letter = {one.letter: one.side.model for one in summarise_ranking(record).standings}
    assert by_letter == {"A": "alpaca", "B": "b", "C": "c"}


def test_few_items_the_demo_judge_and_low_mass_are_said() -> None:
    record = by_pairs({"AB": ["AA", "BB"], "AC": ["AB"] * 2, "BC": ["AB"] * 2}, model={"demo": True})
    shy = {key: replace(one, mass=0.2) for key, one in record.judgments.items()}
    said = kinds(summarise_ranking(replace(record, judgments=shy)))
    assert said == [
        CautionKind.DEMO_JUDGE,
        CautionKind.LOW_MASS,
        CautionKind.LOW_CONSISTENCY,
        CautionKind.FEW_ITEMS,
    ]
