"""Nouns of a benchmark: how long the same work took in several ways, side by side on one machine."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Arm(StrEnum):
    """A way to work through the prompts."""

    PREFILL = "prefill"
    SCORES = "scores"
    LOOP = "loop"
    LOOP_TUNED = "loop-tuned"
    REASONS = "reasons"
    LOOP_REASONS = "loop-reasons"

    @property
    def writes_reasons(self) -> bool:
        """Whether the judge explains itself."""
        return self in {Arm.REASONS, Arm.LOOP_REASONS}


# What is divided by what: judging by bare prompts, and the loop by judging.
COMPARED = (
    (Arm.SCORES, Arm.PREFILL),
    (Arm.LOOP, Arm.SCORES),
    (Arm.LOOP_TUNED, Arm.SCORES),
    (Arm.LOOP_REASONS, Arm.REASONS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One time through some prompts; `n_evaluated_tokens` counts every row of every call."""

    elapsed_s: float
    n_evaluated_tokens: int
    n_written_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The median of some numbers, the lowest and the highest of them."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return the spread of one number or more."""
        known = list(values)
        return cls(median=statistics.median(known), low=min(known), high=max(known))

    def overlaps(self, other: Spread) -> bool:
        """Whether the two ranges have a number in common, so that they show no difference."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmTimes:
    """All measured passes of an arm over its pairs, each judged in both orders."""

    arm: Arm
    n_pairs: int
    passes: tuple[Pass, ...]

    @property
    def seconds(self) -> Spread:
        """How long a pass took."""
        return Spread.of(one.elapsed_s for one in self.passes)

    @property
    def pairs_per_minute(self) -> Spread:
        """Pairs in both orders."""
        return Spread.of(60 * self.n_pairs / one.elapsed_s for one in self.passes)

    @property
    def tokens_per_s(self) -> Spread:
        """Tokens evaluated, those of prompts and written ones alike."""
        return Spread.of(one.n_evaluated_tokens / one.elapsed_s for one in self.passes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Seconds of one arm over those of another, repeat by repeat."""

    over: Arm
    under: Arm
    values: tuple[float, ...]

    @property
    def spread(self) -> Spread:
        """Median and range over the repeats."""
        return Spread.of(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What was measured on what: `machine`, `model`, `prompt` and `backend` as JSON objects."""

    machine: Mapping[str, Any]
    model: Mapping[str, Any]
    prompt: Mapping[str, Any]
    backend: Mapping[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """The arms of one run, each with as many passes; `n_reason_tokens` is 0 where none were written.

    `held_together` says whether all arms stayed in memory, or each was loaded anew before its passes.
    """

    setup: Setup
    arms: tuple[ArmTimes, ...]
    n_reason_tokens: int
    held_together: bool

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """The ratios of all arms that are compared, and were measured."""
        seconds = {one.arm: [each.elapsed_s for each in one.passes] for one in self.arms}
        return tuple(
            Ratio(
                over=over,
                under=under,
                values=tuple(a / b for a, b in zip(seconds[over], seconds[under], strict=True)),
            )
            for over, under in COMPARED
            if over in seconds and under in seconds
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """An engine option at one value, with its passes over the same prompts."""

    value: int | bool
    passes: tuple[Pass, ...]

    @property
    def seconds(self) -> Spread:
        """How long a pass took."""
        return Spread.of(one.elapsed_s for one in self.passes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One option tried at several values, everything else alike. `present` is the value it had before."""

    option: str
    changes_bits: bool
    present: int | bool
    trials: tuple[Trial, ...]

    @property
    def now(self) -> Trial:
        """The trial of the present value."""
        return next(trial for trial in self.trials if trial.value == self.present)

    @property
    def best(self) -> Trial:
        """The fastest trial whose range lies below the present value's, else the present value's own."""
        faster = [trial for trial in self.trials if trial.seconds.high < self.now.seconds.low]
        return min(faster, key=lambda trial: trial.seconds.median, default=self.now)

    def is_different(self, trial: Trial) -> bool:
        """Whether a trial's range and the present value's have nothing in common."""
        return not trial.seconds.overlaps(self.now.seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Sweeps one after the other, each with the best values of those before it; `flags` sets all of them."""

    setup: Setup
    n_pairs: int
    sweeps: tuple[Sweep, ...]
    flags: tuple[str, ...]
