"""How often verdicts of about one confidence are right."""

import pytest

from judgecli.analysis.reliability import reliability
from judgecli.types import ItemLabel, LabelKind, Labels, LabelSource, RunRecord, Winner
from tests.analysis.made_up import HEADER, verdict


def judged(confidences: list[float | None]) -> RunRecord:
    """Return verdicts for B with these confidences."""
    verdicts = tuple(verdict(f"q{n}", "BB", confidence=one) for n, one in enumerate(confidences))
    return RunRecord(header=HEADER, items=(), judgments={}, verdicts=verdicts)


def labels(n: int, n_wrong: int) -> Labels:
    """Return n labels for B, the first `n_wrong` of them for A."""
    by_item = {
        f"q{k}": ItemLabel(item_id=f"q{k}", winner=Winner.A if k < n_wrong else Winner.B) for k in range(n)
    }
    return Labels(file="labels.jsonl", kind=LabelKind.WINNERS, source=LabelSource.GOLD, by_item=by_item)


def test_verdicts_are_binned_by_tenths_and_their_agreement_counted():
    made = judged([0.62] * 5 + [0.68] * 5 + [0.95] * 9 + [1.0])
    low, high = reliability(made, labels(20, 4))
    assert (low.confidence, low.right.value, low.right.n) == (pytest.approx(0.65), 0.6, 10)
    assert (high.confidence, high.right.value, high.right.n) == (pytest.approx(0.955), 1.0, 10)
    assert low.right.low is not None
    assert low.right.low < 0.6


def test_a_sure_verdict_is_in_the_last_bin_and_an_impossible_one_in_the_first():
    bins = reliability(judged([0.0] * 10 + [1.0] * 10), labels(20, 10))
    assert [(one.confidence, one.right.value) for one in bins] == [(0.0, 0.0), (1.0, 1.0)]


@pytest.mark.parametrize("confidences", [[0.9] * 19, [None] * 40, []])
def test_there_is_nothing_to_show_of_few(confidences):
    assert reliability(judged(confidences), labels(40, 0)) == ()
