"""A calibration fitted to labels: halves, groups, what is refused, and what is promised."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from judgecli.analysis.judged import labelled_verdicts
from judgecli.analysis.trust.calibrate import calibration_of
from judgecli.errors import DataError, UsageError
from judgecli.types import (
    BaselineKind,
    CalibrationSummary,
    CautionKind,
    ItemLabel,
    LabelKind,
    calibrated_judge,
    tempered,
)
from tests.analysis.labelled import Case, labels, labels_of, record_of
from tests.analysis.made_up import header

LETTERS = "ATB"


def made_up(n: int, *, sharpness: float = 2.0, seed: int = 0, skill: float = 2.0) -> list[Case]:
    """Make up labels by probabilities, and a judge who gives these raised to a power and normalised."""
    draw = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        truth = np.exp(skill * draw.normal(size=3))
        truth /= truth.sum()
        a, tie, b = tempered((float(truth[0]), float(truth[1]), float(truth[2])), 1 / sharpness)
        said = LETTERS[int(np.argmax(truth))]
        cases.append(Case(said, LETTERS[int(draw.choice(3, p=truth))], (a, tie, b)))
    return cases


def fitted(cases: Sequence[Case], **more: object) -> CalibrationSummary:
    given = {"agree": 0.8, "confidence": 0.9, "seed": 1, **more}
    return calibration_of(record_of(cases), labels_of(cases), **given)  # type: ignore[arg-type]


def test_an_overconfident_judge_is_cooled_and_its_surest_verdicts_certified() -> None:
    cases = made_up(800)
    summary = fitted(cases)
    assert summary.calibration.temperature == pytest.approx(2, abs=0.35)
    assert (summary.n_fit, summary.n_test, summary.n_left_out) == (400, 400, 0)
    assert summary.after.nll < summary.before.nll
    assert summary.after.brier < summary.before.brier
    assert summary.after.ece < summary.before.ece
    threshold = summary.calibration.threshold
    assert threshold is not None
    assert summary.coverage.value is not None
    assert summary.agreement.value is not None
    assert 0.2 < summary.coverage.value < 1
    assert summary.agreement.value >= 0.8
    last = [step for step in summary.steps if step.passed][-1]
    assert last.threshold == threshold
    assert (summary.coverage.n, summary.agreement.n) == (400, last.n)
    assert summary.agreement.value == 1 - last.k / last.n
    assert (summary.calibration.agree, summary.calibration.confidence) == (0.8, 0.9)
    assert summary.cautions == ()
    assert summary.notes == ()


def test_the_seed_draws_the_halves() -> None:
    cases = made_up(200)
    assert fitted(cases, seed=3) == fitted(cases, seed=3)
    assert fitted(cases, seed=3).calibration.temperature != fitted(cases, seed=4).calibration.temperature


def test_the_order_of_the_run_does_not_matter() -> None:
    cases = made_up(200)
    record = record_of(cases)
    backwards = replace(record, items=record.items[::-1], verdicts=record.verdicts[::-1])
    found = calibration_of(backwards, labels_of(cases), agree=0.8, confidence=0.9, seed=1)
    assert found == fitted(cases)


def test_a_confidence_is_that_of_the_verdict_not_the_greatest_probability() -> None:
    # half are order-dependent and wrong: a tie for the verdict, though the judge finds A or B more probable
    sure = [Case("A", "A" if number % 20 else "B", (0.9, 0.05, 0.05)) for number in range(200)]
    summary = fitted([*sure, *[Case("T", "A", (0.48, 0.04, 0.48))] * 200])
    assert summary.calibration.threshold == 0.35
    assert summary.coverage.value == pytest.approx(0.5, abs=0.1)


def test_where_nothing_is_certified_the_threshold_is_none() -> None:
    cases = made_up(300, skill=0.3)
    summary = fitted(cases)
    assert summary.calibration.threshold is None
    assert summary.coverage.value == 0
    assert summary.agreement.value is None
    assert summary.cautions[-1].kind is CautionKind.NOTHING_CERTIFIED


def test_a_judge_that_is_no_better_than_a_constant_is_a_caution() -> None:
    # it says A of everything, which is the commonest label and always its first answer's
    cases = [Case("A", "A" if number % 10 < 9 else "B", (0.9, 0.05, 0.05)) for number in range(200)]
    summary = fitted(cases)
    assert summary.calibration.threshold is not None  # its verdicts do agree with people in 90% of cases
    named = [one.name for one in summary.cautions if one.kind is CautionKind.NOT_BETTER]
    assert named == [BaselineKind.MAJORITY]
    assert (summary.accuracy.value, summary.accuracy.n) == (0.9, 200)
    majority = next(one for one in summary.baselines if one.kind is BaselineKind.MAJORITY)
    assert (majority.accuracy.value, majority.advantage.value) == (0.9, 0)


def test_under_200_labels_there_is_a_caution() -> None:
    (caution, *_) = fitted(made_up(199)).cautions
    assert (caution.kind, caution.value, caution.limit) == (CautionKind.FEW_LABELS, 199, 200)
    assert CautionKind.FEW_LABELS not in {one.kind for one in fitted(made_up(200)).cautions}


def test_sixty_labels_are_the_fewest() -> None:
    with pytest.raises(DataError, match=r"labels\.jsonl: 59 labelled verdicts .* a calibration needs 60"):
        fitted(made_up(59))
    assert fitted(made_up(60)).n_test == 30


def grouped(n_groups: int, n_each: int) -> list[Case]:
    cases = made_up(n_groups * n_each)
    return [replace(case, instruction=f"Why {number // n_each}?") for number, case in enumerate(cases)]


def test_items_that_share_an_instruction_are_refused_with_the_way_out() -> None:
    with pytest.raises(DataError, match=r"300 labelled items have 100 instructions.*--group instruction"):
        fitted(grouped(100, 3))


def test_one_item_of_a_group_is_used() -> None:
    summary = fitted(grouped(100, 3), group="instruction")
    assert (summary.n_fit, summary.n_test, summary.n_left_out) == (50, 50, 200)
    assert summary.group == "instruction"


def test_the_seed_draws_the_item_of_a_group() -> None:
    temperatures = {
        round(fitted(grouped(100, 3), group="instruction", seed=seed).before.brier or 0, 9)
        for seed in range(4)
    }
    assert len(temperatures) == 4


def test_groups_may_not_share_an_instruction_either() -> None:
    cases = grouped(100, 3)
    rows = {
        item_id: replace(label, metadata={"annotation": number})
        for number, (item_id, label) in enumerate(labels_of(cases).by_item.items())
    }
    with pytest.raises(DataError, match="--group instruction"):
        calibration_of(record_of(cases), labels(rows), agree=0.8, confidence=0.9, group="annotation")


def test_failed_ruled_and_bare_verdicts_are_left_out_and_named() -> None:
    more = [
        *made_up(100),
        *[Case("u", "A")] * 2,
        *[Case("A", "A")] * 3,
        *[Case("T", "T", (0, 1, 0), by_rule=True)] * 4,
        *[Case("A", "", (0.8, 0.1, 0.1))] * 5,
    ]
    summary = fitted(more)
    assert summary.n_fit + summary.n_test == 100
    assert summary.notes == (
        "left out: 3 labelled verdicts without probabilities",
        "left out: 2 labelled items on which the judge failed",
    )


def test_a_run_without_probabilities_cannot_be_calibrated() -> None:
    with pytest.raises(DataError, match="no probabilities of its verdicts"):
        fitted([Case("A", "A")] * 100)


def test_scores_are_no_labels_for_it() -> None:
    scores = labels({"q1": ItemLabel(item_id="q1", score=4.0)}, kind=LabelKind.SCORES)
    with pytest.raises(DataError, match="these labels are scores"):
        calibration_of(record_of(made_up(100)), scores, agree=0.8, confidence=0.9)


@pytest.mark.parametrize(("option", "value"), [("agree", 1.0), ("agree", 0.0), ("confidence", 90.0)])
def test_shares_lie_between_0_and_1(option: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"--{option} must be between 0 and 1, not {value:g}"):
        fitted(made_up(100), **{option: value})


def test_a_run_that_a_calibration_was_applied_to_gives_the_same() -> None:
    cases = made_up(200)
    applied = [replace(case, p=tempered(case.p, 1.7)) for case in cases if case.p]
    record = record_of(applied, calibration={"temperature": 1.7})
    again = calibration_of(record, labels_of(cases), agree=0.8, confidence=0.9, seed=1)
    assert again.calibration.temperature == pytest.approx(fitted(cases).calibration.temperature, rel=1e-3)
    assert again.before.nll == pytest.approx(fitted(cases).before.nll, rel=1e-3)


def test_the_first_judge_is_calibrated_where_a_stronger_one_was_asked() -> None:
    cases = made_up(200)
    record = record_of(cases)
    cascade = replace(
        record,
        verdicts=tuple(replace(one, p_a=None, p_tie=None, p_b=None) for one in record.verdicts),
        first_verdicts={one.item_id: one for one in record.verdicts},
    )
    assert calibration_of(cascade, labels_of(cases), agree=0.8, confidence=0.9, seed=1) == fitted(cases)


def test_the_judge_is_recorded() -> None:
    judge = fitted(made_up(100)).calibration.judge
    assert judge == calibrated_judge(header())
    assert (judge["sha256"], judge["family"], judge["orders"]) == ("3f2a9c1b7d04e5f6" * 4, "judgelm", "both")


def test_another_prompt_order_or_least_mass_is_another_judge() -> None:
    same = calibrated_judge(header())
    changes = (
        {"model": {"sha256": "0"}},
        {"model": {"name": "judgelm-13b"}},
        {"prompt": {"hash": "0"}},
        {"prompt": {"aspect": "tone"}},
        {"prompt": {"shots": "0"}},
        {"orders": "ab"},
        {"min_mass": 0.9},
        {"backend": {"base_url": "http://localhost:8000/v1"}},
        {"backend": {"model": "other"}},
    )
    assert all(calibrated_judge(header(**change)) != same for change in changes)
    assert calibrated_judge(header(backend={"n_ctx": 4096}, started_at="later")) == same
    assert set(calibrated_judge({}).values()) == {None}


def test_reasons_are_another_request_to_an_endpoint_alone():
    for device, is_same in (("cpu", True), ("endpoint", False)):
        without, with_reasons = (
            calibrated_judge(header(backend={"device": device}, reasons=reasons)) for reasons in (False, True)
        )
        assert (without == with_reasons) is is_same


def test_what_is_certified_of_a_run_holds_on_others() -> None:
    """Every repetition labels 240 pairs; the true agreement at its threshold is that of 8,000 others."""
    population = made_up(8_000, seed=99, skill=1.2)
    right = np.array([case.said == case.label for case in population])
    n_certified = n_failed = 0
    for seed in range(60):
        found = fitted(made_up(240, seed=seed, skill=1.2), agree=0.7).calibration
        if found.threshold is not None:
            n_certified += 1
            sure = [
                max(tempered(case.p, found.temperature)) >= found.threshold for case in population if case.p
            ]
            n_failed += right[sure].mean() < 0.7
    assert n_certified > 20
    # of 60 repetitions 0.1, and two standard errors
    assert n_failed / 60 <= 0.1 + 2 * 0.0387


def test_labelled_verdicts_know_whether_they_are_wrong() -> None:
    cases = [Case("A", "A"), Case("A", "T"), Case("u", "A"), Case("B")]
    found = labelled_verdicts(record_of(cases), labels_of(cases))
    assert [(one.verdict.item_id, one.is_wrong) for one in found] == [("q1", False), ("q2", True)]
