"""The test by groups, against the worked numbers and statsmodels."""

import numpy as np
import pytest

from judgecli.analysis.by_unit import Units
from judgecli.analysis.gate.clustered import _degrees, mean_test
from judgecli.analysis.gate.testing import outcome_test
from judgecli.types import GateDecision


@pytest.fixture
def clustered() -> tuple[np.ndarray, list[str]]:
    """200 items in 40 groups of five that share a part of their quality."""
    draw = np.random.default_rng(0)
    shared = draw.normal(0, 0.9, 40)
    values, groups = [], []
    for group in range(40):
        z = shared[group] + draw.normal(0.15, 1, 5)
        values += list(np.where(z > 0.3, 1.0, np.where(z < -0.3, 0.0, 0.5)))
        groups += [str(group)] * 5
    return np.array(values), groups


def test_the_worked_example(clustered) -> None:
    values, groups = clustered
    test = mean_test(values, Units.of(groups, "topic"), 0.45)
    by_item = mean_test(values, Units.of([str(k) for k in range(200)], None), 0.45)
    quantile = 1.6848751217112248  # of Student's t of 39 degrees at 0.95
    assert round((test.theta - test.lower) / quantile, 4) == 0.0457
    assert round((by_item.theta - by_item.lower) / 1.652547, 4) == 0.0334
    assert (round(test.deff, 2), round(test.n / test.deff)) == (1.84, 109)
    assert (test.n_groups, by_item.n_groups) == (40, None)


def test_it_is_statsmodels(clustered) -> None:
    api = pytest.importorskip("statsmodels.api")
    values, groups = clustered
    given = {"groups": np.array(groups, dtype=int), "df_correction": True}
    fit = api.OLS(values - 0.45, np.ones(200)).fit(cov_type="cluster", cov_kwds=given, use_t=True)
    test = mean_test(values, Units.of(groups, "topic"), 0.45)
    two_sided = 2 * min(test.p_above, test.p_below)
    assert two_sided >= float(fit.pvalues[0]) * (1 - 1e-9)  # corrected for skewness it is less sure
    assert two_sided == pytest.approx(float(fit.pvalues[0]), abs=0.01)
    assert (test.lower, test.upper) == pytest.approx(tuple(fit.conf_int(0.10)[0] + 0.45), abs=1e-9)


def test_groups_of_one_are_scipys_t_test() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(1).random(50)
    test = mean_test(values, Units.of([str(k) for k in range(50)], None), 0.45)
    assert test.p_above == pytest.approx(stats.ttest_1samp(values, 0.45, alternative="greater").pvalue)


