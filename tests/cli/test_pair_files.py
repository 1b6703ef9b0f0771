"""The run file and the report files of `judge pair`: where they go, and what they never overwrite."""

import json
import sys
from pathlib import Path

import pytest

from judgecli.cli.output import write_whole
from tests.conftest import Judge
from tests.judging import answers, last_rows, prefers, script, two_files

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl")


def test_report_files_are_those_of_judge_report(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    done = judge(*PAIR, *model, *("-r", "r.md", "--report", "r.json", "-r", "r.TXT"))
    for name, form in (("r.md", "markdown"), ("r.json", "json"), ("r.TXT", "terminal")):
        text = (folder / name).read_text(encoding="utf-8")
        assert text == judge("report", RUN, "--format", form).out
    assert (folder / "r.TXT").read_text(encoding="utf-8") == done.out
    assert (folder / "r.md").stat().st_mode & 0o044
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith((".", "tmp"))) == []


@pytest.mark.parametrize(
    ("report", "code", "sentence"),
    [
        ("r.pdf", 2, "--report r.pdf: no report has this suffix; use one of .md, .html, .xml, .json, .txt"),
        ("no/r.md", 6, "--report no/r.md: there is no folder no; make it first"),
        ("d.md", 6, "--report d.md: this is a folder; name a file in it"),
        ("d.md/../c.json", 2, "--report d.md/../c.json: this is an input, which a report would overwrite"),
    ],
)
def test_report_files_are_checked_before_anything_is_judged(
    judge: Judge, model: tuple[str, ...], folder: Path, report: str, code: int, sentence: str
) -> None:
    (folder / "d.md").mkdir()
    (folder / "c.json").write_text(json.dumps(answers("GOOD", "x", "y", "z")), encoding="utf-8")
    before = (folder / "c.json").read_bytes()
    done = judge("pair", "a.jsonl", "c.json", *model, "-r", report)
    assert (done.code, done.sentence) == (code, sentence)
    assert (folder / "c.json").read_bytes() == before
    assert not list(folder.glob("*.judge.jsonl"))


def test_a_report_is_written_whatever_characters_are_in_it(folder: Path) -> None:
    write_whole(folder / "r.txt", "lone \ud800, 東京\n")
    assert (folder / "r.txt").read_text(encoding="utf-8") == "lone \\ud800, 東京\n"


def test_a_report_that_cannot_be_written_leaves_no_half(
    judge: Judge, model: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("judgecli.cli.output.Path.replace", full)
    done = judge(*PAIR, *model, "-r", "r.md")
    assert (done.code, done.sentence) == (6, "r.md: cannot write the report (No space left on device)")
    assert sorted(path.name for path in folder.iterdir()) == [
        *("a-vs-b.judge.jsonl", "a.jsonl"),
        "b.jsonl",
        "judge.jsonl",
    ]


def test_out_and_orders(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    done = judge(*PAIR, *model, "-o", "sub run.jsonl", "--orders", "ab")
    assert "one order" in done.err
    assert list(last_rows(folder / "sub run.jsonl")) == [(f"q{n}", "AB") for n in range(1, 5)]
    assert not RUN.exists()


@pytest.mark.parametrize(
    ("out", "sentence"),
    [
        (".", ".: this is a folder; name a file in it with --out"),
        ("no/run.jsonl", "no/run.jsonl: there is no folder no; make it, or name another file with --out"),
        ("x" * 300, "cannot be used (File name too long); name another with --out"),
        ("/dev/null", "/dev/null: not a regular file, which the report reads back; name one with --out"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX names")
def test_a_run_file_that_cannot_be_written(
    judge: Judge, model: tuple[str, ...], out: str, sentence: str
) -> None:
    done = judge(*PAIR, *model, "--out", out)
    assert (done.code, done.out) == (6, "")
    assert done.sentence.endswith(sentence)


def test_a_folder_that_may_not_be_written(
    judge: Judge, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    done = judge(*PAIR, *model)
    assert done.code == 6
    assert done.sentence == "a-vs-b.judge.jsonl: no permission to write the run file; name another with --out"


def test_something_else_under_the_run_files_name(judge: Judge, model: tuple[str, ...]) -> None:
    for fresh in ((), ("--fresh",)):
        done = judge(*PAIR, *model, "--out", "b.jsonl", *fresh)
        assert (done.code, done.sentence) == (
            3,
            "b.jsonl: there already and not a run file; write elsewhere with --out",
        )


def test_an_unlike_run_is_refused_and_stays(judge: Judge, model: tuple[str, ...]) -> None:
    judge(*PAIR, *model)
    before = RUN.read_bytes()
    done = judge(*PAIR, *model, "--orders", "ab")
    assert done.code == 3
    assert done.sentence == (
        "a-vs-b.judge.jsonl holds a run with another --orders (both, now ab); go on with the old value, "
        "start anew with --fresh, or write elsewhere with --out"
    )
    assert RUN.read_bytes() == before
    assert judge(*PAIR, *model, "--orders", "ab", "--fresh").code == 0


def test_changed_answers_in_the_same_run_file(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    judge(*PAIR, *model)
    two_files(folder, ["GOOD", "poor", "GOOD now", "x"], ["poor", "GOOD", "same kind", "y"])
    done = judge(*PAIR, *model)
    assert "note: 2 judgments of prompts that are not in this input are ignored" in done.err
    assert "2 judgments of prompts" in " ".join(done.out.split())
    assert "4 comparisons (8 judgments)" in done.out


def test_retry_asks_failures_again(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    judge(*PAIR, *model)
    better = script(folder, *prefers("GOOD"))
    assert "1 of 4 unreadable" in judge(*PAIR, *better).out
    done = judge(*PAIR, *better, "--retry")
    assert "6 of 8 judgments there" in done.err
    assert "unreadable" not in done.out


def test_limit_then_all(judge: Judge, model: tuple[str, ...]) -> None:
    assert "2 comparisons (4 judgments)" in judge(*PAIR, *model, "--limit", 2).out
    done = judge(*PAIR, *model)
    assert "going on in a-vs-b.judge.jsonl: 4 of 8 judgments there" in done.err
    assert "4 comparisons (8 judgments)" in done.out
