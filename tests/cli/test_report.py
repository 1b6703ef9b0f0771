"""`judge report`: the same report again, from the run file alone."""

from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import prefers, script, two_files

RUN = Path("a-vs-b.judge.jsonl")


@pytest.mark.parametrize("form", ["terminal", "json", "markdown"])
def test_it_equals_what_pair_printed(judge: Judge, folder: Path, form: str) -> None:
    two_files(folder, ["GOOD", "poor", ""], ["poor", "GOOD", "x"])
    printed = judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")), "--format", form).out
    for name in ("a.jsonl", "b.jsonl", "judge.jsonl"):
        (folder / name).unlink()
    done = judge("report", RUN, "--format", form, "-r", "again.txt")
    assert (done.code, done.out, done.err) == (0, printed, "")
    assert (folder / "again.txt").exists()


def test_a_run_of_failures_is_a_result_here(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    assert judge("pair", "a.jsonl", "b.jsonl", *script(folder, "no")).code == 5
    assert judge("report", RUN).code == 0


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("missing.jsonl", "missing.jsonl: cannot read the run file (No such file or directory)"),
        (".", ".: cannot read the run file (Is a directory)"),
        ("a.jsonl", "a.jsonl: not a run file (it does not begin with a header)"),
        ("empty.jsonl", "empty.jsonl: not a run file (no header row)"),
    ],
)
def test_what_is_no_run_file(judge: Judge, folder: Path, name: str, sentence: str) -> None:
    two_files(folder, ["x"], ["y"])
    (folder / "empty.jsonl").touch()
    done = judge("report", name)
    assert (done.code, done.out, done.sentence) == (3, "", sentence)


def test_a_broken_row_is_named(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))
    content = RUN.read_text(encoding="utf-8").replace('"winner": "A"', '"winner": "X"')
    RUN.write_text(content, encoding="utf-8")
    for command in (("report", RUN), ("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))):
        done = judge(*command)
        assert done.code == 3
        assert done.sentence == f"{RUN}:3: broken row of a run file (a judgment of AB speaks of X)"


def test_the_run_file_is_never_overwritten_by_its_report(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "-o", "run.json")
    done = judge("report", "run.json", "-r", "run.json")
    assert (done.code, done.sentence) == (
        2,
        "--report run.json: this is an input, which a report would overwrite",
    )