def test_groups_add_no_evidence() -> None:
    values = [1.0, 0.0] * 100
    paired = outcome_test(values, [str(k // 2) for k in range(200)], "topic", 0.45)
    alone = outcome_test(values, None, "item", 0.45)
    assert paired.n_groups == 100
    assert paired.p_above >= alone.p_above
    assert paired.lower <= alone.lower


def test_groups_that_are_all_alike_are_one_observation_each() -> None:
    groups = [str(k // 25) for k in range(200)]
    tied = outcome_test([0.5] * 200, groups, "topic", 0.45)
    assert tied.decide(0.05) is GateDecision.INCONCLUSIVE
    assert outcome_test([0.5] * 200, None, "item", 0.45).decide(0.05) is GateDecision.PASS
    assert outcome_test([1.0] * 200, groups, "topic", 0.45).decide(0.05) is GateDecision.PASS
    assert outcome_test([0.0] * 200, groups, "topic", 0.45).decide(0.05) is GateDecision.FAIL


def test_groups_alike_at_another_mean_are_bet_on() -> None:
    values, groups = [1.0, 0.5, 0.0, 0.0] * 20, [str(k // 4) for k in range(80)]
    test = outcome_test(values, groups, "topic", 0.45)
    assert test.decide(0.05) is GateDecision.INCONCLUSIVE
    assert 0 < test.lower < 0.375 < test.upper < 1
    many = outcome_test([1.0, 1.0, 0.0] * 60, [str(k // 3) for k in range(180)], "topic", 0.45)
    assert many.decide(0.05) is GateDecision.PASS


def test_clusters_make_a_gate_less_sure() -> None:
    values = [1.0] * 105 + [0.0] * 95
    groups = [str(k // 5) for k in range(200)]
    assert outcome_test(values, None, "item", 0.45).decide(0.05) is GateDecision.PASS
    assert outcome_test(values, groups, "topic", 0.45).decide(0.05) is GateDecision.INCONCLUSIVE


def test_one_group_and_nothing_are_no_test() -> None:
    assert outcome_test([], None, "item", 0.45).theta is None
    assert outcome_test([], [], "topic", 0.45).theta is None
    assert mean_test(np.array([1.0, 0.5]), Units.of(["x", "x"], "topic"), 0.45).theta is None


@pytest.mark.parametrize(
    ("n_groups", "size", "wins"), [(8, 10, 0.0), (15, 10, 0.0), (30, 10, 0.2), (60, 5, 0.0)]
)
def test_a_candidate_that_breaks_in_a_few_groups_rarely_passes(n_groups, size, wins) -> None:
    """At the margin: items are ties and some wins, but for a few groups in which all is lost."""
    draw = np.random.default_rng(3)
    broken = 1 - 0.45 / (0.5 + wins / 2)
    keys = [str(k // size) for k in range(n_groups * size)]
    passed = 0
    for _ in range(300):
        values = np.where(draw.random(n_groups * size) < wins, 1.0, 0.5)
        values[np.repeat(draw.random(n_groups) < broken, size)] = 0.0
        passed += outcome_test(values.tolist(), keys, "topic", 0.45).decide(0.05) is GateDecision.PASS
    assert passed / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


def test_one_win_in_eight_groups_of_ties_shows_nothing() -> None:
    values = [1.0, *[0.5] * 79]
    keys = [str(k // 10) for k in range(80)]
    assert outcome_test(values, keys, "topic", 0.45).decide(0.05) is GateDecision.INCONCLUSIVE


def test_a_bet_is_said_to_be_one_and_on_which_side() -> None:
    values, keys = [1.0, 1.0, 0.5, 0.0] * 30, [str(k // 4) for k in range(120)]
    values[:8] = [0.0] * 8  # two groups of thirty are under the threshold
    test = outcome_test(values, keys, "topic", 0.45)
    assert "the lower one by a bet, as only 2 of 30 groups are under the threshold" in test.bounds
    assert "upper" not in test.bounds
    assert test.method.endswith("and a bet on the groups' means")


def test_large_groups_count_by_their_items() -> None:
    """Many small groups that win do not outweigh few large ones that lose."""
    sizes = [1] * 60 + [20] * 20
    values = [float(k < 60) for k, size in enumerate(sizes) for _ in range(size)]
    keys = [str(k) for k, size in enumerate(sizes) for _ in range(size)]
    test = outcome_test(values, keys, "topic", 0.45)
    assert test.theta == pytest.approx(60 / 460)
    assert test.decide(0.05) is GateDecision.FAIL


@pytest.mark.parametrize(
    "sizes",
    [[1000, *[20] * 49], [200, *[10] * 29], [60, *[5] * 29], [max(1, 300 // k) for k in range(1, 31)]],
)
def test_a_group_that_holds_most_items_does_not_vanish(sizes) -> None:
    """At the margin, each group with a rate of its own: 5% may pass, and 5% fail."""
    draw = np.random.default_rng(3)
    keys = [str(g) for g, size in enumerate(sizes) for _ in range(size)]
    passed = failed = 0
    for _ in range(200):
        rates = draw.beta(0.9, 1.1, len(sizes))
        values = np.concatenate([draw.random(m) < q for m, q in zip(sizes, rates, strict=True)]).astype(float)
        decision = outcome_test(values.tolist(), keys, "topic", 0.45).decide(0.05)
        passed += decision is GateDecision.PASS
        failed += decision is GateDecision.FAIL
    most = 200 * (0.05 + 2 * np.sqrt(0.05 * 0.95 / 200))
    assert max(passed, failed) <= most


def test_degrees_of_freedom_are_those_of_the_quadratic_form() -> None:
    shares = np.array([50.0, 20.0, 20.0, 5.0, 5.0])
    shares /= shares.sum()
    rows = (shares / np.sqrt(1 - shares))[:, None] * (np.eye(5) - shares[None, :])
    form = rows.T @ rows
    assert _degrees(shares) == pytest.approx(np.trace(form) ** 2 / (form * form).sum())
    assert _degrees(np.full(40, 1 / 40)) == pytest.approx(39)


def test_skewness_makes_a_mean_less_sure_on_its_long_side() -> None:
    values = np.array([0.6] * 36 + [0.0] * 4)
    test = mean_test(np.repeat(values, 5), Units.of([str(k // 5) for k in range(200)], "topic"), 0.45)
    plain = mean_test(values, Units.of([str(k) for k in range(40)], None), 0.45)
    assert test.lower == pytest.approx(plain.lower)
    assert test.p_above > plain.p_above
