"""Parts: all must pass, small ones are pooled, and Holm says which have regressed."""

from dataclasses import replace

import pytest

from judgecli.analysis import decide_gate
from judgecli.analysis.gate.parts import holm
from judgecli.types import Gate, GateDecision, ReasonKind
from tests.analysis.gate.made_up import cases, options, run
from tests.analysis.made_up import pair

GOOD, BAD, EVEN = (70, 10, 20), (20, 10, 70), (45, 10, 45)


def gate(parts: dict[str, tuple[int, int, int]], **changes) -> Gate:
    """Return the gate of a run whose parts came out as told: wins, ties, losses."""
    outcomes, pairs = [], []
    for name, counts in parts.items():
        for case in cases(*counts):
            outcomes.append(case)
            pairs.append(replace(pair(f"q{len(pairs) + 1}"), metadata={"topic": name}))
    return decide_gate(run(outcomes, pairs=pairs, **changes), options(by="topic"))


def test_holm_is_statsmodels() -> None:
    assert holm([0.004, 0.02, 0.03, 0.2]) == pytest.approx([0.016, 0.06, 0.06, 0.2])
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for p_values in ([0.2, 0.01, 0.01, 0.9, 0.04], [0.5], [0.03, 0.001]):
        assert holm(p_values) == pytest.approx(multitest.multipletests(p_values, method="holm")[1])
    assert holm([]) == []


def test_all_parts_must_pass() -> None:
    found = gate({"maths": GOOD, "poems": GOOD})
    assert found.decision is GateDecision.PASS
    assert [(part.name, part.n, part.decision) for part in found.parts] == [
        ("maths", 100, GateDecision.PASS),
        ("poems", 100, GateDecision.PASS),
    ]


def test_a_part_that_regressed_fails_the_gate_and_is_named() -> None:
    found = gate({"maths": GOOD, "law": GOOD, "poems": BAD})
    assert (found.decision, found.reason.kind) == (GateDecision.FAIL, ReasonKind.PART_BELOW)
    assert (found.reason.name, found.regressed) == ("poems", ("poems",))
    assert found.test.p_above <= 0.05  # all pairs together would pass


def test_a_part_that_is_undecided_leaves_the_gate_so() -> None:
    found = gate({"maths": GOOD, "poems": EVEN})
    assert (found.decision, found.reason.kind) == (GateDecision.INCONCLUSIVE, ReasonKind.PART_UNDECIDED)
    assert (found.reason.name, found.regressed) == ("poems", ())


def test_a_slight_loss_among_many_parts_is_no_regression() -> None:
    slight = (27, 0, 54)
    assert gate({"alone": slight}).regressed == ("alone",)
    many = gate({**{f"p{k}": (60, 0, 21) for k in range(19)}, "poems": slight})
    assert many.regressed == ()
    poems = next(part for part in many.parts if part.name == "poems")
    assert poems.holm_p > 0.05


def test_values_of_under_30_pairs_are_pooled() -> None:
    found = gate({"maths": GOOD, "a": (20, 0, 0), "b": (25, 0, 4), "poems": GOOD})
    assert [(part.name, part.n) for part in found.parts] == [("maths", 100), ("poems", 100), ("other", 49)]
    assert found.parts[-1].pooled == ("a", "b")


def test_where_that_is_too_little_the_smallest_value_fills_it_up_and_is_a_part_too() -> None:
    found = gate({"maths": GOOD, "law": (40, 0, 0), "odd": (1, 0, 2)})
    assert [(part.name, part.n, part.pooled, part.filled_with) for part in found.parts] == [
        ("law", 40, (), ()),
        ("maths", 100, (), ()),
        ("other", 43, ("odd",), ("law",)),
    ]
    assert found.decision is GateDecision.PASS


def test_a_value_that_regressed_does_not_hide_in_other() -> None:
    found = gate({"maths": GOOD, "law": (5, 0, 26), "odd": (25, 0, 0)})
    assert (found.decision, found.reason.name) == (GateDecision.FAIL, "law")
    assert found.regressed == ("law",)


def test_a_value_called_other_is_a_value() -> None:
    found = gate({"other": GOOD, "law": (20, 0, 0), "odd": (20, 0, 0)})
    assert [(part.name, part.n) for part in found.parts] == [("other", 100), ("other values", 40)]


def test_too_few_outcomes_for_lack_of_verdicts_are_no_reason_to_wait() -> None:
    outcomes = [*cases(28, 0, 1), "uu", *cases(80, 0, 40)]
    pairs = [replace(pair(f"q{k + 1}"), metadata={"topic": "ab"[k >= 30]}) for k in range(150)]
    for most in (0.02, 0.5):
        found = decide_gate(run(outcomes, pairs=pairs), options(by="topic", max_invalid=most))
        assert (found.parts[0].n, found.parts[0].decision) == (29, GateDecision.PASS)


def test_answers_that_the_candidate_lacks_are_losses_of_other() -> None:
    found = gate({"maths": GOOD, "law": GOOD}, input={"only_in_a": [f"x{k}" for k in range(40)]})
    assert (found.parts[-1].name, found.parts[-1].n) == ("other", 40)
    assert found.regressed == ("other",)


def test_with_one_value_the_part_is_the_whole() -> None:
    found = gate({"maths": (20, 5, 4)})
    assert [(part.name, part.n) for part in found.parts] == [("other", 29)]
    assert found.decision is GateDecision.INCONCLUSIVE


def test_a_part_whose_pairs_all_failed_does_not_vanish() -> None:
    outcomes = [*cases(900, 0, 570), *["uu"] * 30]
    pairs = [
        replace(pair(f"q{k + 1}"), metadata={"topic": "law" if k >= 1470 else "maths"}) for k in range(1500)
    ]
    found = decide_gate(run(outcomes, pairs=pairs), options(by="topic"))
    assert found.counts.invalid_share <= 0.02
    assert (found.decision, found.reason.name) == (GateDecision.INCONCLUSIVE, "law")
    assert [(part.name, part.n, part.n_failed) for part in found.parts] == [
        ("law", 0, 30),
        ("maths", 1470, 0),
    ]


@pytest.mark.parametrize(("n_failed", "decision"), [(2, GateDecision.PASS), (60, GateDecision.INCONCLUSIVE)])
def test_failures_beyond_the_limit_count_against_a_part_and_do_not_fail_it(n_failed, decision) -> None:
    outcomes = [*cases(80, 0, 30), *["uu"] * n_failed, *["BB"] * 4000]
    pairs = [
        replace(pair(f"q{k + 1}"), metadata={"topic": "ab"[k >= 110 + n_failed]})
        for k in range(len(outcomes))
    ]
    found = decide_gate(run(outcomes, pairs=pairs), options(by="topic"))
    part = found.parts[0]
    assert (part.name, part.n, part.n_failed) == ("a", 110, n_failed)
    assert (part.decision, part.regressed) == (decision, False)
