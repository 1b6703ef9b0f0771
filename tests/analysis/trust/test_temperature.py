"""One temperature for verdict probabilities, and how good they are before and after."""

import numpy as np
import pytest
from numpy.typing import NDArray

from judgecli.analysis.trust.probability_scores import brier_score, calibration_error, probability_scores
from judgecli.analysis.trust.temperature import best_temperature, negative_log_likelihood
from judgecli.types import P_FLOOR, tempered

Array = NDArray[np.float64]


def softmax(logits: Array) -> Array:
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def rows(p: Array) -> list[tuple[float, float, float]]:
    return [(float(a), float(tie), float(b)) for a, tie, b in p]


@pytest.fixture(scope="module")
def overconfident() -> tuple[list[tuple[float, float, float]], list[int]]:
    """2,000 items whose logits are 2.5 times what they should be."""
    draw = np.random.default_rng(0)
    z = draw.normal(0, 1.2, (2000, 3))
    outcomes = [int(draw.choice(3, p=p)) for p in softmax(z)]
    return rows(softmax(2.5 * z)), outcomes


def test_an_overconfident_judge_is_cooled(overconfident) -> None:
    p, outcomes = overconfident
    temperature = best_temperature(p[:1000], outcomes[:1000])
    before = probability_scores(p[1000:], outcomes[1000:])
    after = probability_scores([tempered(one, temperature) for one in p[1000:]], outcomes[1000:])
    assert temperature == pytest.approx(2.65, abs=0.01)
    assert (before.ece, before.brier, before.nll) == pytest.approx((0.192, 0.537, 1.019), abs=1e-3)
    assert (after.ece, after.brier, after.nll) == pytest.approx((0.0315, 0.474, 0.799), abs=1e-3)


def test_the_scores_are_scikit_learns(overconfident) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    p, outcomes = overconfident
    brier = metrics.brier_score_loss(outcomes, np.array(p), labels=[0, 1, 2], scale_by_half=False)
    assert brier_score(p, outcomes) == pytest.approx(brier)
    assert negative_log_likelihood(p, outcomes) == pytest.approx(metrics.log_loss(outcomes, p), abs=1e-6)


def test_no_other_temperature_fits_better(overconfident) -> None:
    p, outcomes = overconfident
    best = best_temperature(p[:200], outcomes[:200])
    least = negative_log_likelihood(p[:200], outcomes[:200], best)
    assert least is not None
    for other in (0.05, 0.5, best * 0.98, best * 1.02, 20.0):
        found = negative_log_likelihood(p[:200], outcomes[:200], other)
        assert found is not None
        assert found > least


def test_a_temperature_is_a_power_of_the_probabilities() -> None:
    assert tempered((0.64, 0.32, 0.04), 2) == pytest.approx(
        np.array([0.8, 0.32**0.5, 0.2]) / 1.565685, rel=1e-6
    )
    assert tempered((0.5, 0.3, 0.2), 1) == pytest.approx((0.5, 0.3, 0.2))


def test_a_probability_of_zero_counts_as_the_floor() -> None:
    assert tempered((1, 0, 0), 2) == pytest.approx(tempered((1, P_FLOOR, P_FLOOR), 2))
    loss = negative_log_likelihood([(1, 0, 0)], [2], 1)
    assert loss == pytest.approx(-np.log(P_FLOOR), abs=1e-5)
    assert negative_log_likelihood([(1, 0, 0)], [2], 0.05) == pytest.approx(-20 * np.log(P_FLOOR))


def test_calibration_error_by_hand() -> None:
    # two bins: (0.55, right) and (0.95, right), (0.91, wrong)
    p = [(0.55, 0.25, 0.2), (0.02, 0.03, 0.95), (0.91, 0.05, 0.04)]
    assert calibration_error(p, [0, 2, 1]) == pytest.approx((0.45 + abs(1 - 1.86)) / 3)


def test_a_sure_judge_falls_into_the_last_bin() -> None:
    assert calibration_error([(1.0, 0.0, 0.0)], [0]) == 0


def test_the_calibration_error_needs_300_labels() -> None:
    p = [(0.6, 0.2, 0.2)] * 300
    assert probability_scores(p[:299], [0] * 299).ece is None
    assert probability_scores(p, [0] * 300).ece == pytest.approx(0.4)


def test_without_labels_there_are_no_scores_and_nothing_is_tempered() -> None:
    scores = probability_scores([], [])
    assert (scores.n, scores.brier, scores.nll, scores.ece) == (0, None, None, None)
    assert calibration_error([], []) is None
    assert best_temperature([], []) == 1.0
