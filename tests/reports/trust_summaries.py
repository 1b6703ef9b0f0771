"""Summaries made up by hand for reports on agreement, validation, calibration and trust."""

from collections.abc import Sequence
from typing import Any

from judgecli.types import (
    Adjusted,
    Agreement,
    AgreementSummary,
    Annotators,
    AnnotatorTest,
    Baseline,
    BaselineKind,
    ByOrder,
    Calibration,
    CalibrationSummary,
    Caution,
    CautionKind,
    ClassScores,
    Compared,
    ConfidenceKind,
    Effort,
    ErrorRanking,
    Estimate,
    LabelKind,
    LabelSource,
    LengthEffect,
    NamedAgreement,
    Order,
    Position,
    ProbabilityScores,
    RunRecord,
    ScoreAgreement,
    Step,
    Trust,
    ValidationSummary,
    Winner,
)
from tests.analysis.made_up import header

TABLE = ((50, 4, 11), (10, 8, 12), (9, 6, 70))
SEATS = ((60, 6, 24), (4, 20, 6), (14, 4, 62))
IMPORTED = {"mode": "pair", "imported": "elsewhere/verdicts.jsonl"}
CASCADE = header(
    backend={"name": "llama_cpp"},
    escalation={
        "key": "0123456789ab",
        "model": {"name": "openai:big-judge"},
        "prompt": {"family": "chat", "variant": None, "hash": "9f8e7d6c5b4a" * 5},
        "backend": {"name": "openai", "base_url": "https://me:hush@judges.example:8443/v1?key=hush"},
    },
    doubt={"below": 0.675, "everything": False, "order_dependent": True, "failed": False},
    calibration={
        "file": "made/calibration.json",
        "temperature": 2.6512,
        "threshold": 0.675,
        "agree": 0.8,
        "confidence": 0.9,
    },
)


def estimate(
    name: str, value: float | None, low: float | None = None, high: float | None = None, **more: Any
) -> Estimate:
    """Return a number of 180 items unless told otherwise; one that is absent says why."""
    given = {"n": 0 if value is None else 180, "method": "made up" if value is not None else "not there"}
    return Estimate(name=name, value=value, low=low, high=high, **{**given, **more})


def absent(name: str, why: str = "not there") -> Estimate:
    return estimate(name, None, method=why)


def run(made: dict[str, Any] | None = None, *, notes: tuple[str, ...] = ()) -> RunRecord:
    """Return the record of a run with this header, without items."""
    return RunRecord(
        header=header() if made is None else made, items=(), judgments={}, verdicts=(), notes=notes
    )


def agreement(
    accuracy: float = 0.711, n: int = 180, table: tuple[tuple[int, int, int], ...] = TABLE, **changes: Any
) -> Agreement:
    """Return the agreement of the table, whose measures are told, not computed."""
    told: dict[str, Any] = {
        "n": n,
        "table": table,
        "accuracy": estimate("accuracy", accuracy, accuracy - 0.07, accuracy + 0.06, n=n),
        "precision": estimate("precision", 0.6406, 0.56, 0.71),
        "recall": estimate("recall", 0.6198, 0.55, 0.69),
        "f1": estimate("f1", 0.622, 0.552, 0.69),
        "kappa": estimate("kappa", 0.5193, 0.416, 0.623),
        "weighted_kappa": estimate("weighted_kappa", 0.587, 0.48, 0.68),
        "decided": estimate("decided", 0.857, 0.79, 0.905, n=140),
        "classes": (
            ClassScores(
                winner=Winner.A, n_labelled=65, n_judged=69, precision=0.7246, recall=0.7692, f1=0.746
            ),
            ClassScores(
                winner=Winner.TIE, n_labelled=30, n_judged=18, precision=0.444, recall=0.2667, f1=0.333
            ),
            ClassScores(
                winner=Winner.B, n_labelled=85, n_judged=93, precision=0.7527, recall=0.8235, f1=0.787
            ),
        ),
    }
    return Agreement(**{**told, **changes})


def baseline(kind: BaselineKind, accuracy: float, advantage: float) -> Baseline:
    return Baseline(
        kind=kind,
        accuracy=estimate("accuracy", accuracy, accuracy - 0.1, accuracy + 0.1),
        advantage=estimate("advantage", advantage, advantage - 0.1, advantage + 0.1),
    )


