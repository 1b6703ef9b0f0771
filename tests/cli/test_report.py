"""`judge report`: the same report again, from the run file alone."""

import json
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import answers, last_rows, prefers, script, two_files, write_jsonl
from tests.labelling import label_rows, two_answer_files, write_labels

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


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("group", 5, "group is 5, not a field's name"),
        ("by", ["x"], "by is ['x'], not a field's name"),
        ("control_level", None, "control_level is None, not a number from 0 to 1"),
        ("max_invalid", None, "max_invalid is None, not a number from 0 to 1"),
        ("min_items", -5, "min_items is -5, not a number from 0 on"),
        ("early_stop", "yes", "early_stop is 'yes', not true or false"),
        ("seed", None, "seed is None, not a whole number"),
    ],
)
def test_a_gate_that_somebody_edited(judge: Judge, folder: Path, name: str, value: object, said: str) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "--gate", "no-worse")
    header, _, rest = RUN.read_text(encoding="utf-8").partition("\n")
    row = json.loads(header)
    row["gate"][name] = value
    RUN.write_text(f"{json.dumps(row)}\n{rest}", encoding="utf-8")
    done = judge("report", RUN)
    assert (done.code, done.out) == (3, "")
    assert done.sentence == f"the run file's header describes no gate ({said}); judge anew"


MEND = "delete this line, and the run's own command judges anew what is missing"


def test_a_broken_row_is_named(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))
    content = RUN.read_text(encoding="utf-8").replace('"winner": "A"', '"winner": "X"')
    RUN.write_text(content, encoding="utf-8")
    for command in (("report", RUN), ("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))):
        done = judge(*command)
        assert done.code == 3
        assert done.sentence == f"{RUN}:3: broken row of a run file (a judgment of AB speaks of X); {MEND}"
    content = RUN.read_text(encoding="utf-8")
    RUN.write_text(content[1:], encoding="utf-8")
    assert judge("report", RUN).sentence == f"{RUN}:1: not JSON, so not a row of a run file"


def test_what_a_broken_row_held_is_judged_again(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    command = ("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"))
    judge(*command)
    whole = RUN.read_text(encoding="utf-8").splitlines(keepends=True)
    for n in range(1, len(whole)):
        RUN.write_text("".join([*whole[:n], "{\n", *whole[n + 1 :]]), encoding="utf-8")
        assert judge(*command).sentence == f"{RUN}:{n + 1}: not JSON, so not a row of a run file; {MEND}"
        RUN.write_text("".join([*whole[:n], *whole[n + 1 :]]), encoding="utf-8")
        assert judge(*command).code == 0
        assert len(last_rows(RUN)) == 2


def test_the_run_file_is_never_overwritten_by_its_report(judge: Judge, folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    judge("pair", "a.jsonl", "b.jsonl", *script(folder, "9 3"), "-o", "run.json")
    done = judge("report", "run.json", "-r", "run.json")
    assert (done.code, done.sentence) == (
        2,
        "--report run.json: this is an input, which a report would overwrite",
    )


WINNERS = ("A", "B", "B", "tie") * 10


@pytest.fixture
def long_run(judge: Judge, folder: Path) -> Path:
    two_answer_files(folder, WINNERS)
    assert judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")), "-q").code == 0
    return RUN


def test_labels_add_the_win_rate_that_people_would_give(judge: Judge, folder: Path, long_run: Path) -> None:
    labels = write_labels(folder, label_rows(WINNERS[:30]))
    plain = judge("report", long_run, "--format", "json").report
    assert plain["adjusted"] is None
    report = judge("report", long_run, "--labels", labels, "--format", "json").report
    assert report["estimates"] == plain["estimates"]
    assert report["adjusted"]["labelled"] == 30
    assert 0.5 < report["adjusted"]["estimates"]["win_rate"]["value"] < 0.75
    assert judge("report", long_run, "--labels", labels).out != judge("report", long_run).out


def test_fewer_than_20_labels_are_refused(judge: Judge, folder: Path, long_run: Path) -> None:
    labels = write_labels(folder, label_rows(WINNERS[:19]))
    done = judge("report", long_run, "--labels", labels)
    assert (done.code, done.out) == (3, "")
    assert done.sentence.startswith("labels.jsonl: 19 of the run's verdicts have a label")
    assert judge("report", long_run, "--labels", write_labels(folder, label_rows(WINNERS[:20]))).code == 0


def test_labels_of_a_run_without_a_win_rate(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("one", "two", reference="r"))
    judge("grade", "a.jsonl", *script(folder, "7"), "-q")
    done = judge("report", "a.judge.jsonl", "--labels", write_labels(folder, label_rows("AB")))
    assert (done.code, done.out) == (2, "")
    assert done.sentence == (
        "--labels adjusts the win rate of a run of judge pair, and a.judge.jsonl is one of judge grade; "
        "leave it out"
    )


def test_a_win_rate_of_answers_that_a_draw_seated_is_not_adjusted(judge: Judge, folder: Path) -> None:
    rows = [{"id": f"q{n}", "prompt": f"{n}?", "chosen": "good", "rejected": "bad"} for n in range(1, 25)]
    write_jsonl(folder / "pairs.jsonl", rows)
    assert judge("pair", "pairs.jsonl", *script(folder, "9 3"), "-q").code == 0
    done = judge("report", "pairs.judge.jsonl", "--labels", "pairs.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.sentence == (
        "--labels adjusts a win rate, and that of pairs.judge.jsonl compares nothing: answers sit by a draw; "
        "hold the judge against the labels with `judge agree pairs.judge.jsonl`"
    )
    report = judge("report", "pairs.judge.jsonl", "--format", "json").report
    assert report["conclusion"] == "not_compared"
    assert "drawn_seats" in [one["code"] for one in report["warnings"]]


def test_fields_of_the_labels_are_named_here_too(judge: Judge, folder: Path, long_run: Path) -> None:
    rows = [{"key": row["id"], "best": row["winner"], "label": "x"} for row in label_rows(WINNERS)]
    labels = write_labels(folder, rows)
    fields = ("--id-field", "key", "--label-field", "best")
    assert judge("report", long_run, "--labels", labels).code == 3
    assert judge("report", long_run, "--labels", labels, *fields).code == 0


def test_how_the_labels_were_read_is_said_as_in_agree(judge: Judge, folder: Path, long_run: Path) -> None:
    rows = [{**row, "model_a": "b", "model_b": "a"} for row in label_rows(WINNERS)]
    labels = write_labels(folder, rows)
    note = f"labels.jsonl: {len(WINNERS)} labels name the two models the other way round"
    for command in (("agree", long_run, labels), ("report", long_run, "--labels", labels)):
        assert note in " ".join(judge(*command).out.split())


def test_a_report_does_not_overwrite_the_labels(judge: Judge, folder: Path, long_run: Path) -> None:
    write_labels(folder, label_rows(WINNERS), "labels.txt")
    done = judge("report", long_run, "--labels", "labels.txt", "-r", "labels.txt")
    assert (done.code, done.sentence) == (
        2,
        "--report labels.txt: this is an input, which a report would overwrite",
    )
