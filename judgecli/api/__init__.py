"""The same from Python as from the command line."""

from judgecli.api.judging import grade, pair, rank
from judgecli.api.results import (
    AgreementResult,
    CalibrationResult,
    GradeResult,
    PairResult,
    RankResult,
    Result,
    ValidationResult,
)
from judgecli.api.trusting import agree, calibrate, report, validate

__all__ = [
    "AgreementResult",
    "CalibrationResult",
    "GradeResult",
    "PairResult",
    "RankResult",
    "Result",
    "ValidationResult",
    "agree",
    "calibrate",
    "grade",
    "pair",
    "rank",
    "report",
    "validate",
]
