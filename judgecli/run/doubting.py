"""From what on the first judge is not trusted: what the caller asks, and what a run header says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judgecli.errors import DataError, UsageError
from judgecli.ledger import KEYED, option_name
from judgecli.run.calibration_file import read_calibration
from judgecli.types import Calibration, DoubtRule, VerdictPlace, calibrated_judge

_MAX_CHARACTERS, _N_SHOWN = 60, 24  # of a value in a message: an address is shown whole, a hash is not

# What a calibration says of its judge, by what a run's header calls it.
_KEYED = {
    "name": "model.sha256",
    "family": "prompt.family",
    "prompt_hash": "prompt.hash",
    "base_url": "backend.base_url",
    "model": "backend.model",
}


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
        if self.below is not None and not _is_probability(self.below):
            raise UsageError(f"--below is a probability above 0 and up to 1, not {_shown(self.below)}")
        if not isinstance(self.escalate, str | None):
            raise UsageError(f"--escalate is the name of a stronger judge, not {_shown(self.escalate)}")
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

    @property
    def _names_nothing(self) -> bool:
        return self.below is None and self.calibration is None and not self.failed

    def check_one_order(self) -> None:
        """Refuse a condition that no pair can meet if it is judged in one order.

        Raises:
            UsageError: naming the option.
        """
        if self.order_dependent or (self.escalate is not None and self._names_nothing):
            option = "--order-dependent" if self.order_dependent else "--escalate without a condition"
            raise UsageError(f"{option} needs both orders; use --below, or leave out --orders ab")

    def doubt(self, calibration: Calibration | None) -> DoubtRule:
        """Return the rule that these options make, with the threshold of a calibration."""
        return DoubtRule(
            below=calibration.threshold if calibration else self.below,
            everything=calibration is not None and calibration.threshold is None,
            order_dependent=self.order_dependent or self._names_nothing,
            failed=self.failed,
        )


def _is_probability(value: object) -> bool:
    """Whether this is a number above 0 and up to 1; true and false are none, though Python has them so."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 1


def _shown(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:g}" if is_number else f"{value!r:.40}"


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
        was, what = calibration.judge.get(name), _called(name)
        if was == value:
            continue
        if name not in calibration.judge:  # as in those of an older judgecli
            message = f"{path}: does not say with which {what} it was calibrated"
            raise DataError(f"{message}; calibrate this judge again with `judge calibrate`")
        message = f"{path}: calibrated with another {what} ({_short(was)}, now {_short(value)})"
        raise DataError(f"{message}; calibrate this judge with `judge calibrate`")


def _called(name: str) -> str:
    """Return what the user calls a part of what a calibration says of its judge."""
    if name == "sha256":
        return "judge's weights"
    field = name if name in KEYED else _KEYED.get(name, f"prompt.{name}")
    return option_name(field)


def _short(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    text = "none" if value is None else str(value)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_N_SHOWN]}..."
