"""judgecli: compare two models' answers with a judge model on this machine.

>>> import judgecli
>>> result = judgecli.pair("baseline.jsonl", "candidate.jsonl", model="judgelm-7b")
>>> result.summary.win_rate  # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judgecli.api import (
        AgreementResult,
        CalibrationResult,
        GradeResult,
        PairResult,
        RankResult,
        ValidationResult,
        agree,
        calibrate,
        grade,
        pair,
        rank,
        report,
        validate,
    )

__version__ = "0.1.0"
__all__ = [
    "AgreementResult",
    "CalibrationResult",
    "GradeResult",
    "PairResult",
    "RankResult",
    "ValidationResult",
    "__version__",
    "agree",
    "calibrate",
    "grade",
    "pair",
    "rank",
    "report",
    "validate",
]


def __getattr__(name: str) -> Any:
    """Import the functions on first use: `judge --help` needs none of them."""
    if name in __all__:
        from judgecli import api  # noqa: PLC0415

        return getattr(api, name)
    raise AttributeError(f"module 'judgecli' has no attribute {name!r}")
