"""Which confidence puts a judge's errors last."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise, permutations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgecli.analysis.agreement.risk_coverage import area_under_risk_coverage, aurc_estimate, error_rankings
from judgecli.analysis.by_unit import Units
from judgecli.errors import DataError
from judgecli.types import BOTH_ORDERS, ConfidenceKind, Order, RunRecord
from tests.analysis.labelled import Case, labels_of, record_of
from tests.analysis.made_up import judgments


def area(confidences: list[float], wrong: list[bool]) -> float:
    n = len(wrong)
    return float(area_under_risk_coverage(np.array(confidences), np.array(wrong, float), np.ones((1, n)))[0])


def curve_mean(wrong: tuple[bool, ...]) -> float:
    return fmean(sum(wrong[:k]) / k for k in range(1, len(wrong) + 1))


def test_the_area_by_hand() -> None:
    assert area([0.9, 0.8, 0.7, 0.6], [False, False, True, False]) == pytest.approx(
        (0 + 0 + 1 / 3 + 1 / 4) / 4
    )


def test_errors_last_is_less_than_errors_first() -> None:
    assert area([4, 3, 2, 1], [False, False, True, True]) < area([1, 2, 3, 4], [False, False, True, True])


def test_a_confidence_that_is_always_the_same_ranks_at_random() -> None:
    assert area([0.5] * 6, [True, False, False, True, False, False]) == pytest.approx(1 / 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.2, 0.5, 0.9]), st.booleans()), min_size=1, max_size=6))
def test_equal_confidences_count_as_if_in_every_order(items: list[tuple[float, bool]]) -> None:
    orders = [order for order in permutations(items) if all(a[0] >= b[0] for a, b in pairwise(order))]
    expected = fmean(curve_mean(tuple(wrong for _, wrong in order)) for order in orders)
    assert area([c for c, _ in items], [wrong for _, wrong in items]) == pytest.approx(expected)


def test_an_item_drawn_twice_counts_twice() -> None:
    drawn = area_under_risk_coverage(
        np.array([0.9, 0.5, 0.1]), np.array([0.0, 1, 1]), np.array([[2.0, 0, 1]])
    )
    assert drawn[0] == pytest.approx(area([0.9, 0.9, 0.1], [False, False, True]))


def test_without_items_there_is_no_area() -> None:
    none = aurc_estimate(np.array([]), np.array([]), Units.of([], None))
    assert (none.value, none.n, none.low) == (None, 0, None)
    assert np.isnan(area_under_risk_coverage(np.array([0.5]), np.array([1.0]), np.zeros((1, 1)))[0])


# Of 40 pairs the ten least probable verdicts are wrong.
CASES = [
    Case("A", "A" if number >= 10 else "B", p=(0.4 + number / 100, 0.3 - number / 200, 0.3 - number / 200))
    for number in range(40)
]


def entropies_of(values: Mapping[int, float]) -> dict[tuple[str, Order], float]:
    """Give an item's entropy to order AB and half as much to BA."""
    return {
        (f"q{number + 1}", order): value / part
        for number, value in values.items()
        for order, part in zip(BOTH_ORDERS, (1, 2), strict=True)
    }


def measured(record: RunRecord, **more: Mapping[tuple[str, Order], float]) -> RunRecord:
    both = {key: one for number in range(1, 41) for key, one in judgments(f"q{number}", "AA").items()}
    return replace(record, judgments=both, **more)


def test_a_probability_that_knows_its_errors_beats_random() -> None:
    (ranking,) = error_rankings(record_of(CASES), labels_of(CASES))
    assert ranking.kind is ConfidenceKind.PROBABILITY
    assert ranking.random == 0.25
    perfect = sum((k - 30) / k for k in range(31, 41)) / 40
    assert ranking.aurc.value == pytest.approx(perfect)
    assert ranking.aurc.low is not None
    assert ranking.aurc.high is not None
    assert 0 <= ranking.aurc.low < perfect < ranking.aurc.high < 0.25
    assert ranking.aurc.n == 40


