"""What became of a pair from one run to another, by the names that reports give it and select it by."""

from __future__ import annotations

from enum import StrEnum


class ChangeKind(StrEnum):
    """Pairs of two runs that a reader may ask for; the last three tell the failures apart."""

    CHANGED = "changed"
    FOR_B = "for B"
    FOR_A = "for A"
    FAILURES = "failures"
    OTHER_ANSWERS = "other answers"
    SAME = "same"
    NOW_FAILED = "now failed"
    NO_LONGER_FAILED = "no longer failed"
    FAILED_IN_BOTH = "failed in both"
