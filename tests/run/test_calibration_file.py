"""Calibration files: what is written reads back the same, and what is wrong is named."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import judgecli
from judgecli.analysis.trust.temperature import BOUNDS
from judgecli.errors import DataError, OutputError, UsageError
from judgecli.run.calibration_file import (
    calibration_text,
    check_calibration_place,
    read_calibration,
    write_calibration,
)
from judgecli.types import Calibration, CalibrationSummary, Estimate, ProbabilityScores, Step

FILE = Path("cal.json")
NONE = Estimate(name="made up", value=None, n=0, method="made up")
SCORES = ProbabilityScores(n=30, brier=0.2, nll=0.6, ece=None)
STEP = Step(threshold=0.9, n=40, k=2, bound=0.125, passed=True)


def files() -> list[str]:
    return [path.name for path in Path().iterdir()]


def summary(**fields: Any) -> CalibrationSummary:
    judge = {"name": "demo:Q4_1", "sha256": "ab12", "family": "chat", "shots": None}
    own = {"temperature": 1.75, "threshold": 0.9, "agree": 0.8, "confidence": 0.9, "judge": judge, **fields}
    return CalibrationSummary(
        cautions=(),
        labels_file="labels.jsonl",
        calibration=Calibration(**own),
        n_fit=30,
        n_test=31,
        before=SCORES,
        after=SCORES,
        steps=(STEP,),
        coverage=NONE,
        agreement=NONE,
    )


@pytest.mark.parametrize("threshold", [0.9, 0, 1, None])
def test_what_is_written_reads_back_the_same(folder: Path, threshold: float | None) -> None:
    made = summary(threshold=threshold)
    write_calibration(FILE, made)
    assert read_calibration(FILE) == made.calibration
    assert files() == ["cal.json"]


def test_the_file_says_where_it_comes_from() -> None:
    content = json.loads(calibration_text(summary()))
    assert (content["file"], content["version"]) == ("judgecli calibration", 1)
    assert (content["n_fit"], content["n_test"], content["labels"]) == (30, 31, "labels.jsonl")
    assert content["steps"] == [{"threshold": 0.9, "n": 40, "k": 2, "bound": 0.125, "passed": True}]
    assert content["judgecli"] == judgecli.__version__
    assert content["created_at"].endswith("+00:00")


def changed(folder: Path, **fields: Any) -> None:
    """Write the file with other values; `...` leaves one out."""
    content = json.loads(calibration_text(summary())) | fields
    FILE.write_text(json.dumps({k: v for k, v in content.items() if v is not ...}), encoding="utf-8")


AGAIN = "make it again with `judge calibrate`"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("temperature", 0, "temperature must be a number from 0.01 to 100, not 0"),
        ("temperature", "1.5", "temperature must be a number from 0.01 to 100, not '1.5'"),
        ("temperature", True, "temperature must be a number from 0.01 to 100, not True"),
        ("temperature", None, "temperature must be a number from 0.01 to 100, not None"),
        ("temperature", 10**400, f"temperature must be a number from 0.01 to 100, not 1{'0' * 39}"),
        ("temperature", ..., "no 'temperature' in this calibration"),
        ("temperature", 5e-324, "temperature must be a number from 0.01 to 100, not 5e-324"),
        ("temperature", 101, "temperature must be a number from 0.01 to 100, not 101"),
        ("threshold", 1.01, "threshold must be null or a number from 0 to 1, not 1.01"),
        ("threshold", -0.1, "threshold must be null or a number from 0 to 1, not -0.1"),
        ("threshold", ..., "no 'threshold' in this calibration"),
        ("agree", 1, "agree must be a number between 0 and 1, not 1"),
        ("agree", [0.8], "agree must be a number between 0 and 1, not [0.8]"),
        ("confidence", 0, "confidence must be a number between 0 and 1, not 0"),
        ("n_fit", 1.5, "n_fit must be a whole number, not 1.5"),
        ("n_test", -1, "n_test must be a whole number, not -1"),
        ("judge", {}, "judge must be an object that says which judge was calibrated, not {}"),
        ("judge", "demo", "judge must be an object that says which judge was calibrated, not 'demo'"),
        ("judge", ..., "no 'judge' in this calibration"),
    ],
)
def test_a_value_that_no_calibration_has_is_named(folder: Path, key: str, value: Any, said: str) -> None:
    changed(folder, **{key: value})
    with pytest.raises(DataError) as error:
        read_calibration(FILE)
    assert str(error.value) == f"cal.json: {said}; {AGAIN}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not a calibration (not one JSON object)"),
        (b"[1]", "not a calibration (not one JSON object)"),
        (b'{"row": "header"}\n{"row": "item"}\n', "not a calibration (not one JSON object)"),
        (b"\xff\xfe\x00", "not a calibration (not one JSON object)"),
        (b"[" * 100_000, "not a calibration (not one JSON object)"),
        (b'{"file": NaN}', "not a calibration (not one JSON object)"),
        (b'{"temperature": 1}', "not a calibration; make one with `judge calibrate RUN LABELS -o FILE`"),
        (
            b'{"file": "judgecli calibration", "version": 2}',
            "a calibration of version 2, and this judgecli reads 1",
        ),
        (
            b'{"file": "judgecli calibration", "version": true}',
            "a calibration of version True, and this judgecli reads 1",
        ),
    ],
)
def test_what_is_no_calibration(folder: Path, content: bytes, said: str) -> None:
    FILE.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_calibration(FILE)
    assert str(error.value) == f"cal.json: {said}"


@pytest.mark.parametrize(
    ("key", "other"),
    [("temperature", '"temperature": 0.5, '), ("family", '"judge": {"family": "a", "family": "b"}, ')],
)
def test_a_key_that_is_there_twice(folder: Path, key: str, other: str) -> None:
    write_calibration(FILE, summary())
    content = FILE.read_text(encoding="utf-8")
    FILE.write_text(content.replace("{", "{" + other, 1), encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_calibration(FILE)
    assert str(error.value) == f"cal.json: {key!r} is there twice in this calibration; {AGAIN}"


def test_temperatures_from_end_to_end_are_read(folder: Path) -> None:
    for temperature in (0.01, *BOUNDS, 100):
        write_calibration(FILE, summary(temperature=temperature))
        assert read_calibration(FILE).temperature == temperature


def test_a_file_that_is_not_there(folder: Path) -> None:
    with pytest.raises(DataError, match=r"^cal\.json: cannot read the calibration \(No such file"):
        read_calibration(FILE)


def test_a_calibration_may_be_made_again_and_nothing_else_overwritten(folder: Path) -> None:
    check_calibration_place(FILE, ("run.jsonl", "labels.jsonl"))
    write_calibration(FILE, summary())
    check_calibration_place(FILE, ("run.jsonl", "labels.jsonl"))
    changed(folder, version=7)
    check_calibration_place(FILE, ())
    with pytest.raises(UsageError, match="this is an input, which the calibration would overwrite"):
        check_calibration_place(FILE, ("run.jsonl", "./cal.json"))
    for content in ('{"temperature": 1}', "[]", "text"):
        FILE.write_text(content, encoding="utf-8")
        with pytest.raises(OutputError, match="there already and not a calibration; name another file"):
            check_calibration_place(FILE, ())


def test_places_where_no_file_can_be(folder: Path) -> None:
    with pytest.raises(OutputError, match="this is a folder; name a file in it"):
        check_calibration_place(folder, ())
    with pytest.raises(OutputError, match="there is no folder nowhere; make it first"):
        check_calibration_place(Path("nowhere/cal.json"), ())
    os.mkfifo("pipe")
    with pytest.raises(OutputError, match="not a calibration"):
        check_calibration_place(Path("pipe"), ())


def test_a_calibration_is_written_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_calibration(FILE, summary())
    before = FILE.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("judgecli.run.whole_file.Path.replace", full)
    with pytest.raises(OutputError, match=r"cal\.json: cannot write the calibration \(No space left"):
        write_calibration(FILE, summary(temperature=3.0))
    assert (FILE.read_bytes(), files()) == (before, ["cal.json"])
