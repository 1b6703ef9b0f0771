"""`judge diff`: two run files held against each other."""

from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import answers, prefers, script, two_files, write_jsonl

OLD, NEW = Path("old.judge.jsonl"), Path("new.judge.jsonl")
A = ["GOOD", "poor", "same sort", "poor"]


@pytest.fixture
def two_runs(judge: Judge, folder: Path) -> None:
    """Two runs of one judge: the candidate's answer to q1 became better."""
    asked = script(folder, *prefers("GOOD"))
    two_files(folder, A, ["poor", "GOOD", "same kind", "x"])
    assert judge("pair", "a.jsonl", "b.jsonl", *asked, "-q", "-o", OLD).code == 0
    two_files(folder, A, ["GOOD too", "GOOD", "same kind", "x"])
    assert judge("pair", "a.jsonl", "b.jsonl", *asked, "-q", "-o", NEW).code == 0


@pytest.mark.usefixtures("two_runs")
def test_what_changed_from_one_run_to_the_next(judge: Judge) -> None:
    done = judge("diff", OLD, NEW, "--format", "json")
    assert (done.code, done.err) == (0, "")
    report = done.report
    assert report["about"] == "diff"
    assert report["headline"].startswith("old to new: win rate ")
    assert report["same_judge"] is True
    assert [one["id"] for one in report["changed"]] == ["q1"]
    assert report["changed"][0]["same_b"] is False


@pytest.mark.usefixtures("two_runs")
def test_it_is_written_in_every_format(judge: Judge, folder: Path) -> None:
    names = ("d.md", "d.html", "d.xml", "d.json", "d.txt")
    done = judge("diff", OLD, NEW, *(part for name in names for part in ("-r", name)))
    assert done.code == 0
    assert done.out.startswith("old to new: ")
    assert (folder / "d.txt").read_text(encoding="utf-8") == done.out
    assert all((folder / name).stat().st_size > 200 for name in names)


@pytest.mark.usefixtures("two_runs")
def test_a_report_does_not_overwrite_a_run(judge: Judge, folder: Path) -> None:
    (folder / "run.json").write_bytes(OLD.read_bytes())
    done = judge("diff", "run.json", NEW, "-r", "run.json")
    assert (done.code, done.sentence) == (
        2,
        "--report run.json: this is an input, which a report would overwrite",
    )


def test_runs_over_other_items_are_refused(judge: Judge, folder: Path) -> None:
    asked = script(folder, "9 3")
    for name, prefix in ((OLD, "p"), (NEW, "q")):
        for side in ("a", "b"):
            rows = [{"id": f"{prefix}1", "question": "?", "answer": side}]
            write_jsonl(folder / f"{side}.jsonl", rows)
        judge("pair", "a.jsonl", "b.jsonl", *asked, "-q", "-o", name)
    done = judge("diff", OLD, NEW)
    assert (done.code, done.out) == (3, "")
    assert done.sentence == (
        "old.judge.jsonl and new.judge.jsonl have no item in common: ids look like 'p1' and 'q1'; "
        "compare runs over the same items"
    )


@pytest.mark.usefixtures("two_runs")
def test_a_run_of_another_command_is_refused(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "g.jsonl", answers("one", "two", reference="r"))
    judge("grade", "g.jsonl", *script(folder, "7"), "-q")
    done = judge("diff", OLD, "g.judge.jsonl")
    assert (done.code, done.sentence) == (
        2,
        "judge diff compares runs of judge pair, and g.judge.jsonl is one of judge grade; name another",
    )


@pytest.mark.usefixtures("two_runs")
def test_what_is_no_run_file(judge: Judge) -> None:
    assert judge("diff", OLD, "a.jsonl").code == 3
    assert judge("diff", "missing.jsonl", NEW).code == 3


@pytest.mark.usefixtures("two_runs")
def test_runs_of_one_name_are_told_apart_by_their_folders(judge: Judge, folder: Path) -> None:
    for place, run in (("monday", OLD), ("tuesday", NEW)):
        (folder / place).mkdir()
        (folder / place / "run.judge.jsonl").write_bytes(run.read_bytes())
    out = judge("diff", "monday/run.judge.jsonl", "tuesday/run.judge.jsonl").out
    assert out.startswith("monday/run to tuesday/run:\n")


@pytest.mark.usefixtures("two_runs")
def test_runs_are_told_apart_by_as_much_of_their_paths_as_that_takes(judge: Judge, folder: Path) -> None:
    def named(first: str, second: str) -> str:
        return judge("diff", first, second, "--format", "json").report["headline"].split(":")[0]

    name = str(OLD)
    assert named(name, name) == "old (first) to old (second)"
    assert named(name, f"./{name}") == "old (first) to old (second)"
    for place in ("x/runs", "y/runs", "z"):
        (folder / place).mkdir(parents=True)
        (folder / place / name).write_bytes(OLD.read_bytes())
    assert named(f"x/runs/{name}", f"z/{name}") == "runs/old to z/old"
    assert named(f"x/runs/{name}", f"y/runs/{name}") == f"x/runs/{name} to y/runs/{name}"
    assert named(f"z/{name}", name) == f"z/old to {folder.name}/old"
