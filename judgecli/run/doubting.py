"""From what on the first judge is not trusted: what the caller asks, and what a run header says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgecli.errors import DataError, UsageError
from judgecli.run.calibration_file import read_calibration
from judgecli.types import Calibration, DoubtRule, VerdictPlace, calibrated_judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Trusting:
    """From which verdicts on the first judge is not trusted, and who is asked then.

    `escalate` is the stronger judge, by what `--model` takes, and `escalate_prompt` its family; without one,
    doubtful verdicts are marked. Without any condition those are doubted that depend on the order.
    """

    escalate: str | None = None
    escalate_prompt: str | None = None
    below: float | None = None
    order_dependent: bool = False
    failed: bool = False
    calibration: Path | None = None

    def __post_init__(self) -> None:
        """Refuse conditions that contradict each other or have no use.

        Raises:
            UsageError: naming the options.
        """
        if self.below is not None and not 0 < self.below <= 1:
            raise UsageError(f"--below is a probability above 0 and up to 1, not {self.below:g}")
        if self.below is not None and self.calibration is not None:
            raise UsageError("--below and --calibration both set the threshold; give one of them")
        if self.escalate == "":
            raise UsageError("--escalate is empty; name a stronger judge, or leave the option out")
        if self.escalate is None:
            for name, given in (("--escalate-prompt", self.escalate_prompt), ("--failed", self.failed)):
                if given:
                    raise UsageError(f"{name} has no use without --escalate MODEL")

    @property
    def is_on(self) -> bool:
        """Whether anything is doubted."""
        conditions = (self.below is not None, self.order_dependent, self.calibration is not None)
        return self.escalate is not None or any(conditions)

    def doubt(self, calibration: Calibration | None) -> DoubtRule:
        """Return the rule that these options make, with the threshold of a calibration."""
        asks_nothing = self.below is None and calibration is None and not self.failed
        return DoubtRule(
            below=calibration.threshold if calibration else self.below,
            everything=calibration is not None and calibration.threshold is None,
            order_dependent=self.order_dependent or asks_nothing,
            failed=self.failed,
        )


def doubt_header(trusting: Trusting, header: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run's header says about doubt: the rule, and the calibration that is applied.

    Raises:
        DataError: the calibration cannot be read, or is another judge's.
        UsageError: a threshold is asked of a judge without probabilities.
    """
    if not trusting.is_on:
        return {}
    calibration, table = None, None
    if trusting.calibration is not None:
        calibration = read_calibration(trusting.calibration)
        _check_judge(trusting.calibration, calibration, header)
        table = {
            "file": trusting.calibration.name,
            "temperature": calibration.temperature,
            "threshold": calibration.threshold,
            "agree": calibration.agree,
            "confidence": calibration.confidence,
        }
    rule = trusting.doubt(calibration)
    has_threshold = rule.below is not None or calibration is not None
    if has_threshold and header["prompt"]["place"] == VerdictPlace.IN_TEXT:
        option = "--below" if calibration is None else "--calibration"
        message = f"{option}: with the prompt {header['prompt']['family']} a judge gives no probabilities"
        raise UsageError(f"{message}; doubt by --order-dependent, or choose another prompt")
    return {"doubt": rule.as_table, "calibration": table}


def _check_judge(path: Path, calibration: Calibration, header: Mapping[str, Any]) -> None:
    """Refuse a calibration of another judge, or of this one asked in another way."""
    here = calibrated_judge(header)
    if not any(calibration.judge.values()):
        message = f"{path}: calibrated on verdicts made elsewhere, whose judge is not known"
        raise DataError(f"{message}; calibrate this judge with `judge calibrate RUN LABELS`")
    for name, value in here.items():
        if name == "name" and here.get("sha256"):
            continue  # the same weights may be called otherwise
        if calibration.judge.get(name) != value:
            was, now = (f"{one!s:.24}" for one in (calibration.judge.get(name), value))
            message = f"{path}: calibrated with another {name.replace('_', ' ')} ({was}, now {now})"
            raise DataError(f"{message}; calibrate this judge with `judge calibrate`")