BASELINES = (
    baseline(BaselineKind.LONGER, 0.52, 0.191),
    baseline(BaselineKind.FIRST_SEAT, 0.417, 0.294),
    baseline(BaselineKind.MAJORITY, 0.472, 0.239),
)
POSITION = Position(
    table=SEATS,
    consistency=estimate("consistency", 0.71, 0.644, 0.768, n=200),
    prefers_first=estimate("prefers_first", 0.18),
    prefers_second=estimate("prefers_second", 0.11),
    lean=estimate("lean", 0.07, -0.005, 0.144, p_value=0.0674),
    hard_flips=estimate("hard_flips", 0.19),
    effect=estimate("position_effect", 0.03),
)
NO_ANNOTATORS = Annotators(
    n=0, kappa=absent("kappa"), alpha=absent("alpha"), alpha_with_judge=absent("alpha_with_judge")
)
THREE_ANNOTATORS = Annotators(
    n=3,
    kappa=estimate("kappa", 0.654, 0.58, 0.72),
    alpha=estimate("alpha", 0.649, 0.57, 0.72),
    alpha_with_judge=estimate("alpha_with_judge", 0.587, 0.52, 0.65),
)
LENGTHS = LengthEffect(
    judge_longer=estimate("judge_longer", 0.8, 0.72, 0.86, n=120),
    labels_longer=estimate("labels_longer", 0.6, 0.51, 0.68, n=120),
    when_longer_right=estimate("when_longer_right", 0.95, n=72),
    when_shorter_right=estimate("when_shorter_right", 0.4, n=48),
)
BY_ORDER = ByOrder(
    orders={Order.AB: agreement(0.68), Order.BA: agreement(0.64)},
    mean=estimate("mean_of_orders", 0.66, 0.6, 0.72),
    both_right=estimate("both_right", 0.55, 0.48, 0.62),
)


def compared(**changes: Any) -> Compared:
    told: dict[str, Any] = {
        "n": 180,
        "unit": "item",
        "n_units": 180,
        "n_unlabelled": 0,
        "n_undecided": 0,
        "n_without_verdict": 0,
        "n_not_in_run": 0,
    }
    return Compared(**{**told, **changes})


def agrees(*cautions: Caution, **changes: Any) -> AgreementSummary:
    """Return the summary of a judge that agrees rather well, better than every baseline."""
    told: dict[str, Any] = {
        "cautions": cautions,
        "kind": LabelKind.WINNERS,
        "labels_file": "made/labels.jsonl",
        "source": LabelSource.SINGLE,
        "compared": compared(),
        "annotators": NO_ANNOTATORS,
        "agreement": agreement(),
        "position": POSITION,
        "baselines": BASELINES,
    }
    return AgreementSummary(**{**told, **changes})


def not_better(*kinds: BaselineKind) -> AgreementSummary:
    """Return the summary of a judge that is right on 46% of 100 pairs, and is not better than these."""
    accuracies = {BaselineKind.LONGER: 0.44, BaselineKind.FIRST_SEAT: 0.485, BaselineKind.MAJORITY: 0.3}
    cautions = (Caution(kind=CautionKind.NOT_BETTER, name=kind, value=accuracies[kind]) for kind in kinds)
    table = ((20, 25, 5), (0, 0, 0), (10, 14, 26))
    return agrees(
        *cautions,
        compared=compared(n=100, n_units=100),
        agreement=agreement(0.46, 100, table, kappa=estimate("kappa", 0.0187, -0.1, 0.14)),
        baselines=tuple(baseline(kind, known, 0.46 - known) for kind, known in accuracies.items()),
    )


def full_agreement() -> AgreementSummary:
    """Return a summary that fills every row."""
    stages = (
        NamedAgreement(name="judgelm-7b", agreement=agreement(0.82, 128)),
        NamedAgreement(name="openai:big-judge", agreement=agreement(0.75, 52), before=agreement(0.481, 52)),
    )
    return agrees(
        Caution(kind=CautionKind.SHARED_INSTRUCTIONS, value=31),
        Caution(kind=CautionKind.FEW_LABELS, value=12, limit=30),
        source=LabelSource.MAJORITY,
        compared=compared(
            unit="topic",
            n_units=31,
            n_unlabelled=12,
            n_undecided=5,
            n_without_verdict=4,
            n_not_in_run=7,
            failures={"unreadable": 2, "too_long": 1},
        ),
        failures_as_ties=agreement(0.705, 183, kappa=estimate("kappa", 0.51, 0.41, 0.61)),
        failures_wrong=estimate("failures_wrong", 0.699, 0.63, 0.76),
        by_order=BY_ORDER,
        lengths=LENGTHS,
        annotators=THREE_ANNOTATORS,
        splits_by="subset",
        splits=tuple(
            NamedAgreement(name=name, agreement=agreement(0.5 + i / 10, 36)) for i, name in enumerate("abc")
        ),
        stages=stages,
        rankings=rankings((0.2104, 0.15, 0.27), (0.2399, 0.18, 0.3)),
        notes=("three labels name no pair",),
    )


def rankings(*areas: tuple[float, float, float]) -> tuple[ErrorRanking, ...]:
    return tuple(
        ErrorRanking(kind=kind, aurc=estimate("aurc", value, low, high), random=0.289)
        for kind, (value, low, high) in zip(ConfidenceKind, areas, strict=False)
    )


def scored() -> AgreementSummary:
    """Return the summary of a judge that grades."""
    return agrees(
        kind=LabelKind.SCORES,
        source=LabelSource.MEAN,
        agreement=None,
        position=None,
        baselines=(),
        compared=compared(n=80, n_units=80),
        scores=ScoreAgreement(
            pearson=estimate("pearson", 0.9185, 0.87, 0.95, n=80),
            spearman=estimate("spearman", 0.9255, 0.88, 0.95, n=80),
            kendall=estimate("kendall", 0.8198, 0.74, 0.87, n=80),
        ),
        annotators=Annotators(
            n=2,
            kappa=absent("kappa", "scores, not classes"),
            alpha=estimate("alpha", 0.81, 0.7, 0.9),
            alpha_with_judge=estimate("alpha_with_judge", 0.78, 0.7, 0.86),
        ),
    )


