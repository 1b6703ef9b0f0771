"""`judge calibrate`: a calibration file, written whole and over nothing but another calibration."""

import json
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import prefers, script, write_jsonl
from tests.labelling import RUN, label_rows, sure_verdicts, two_answer_files, write_labels

LABELS = ("A", "B") * 60
OUT = Path("cal.json")


@pytest.fixture
def inputs(folder: Path) -> tuple[str, str]:
    """Verdicts of 120 items with probabilities, of which 6 that are less sure are wrong; and labels."""
    write_jsonl(folder / "verdicts.jsonl", sure_verdicts(LABELS, wrong=range(1, 121, 20)))
    return "verdicts.jsonl", write_labels(folder, label_rows(LABELS))


def test_it_writes_what_it_reports(judge: Judge, inputs: tuple[str, str]) -> None:
    done = judge("calibrate", *inputs, "-o", OUT, "--format", "json")
    assert (done.code, done.err) == (0, "calibration written to cal.json\n")
    assert judge("calibrate", *inputs, "-o", OUT, "-q").err == ""
    content = json.loads(OUT.read_text(encoding="utf-8"))
    assert (content["agree"], content["confidence"]) == (0.8, 0.9)
    assert (content["n_fit"], content["n_test"], content["labels"]) == (60, 60, "labels.jsonl")
    assert content["temperature"] > 0
    assert 0 < content["threshold"] <= 1
    assert done.report["calibration"]["threshold"] == content["threshold"]
    assert judge("calibrate", *inputs, "-o", OUT).out


def test_a_seed_draws_other_halves_and_the_same_one_the_same(judge: Judge, inputs: tuple[str, str]) -> None:
    made = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        judge("calibrate", *inputs, "-o", f"{name}.json", "--seed", seed)
        content = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
        made[name] = (content["temperature"], content["steps"])
    assert made["a"] == made["b"] != made["c"]


def test_a_guarantee_that_cannot_be_had_is_a_result(judge: Judge, inputs: tuple[str, str]) -> None:
    done = judge("calibrate", *inputs, "-o", OUT, "--agree", 0.999, "--confidence", 0.999)
    assert done.code == 0
    assert json.loads(OUT.read_text(encoding="utf-8"))["threshold"] is None


@pytest.mark.parametrize(("option", "value"), [("--agree", 1), ("--agree", 0), ("--confidence", 1.2)])
def test_shares_that_mean_nothing(judge: Judge, inputs: tuple[str, str], option: str, value: float) -> None:
    done = judge("calibrate", *inputs, "-o", OUT, option, value)
    assert (done.code, done.sentence) == (2, f"{option} must be between 0 and 1, not {value:g}")
    assert not OUT.exists()


def test_a_calibration_is_made_again_in_its_place(judge: Judge, inputs: tuple[str, str]) -> None:
    judge("calibrate", *inputs, "-o", OUT)
    assert judge("calibrate", *inputs, "-o", OUT, "--agree", 0.7).code == 0
    assert json.loads(OUT.read_text(encoding="utf-8"))["agree"] == 0.7


@pytest.mark.parametrize(
    ("place", "code", "sentence"),
    [
        ("verdicts.jsonl", 2, "this is an input, which the calibration would overwrite"),
        ("labels.jsonl", 2, "this is an input, which the calibration would overwrite"),
        ("notes.txt", 6, "there already and not a calibration; name another file"),
        (".", 6, "this is a folder; name a file in it"),
        ("none/cal.json", 6, "there is no folder none; make it first"),
    ],
)
def test_nothing_else_is_overwritten(
    judge: Judge, inputs: tuple[str, str], place: str, code: int, sentence: str
) -> None:
    Path("notes.txt").write_text("mine", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = judge("calibrate", *inputs, "-o", place)
    assert (done.code, done.out, done.sentence) == (code, "", f"--out {place}: {sentence}")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_report_does_not_overwrite_the_calibration(judge: Judge, inputs: tuple[str, str]) -> None:
    done = judge("calibrate", *inputs, "-o", OUT, "-r", OUT)
    assert (done.code, OUT.exists()) == (2, False)


def test_a_calibration_needs_a_place(judge: Judge, inputs: tuple[str, str]) -> None:
    done = judge("calibrate", *inputs)
    assert done.code == 2
    assert "--out" in done.err


def test_verdicts_without_probabilities_leave_no_file(judge: Judge, folder: Path) -> None:
    two_answer_files(folder, LABELS[:4])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")), "-q")
    done = judge("calibrate", RUN, write_labels(folder, label_rows(LABELS[:4])), "-o", OUT)
    assert (done.code, OUT.exists()) == (3, False)
    assert done.sentence.startswith("the run has no probabilities of its verdicts")


def test_grouped_labels_use_one_item_a_group(judge: Judge, inputs: tuple[str, str], folder: Path) -> None:
    rows = [{**row, "topic": n // 2} for n, row in enumerate(label_rows(LABELS))]
    write_labels(folder, rows)
    done = judge("calibrate", *inputs, "-o", OUT, "--group", "topic", "--format", "json")
    assert done.code == 0, done.err
    content = json.loads(OUT.read_text(encoding="utf-8"))
    assert content["n_fit"] + content["n_test"] == 60