def test_a_high_entropy_is_a_low_confidence_and_that_of_the_base_is_taken_off() -> None:
    surely_wrong = entropies_of({number: 1.0 if number >= 10 else 2.0 for number in range(40)})
    known_to_base = entropies_of({number: 0.5 if number >= 10 else 1.5 for number in range(40)})
    record = measured(record_of(CASES), entropies=surely_wrong, base_entropies=known_to_base)
    by_kind = {one.kind: one.aurc.value for one in error_rankings(record, labels_of(CASES))}
    assert list(by_kind) == list(ConfidenceKind)
    perfect_but_for_ties = area([0.0] * 10 + [1.0] * 30, [True] * 10 + [False] * 30)
    assert by_kind[ConfidenceKind.ENTROPY] == pytest.approx(perfect_but_for_ties)
    assert by_kind[ConfidenceKind.ENTROPY_LESS_BASE] == pytest.approx(0.25)  # the base knew as much


def test_all_confidences_are_over_the_same_items() -> None:
    some = entropies_of(dict.fromkeys(range(15), 1.0))
    del some["q15", Order.BA]  # measured in one of its orders only
    record = measured(record_of(CASES), entropies=some)
    rankings = error_rankings(record, labels_of(CASES))
    assert [one.aurc.n for one in rankings] == [14, 14]
    assert {one.random for one in rankings} == {10 / 14}


def test_what_is_failed_unlabelled_or_decided_by_rule_does_not_count() -> None:
    more = [*CASES, Case("u", "A"), Case("A", "", (1, 0, 0)), Case("T", "A", (0, 1, 0), by_rule=True)]
    assert error_rankings(record_of(more), labels_of(more)) == error_rankings(
        record_of(CASES), labels_of(CASES)
    )


def test_the_first_judges_verdicts_are_ranked_where_a_stronger_one_was_asked() -> None:
    record = record_of(CASES)
    first = {verdict.item_id: verdict for verdict in record.verdicts}
    cascade = replace(
        record,
        verdicts=tuple(replace(one, confidence=None, p_a=None) for one in record.verdicts),
        first_verdicts=first,
    )
    assert error_rankings(cascade, labels_of(CASES)) == error_rankings(record, labels_of(CASES))


def test_nothing_is_ranked_without_a_confidence_or_with_nine_items() -> None:
    bare = [Case("A", "A")] * 40
    assert error_rankings(record_of(bare), labels_of(bare)) == ()
    assert error_rankings(record_of(CASES[:9]), labels_of(CASES[:9])) == ()
    assert len(error_rankings(record_of(CASES[:10]), labels_of(CASES[:10]))) == 1


def test_groups_widen_the_interval() -> None:
    cases = [replace(CASES[number], instruction=f"Why {number // 5}?") for number in range(40)]
    by_item, by_group = (
        error_rankings(record_of(cases), labels_of(cases), group)[0].aurc for group in (None, "instruction")
    )
    assert by_item.value == by_group.value
    assert by_group.high - by_group.low > 1.5 * (by_item.high - by_item.low)
    assert "instruction" in by_group.method
    with pytest.raises(DataError, match="no such field"):
        error_rankings(record_of(cases), labels_of(cases), "topic")


def test_few_groups_give_no_interval() -> None:
    cases = [replace(CASES[number], instruction=f"Why {number // 10}?") for number in range(40)]
    (ranking,) = error_rankings(record_of(cases), labels_of(cases), "instruction")
    assert ranking.aurc.value == error_rankings(record_of(cases), labels_of(cases))[0].aurc.value
    assert (ranking.aurc.low, ranking.aurc.high) == (None, None)
    assert ranking.aurc.method.endswith("no interval: 4 groups by instruction, at least 8 are needed")