def against(name: str, advantage: float | None, p: float | None, *, rejected: bool = False) -> AnnotatorTest:
    return AnnotatorTest(
        annotator=name,
        n=74 if p is not None else 12,
        advantage=advantage,
        human_advantage=None if advantage is None else 0.88,
        p_value=p,
        adjusted_p_value=None if p is None else min(5.5 * p, 0.568),
        rejected=rejected,
        reason=None if p is not None else "12 items, under 30",
    )


def validation(
    tests: Sequence[AnnotatorTest] = (
        against("ann", 0.91, 0.0004, rejected=True),
        against("ben", 0.7, 0.31),
        against("cho", 0.7, 0.223),
    ),
    **changes: Any,
) -> ValidationSummary:
    told: dict[str, Any] = {
        "cautions": (),
        "labels_file": "made/people.jsonl",
        "epsilon": 0.2,
        "q": 0.05,
        "tests": tuple(tests),
        "omega": estimate("omega", 1 / 3, n=3),
        "rho": estimate("rho", 0.77, n=3),
        "passes": False,
        "n_items": 88,
    }
    return ValidationSummary(**{**told, **changes})


def steps(n_passed: int, *, fails: bool = True) -> tuple[Step, ...]:
    made = [
        Step(threshold=0.95 - 0.025 * i, n=40 + 14 * i, k=2 + 2 * i, bound=0.12 + 0.006 * i, passed=True)
        for i in range(n_passed)
    ]
    lowest = 0.95 - 0.025 * n_passed
    failed = Step(threshold=lowest, n=208, k=39, bound=0.226, passed=False)
    return (*made, failed) if fails else tuple(made)


def calibration(threshold: float | None = 0.675, **changes: Any) -> CalibrationSummary:
    told: dict[str, Any] = {
        "cautions": (),
        "labels_file": "made/labels.jsonl",
        "calibration": Calibration(temperature=2.6512, threshold=threshold, agree=0.8, confidence=0.9),
        "n_fit": 250,
        "n_test": 250,
        "before": ProbabilityScores(n=250, brier=0.537, nll=1.019, ece=None),
        "after": ProbabilityScores(n=250, brier=0.474, nll=0.799, ece=None),
        "steps": steps(12),
        "coverage": estimate("coverage", 0.776, 0.72, 0.823, n=250),
        "agreement": estimate("agreement", 0.827, 0.768, 0.873, n=194),
    }
    return CalibrationSummary(**{**told, **changes})


def trust(**changes: Any) -> Trust:
    """Return the trust of a run whose doubtful pairs went to a stronger judge."""
    told: dict[str, Any] = {
        "rule": "confidence under 0.675, order-dependent",
        "first_judge": "judgelm-7b",
        "judge": "openai:big-judge",
        "trusted": estimate("trusted", 0.71, 0.615, 0.79, n=100),
        "doubtful": estimate("doubtful", 0.29, 0.21, 0.385, n=100),
        "escalated": estimate("escalated", 0.26, 0.18, 0.35, n=100),
        "changed": estimate("changed", 0.4, 0.23, 0.59, n=25),
        "win_rate": estimate("win_rate", 0.583, 0.48, 0.68, n=96),
        "n_escalated_open": 3,
        "n_escalated_failed": 1,
        "temperature": 2.6512,
        "threshold": 0.675,
        "agree": 0.8,
        "confidence": 0.9,
    }
    return Trust(**{**told, **changes})


def without_stronger(**changes: Any) -> Trust:
    """Return the trust of a run whose doubtful pairs nobody else looked at."""
    none = {
        "judge": None,
        "escalated": absent("escalated", "no stronger judge"),
        "changed": absent("changed", "no pair with a verdict of both judges"),
        "n_escalated_open": 0,
        "n_escalated_failed": 0,
    }
    return trust(**{**none, **changes})


EFFORT = Effort(
    judge="openai:big-judge", n_calls=58, n_prompt_tokens=31_204, n_completion_tokens=116, cost=0.01234
)


def adjusted(n: int = 100, **changes: Any) -> Adjusted:
    told: dict[str, Any] = {
        "labels_file": "made/labels.jsonl",
        "n_labelled": n,
        "win_rate": estimate("win_rate", 0.5518, 0.5031, 0.6005, n=n),
        "by_people": estimate("by_people", 0.58, 0.495, 0.665, n=n),
        "tuning": 0.7621,
        "corrected": estimate("corrected", 0.6333, 0.5106, 0.7655, n=400),
        "sensitivity": estimate("sensitivity", 0.8, 0.71, 0.87, n=50),
        "specificity": estimate("specificity", 0.81, 0.72, 0.88, n=50),
        "notes": (f"this holds if the {n} labelled pairs are a random sample of the run's 1100 verdicts",),
    }
    return Adjusted(**{**told, **changes})
