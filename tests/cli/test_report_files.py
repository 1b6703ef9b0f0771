"""Reports to files by suffix, and the pairs that are listed with --only."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Judge
from tests.judging import answers, script, strict_json, two_files, write_jsonl

RUN = Path("a-vs-b.judge.jsonl")
SUFFIXES = {".md": "### ", ".html": "<!DOCTYPE html>", ".xml": "<?xml ", ".json": "{", ".txt": "no diff"}


@pytest.fixture
def four(judge: Judge, folder: Path, model: tuple[str, ...]) -> Path:
    """A run of four pairs: q1 is A's, q2 is B's, q3 a tie, q4 cannot be read."""
    assert judge("pair", "a.jsonl", "b.jsonl", *model, "-q").code == 0
    return RUN


def test_each_suffix_has_its_format_and_several_go_at_once(judge: Judge, folder: Path, four: Path) -> None:
    done = judge("report", four, *(part for suffix in SUFFIXES for part in ("-r", f"r{suffix}")))
    assert (done.code, done.err) == (0, "")
    for suffix, beginning in SUFFIXES.items():
        assert (folder / f"r{suffix}").read_text(encoding="utf-8").startswith(beginning)
    assert strict_json((folder / "r.json").read_text(encoding="utf-8"))["about"] == "pair"
    suite = ElementTree.fromstring((folder / "r.xml").read_bytes())[0]
    assert (suite.attrib["tests"], suite.attrib["errors"]) == ("2", "0")
    assert suite.attrib["skipped"] == "1"


def test_a_run_of_pairs_writes_them_too(judge: Judge, folder: Path, model: tuple[str, ...]) -> None:
    done = judge("pair", "a.jsonl", "b.jsonl", *model, "-q", "-r", "r.html", "-r", "r.XML")
    assert done.code == 0
    assert "<!DOCTYPE html>" in (folder / "r.html").read_text(encoding="utf-8")
    assert (folder / "r.XML").read_text(encoding="utf-8").startswith("<?xml")


@pytest.mark.parametrize("name", ["r.pdf", "r", "html"])
def test_another_suffix_is_refused(judge: Judge, four: Path, name: str) -> None:
    done = judge("report", four, "-r", name)
    assert (done.code, done.sentence) == (
        2,
        f"--report {name}: no report has this suffix; use one of .md, .html, .xml, .json, .txt",
    )


def test_a_report_without_a_name_is_refused(judge: Judge, four: Path) -> None:
    done = judge("report", four, "-r", "")
    assert (done.code, done.sentence) == (
        2,
        "--report is empty; name a file that ends in one of .md, .html, .xml, .json, .txt",
    )


def test_only_lists_these_pairs_beneath_the_report(judge: Judge, four: Path) -> None:
    plain = judge("report", four).out
    done = judge("report", four, "--only", "losses,failures")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(plain)
    rest = done.out.removeprefix(plain)
    assert rest.startswith("\n2 pairs listed\n\nq1\nasked        Question 1?\n")
    assert "verdict      loss, scores A 9, B 3\n" in rest
    assert "verdict      unreadable, no two scores in 'I cannot.'\n" in rest
    assert "q2" not in rest


def test_only_is_in_json_and_markdown_too(judge: Judge, folder: Path, four: Path) -> None:
    done = judge("report", four, "--only", " wins , ties", "--format", "json", "-r", "r.md", "-r", "r.txt")
    assert [one["id"] for one in done.report["pairs"]] == ["q2", "q3"]
    assert "| q2 | win, scores A 3, B 9 | Question 2? | poor | GOOD |" in (folder / "r.md").read_text("utf-8")
    assert "2 pairs listed" in (folder / "r.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("kinds", ["loses", "", "losses,", "losses;flips"])
def test_a_kind_that_there_is_not_is_refused(judge: Judge, four: Path, kinds: str) -> None:
    done = judge("report", four, "--only", kinds)
    assert (done.code, done.out) == (2, "")
    assert done.sentence.startswith(
        "--only must be one of wins, losses, ties, flips, failures, open, doubtful, flagged, not "
    )


def test_a_run_without_pairs_has_none_to_list(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("one", "two", reference="r"))
    judge("grade", "a.jsonl", *script(folder, "7"), "-q")
    done = judge("report", "a.judge.jsonl", "--only", "losses")
    assert (done.code, done.sentence) == (
        2,
        (
            "--only lists the pairs of a run of judge pair, and a.judge.jsonl is one of judge grade; "
            "leave it out"
        ),
    )
    assert judge("report", "a.judge.jsonl", "-r", "g.html", "-r", "g.xml").code == 0


def test_a_report_does_not_overwrite_a_file_of_which_one_model_is_chosen(judge: Judge, folder: Path) -> None:
    """`results.json#a` is a part of results.json."""
    rows = answers("one", "two")
    (folder / "results.json").write_text("[]", encoding="utf-8")
    write_jsonl(folder / "b.jsonl", rows)
    done = judge("pair", "results.json#a", "b.jsonl", *script(folder, "9 3"), "-r", "results.json")
    assert (done.code, done.sentence) == (
        2,
        "--report results.json: this is an input, which a report would overwrite",
    )
    assert (folder / "results.json").read_text(encoding="utf-8") == "[]"


def test_commands_without_a_judge_can_be_told_to_be_quiet(judge: Judge, four: Path) -> None:
    assert judge("report", four, "-q").out == judge("report", four).out
    assert judge("diff", four, four, "-q").code == 0


def test_the_files_of_every_judge_and_the_run_file_are_not_overwritten(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    model = script(folder, "9 3")
    (folder / "second.json").write_text('{"reply": "9 3"}\n', encoding="utf-8")
    second = ("--order-dependent", "--escalate", "scripted:second.json", "--escalate-prompt", "judgelm")
    for options, path, kind in (
        (second, "second.json", "an input"),
        (("-o", "r.json"), "r.json", "the run file"),
    ):
        done = judge("pair", "a.jsonl", "b.jsonl", *model, *options, "-r", path)
        assert (done.code, done.out) == (2, "")
        assert done.sentence == f"--report {path}: this is {kind}, which a report would overwrite"
    assert (folder / "second.json").read_text(encoding="utf-8").startswith('{"reply"')


def test_a_calibration_and_report_files_go_together(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    (folder / "cal.json").write_text("{}", encoding="utf-8")
    done = judge(
        "pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "--calibration", "cal.json", "-r", "r.md"
    )
    assert (done.code, done.out) == (3, "")
    assert "cal.json" in done.sentence


def test_a_ci_server_is_told_what_ends_the_command(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x", "x"], ["y", "y"])
    model = script(folder, {"id": "q1", "reply": "no"}, "9 3")
    for options, code, n_errors in (((), 0, "0"), (("--max-failures", 0.1), 5, "2")):
        done = judge("pair", "a.jsonl", "b.jsonl", *model, *options, "-r", "r.xml")
        assert done.code == code
        assert ElementTree.fromstring((folder / "r.xml").read_bytes())[0].attrib["errors"] == n_errors
