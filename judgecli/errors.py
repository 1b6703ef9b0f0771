"""The errors judgecli raises; each class carries the exit code of the command line.

    JudgeError            1  never raised itself
    ├── GateFailedError   1  the gate failed: the candidate is worse than allowed
    ├── UsageError        2  options that contradict each other
    ├── DataError         3  an input, prompt or run file is wrong, empty or cannot be paired
    ├── ModelError        4  the judge model is unknown, missing, damaged, or will not load
    ├── NothingJudgedError     5  no pair has a verdict, or too many failed
    ├── InconclusiveError      5  the gate is inconclusive
    └── OutputError       6  a result cannot be written

A message is one sentence: where, what is wrong, what to do.
"""

from typing import ClassVar


class JudgeError(Exception):
    """Carry one sentence for the user and the exit code that goes with it."""

    exit_code: ClassVar[int] = 1


class UsageError(JudgeError):
    """Options that cannot be used together."""

    exit_code = 2


class NoPairsError(UsageError):
    """One file of one answer a row, where pairs were wanted."""


class DataError(JudgeError):
    """An input, prompt or run file that is wrong, empty or cannot be paired."""

    exit_code = 3


class CacheError(DataError):
    """A cache that cannot be used; a run goes on without it."""


class ModelError(JudgeError):
    """A judge model that is unknown, missing, damaged, lacks its prompt family or will not load."""

    exit_code = 4


class CallsSpentError(ModelError):
    """An endpoint that was asked as often as the caller allows; what is left stays to be asked."""


class NothingJudgedError(JudgeError):
    """A run without a single verdict, or with more failures than allowed."""

    exit_code = 5


class GateFailedError(JudgeError):
    """A gate that failed: the candidate is worse than allowed, or not better."""


class InconclusiveError(JudgeError):
    """A gate that neither passed nor failed: the judge is not fit, or the evidence does not decide."""

    exit_code = 5


class OutputError(JudgeError):
    """A report or run file that cannot be written."""

    exit_code = 6
