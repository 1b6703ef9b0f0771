"""Calibration files: one JSON object, written by `judge calibrate` and applied with `--calibration`.

    {"file": "judgecli calibration", "version": 1, "judge": {...}, "temperature": 1.4, "threshold": 0.8,
     "agree": 0.8, "confidence": 0.9, ...}

`judge` is what the judge's run header says that has to be the same where the calibration is applied.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import judgecli
from judgecli.errors import DataError, OutputError, UsageError
from judgecli.run.whole_file import check_place, write_whole
from judgecli.types import Calibration, CalibrationSummary
from judgecli.types.paths import is_file, is_same_place, is_there

KIND = "judgecli calibration"
VERSION = 1
_REMEDY = "make it again with `judge calibrate`"
_LOWEST, _HIGHEST = 0.01, 100.0  # of temperatures: wider than any that is fitted, and logarithms stay finite
_LARGEST = 1e300  # JSON has whole numbers that no float holds
_MAX_BYTES = 1_000_000  # a calibration takes a few thousand; a run file taken for one need not be read whole


def calibration_text(summary: CalibrationSummary) -> str:
    """Return a calibration as the text of its file."""
    calibration = summary.calibration
    content = {
        "file": KIND,
        "version": VERSION,
        "judge": dict(calibration.judge),
        "temperature": calibration.temperature,
        "threshold": calibration.threshold,
        "agree": calibration.agree,
        "confidence": calibration.confidence,
        "n_fit": summary.n_fit,
        "n_test": summary.n_test,
        "labels": summary.labels_file,
        "steps": [asdict(step) for step in summary.steps],
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "judgecli": judgecli.__version__,
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def check_calibration_place(path: Path, inputs: Iterable[str]) -> None:
    """Refuse a place where no calibration can or may be written.

    Raises:
        UsageError: it is one of the inputs.
        OutputError: a folder, no folder to write it in, or something there that is no calibration.
    """
    if any(is_same_place(path, Path(name)) for name in inputs):
        raise UsageError(f"--out {path}: this is an input, which the calibration would overwrite")
    check_place(path, "--out")
    if is_there(path) and not _is_calibration(path):
        raise OutputError(f"--out {path}: there already and not a calibration; name another file")


def _is_calibration(path: Path) -> bool:
    """Whether a file is a calibration, of whatever version, sound or not."""
    try:
        return is_file(path) and _content(path).get("file") == KIND
    except DataError:
        return False


def write_calibration(path: Path, summary: CalibrationSummary) -> None:
    """Write a calibration file whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    write_whole(path, calibration_text(summary), what="calibration")


def read_calibration(path: Path) -> Calibration:
    """Read a calibration file.

    Raises:
        DataError: it cannot be read, is no calibration, or holds a value that none has.
    """
    content = _content(path)
    if content.get("file") != KIND:
        raise DataError(f"{path}: not a calibration; make one with `judge calibrate RUN LABELS -o FILE`")
    if content.get("version") != VERSION or isinstance(content.get("version"), bool):
        version = f"{content.get('version')!r:.40}"
        raise DataError(f"{path}: a calibration of version {version}, and this judgecli reads {VERSION}")
    for check in _CHECKS:
        if check.key not in content:
            raise DataError(f"{path}: no {check.key!r} in this calibration; {_REMEDY}")
        value = content[check.key]
        if not check.holds(value):
            raise DataError(f"{path}: {check.key} must be {check.wanted}, not {value!r:.40}; {_REMEDY}")
    return Calibration(
        temperature=float(content["temperature"]),
        threshold=None if content["threshold"] is None else float(content["threshold"]),
        agree=float(content["agree"]),
        confidence=float(content["confidence"]),
        judge=content["judge"],
    )


def _content(path: Path) -> dict[str, Any]:
    """Return the object in a file.

    Raises:
        DataError: it cannot be read, or holds something else.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        content = json.loads(
            data.decode("utf-8-sig"),
            parse_constant=_refuse,
            object_pairs_hook=lambda pairs: _table(path, pairs),
        )
    except OSError as error:
        raise DataError(f"{path}: cannot read the calibration ({error.strerror or error})") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not a calibration (not one JSON object)") from error
    if not isinstance(content, dict):
        raise DataError(f"{path}: not a calibration (not one JSON object)")
    return content


def _table(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; of a key that is there twice nobody knows which one was meant."""
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = next(key for key in table if [name for name, _ in pairs].count(key) > 1)
        raise DataError(f"{path}: {twice!r:.40} is there twice in this calibration; {_REMEDY}")
    return table


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class _Check(NamedTuple):
    key: str
    wanted: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


def _is_share(value: Any) -> bool:
    return _is_number(value) and 0 < value < 1


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


_CHECKS = (
    _Check(
        "judge", "an object that says which judge was calibrated", lambda v: isinstance(v, dict) and v != {}
    ),
    _Check("temperature", "a number from 0.01 to 100", lambda v: _is_number(v) and _LOWEST <= v <= _HIGHEST),
    _Check(
        "threshold", "null or a number from 0 to 1", lambda v: v is None or (_is_number(v) and 0 <= v <= 1)
    ),
    _Check("agree", "a number between 0 and 1", _is_share),
    _Check("confidence", "a number between 0 and 1", _is_share),
    _Check("n_fit", "a whole number", _is_count),
    _Check("n_test", "a whole number", _is_count),
)
