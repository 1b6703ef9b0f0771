"""`judge agree`: a run file, verdicts made elsewhere, or labelled pairs judged first, against labels."""

import json
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import answers, last_rows, prefers, read_rows, script, write_jsonl
from tests.labelling import RUN, label_rows, pair_rows, two_answer_files, votes, write_labels

JUDGED = ("A", "B", "B", "tie")
LABELS = ("A", "B", "A", "A")


@pytest.fixture
def labels(folder: Path) -> str:
    return write_labels(folder, label_rows(LABELS))


@pytest.fixture
def run_file(judge: Judge, folder: Path) -> Path:
    """A run whose verdicts are A, B, B and tie."""
    two_answer_files(folder, JUDGED)
    assert judge("pair", "a.jsonl", "b.jsonl", *script(folder, *prefers("GOOD")), "-q").code == 0
    return RUN


@pytest.fixture
def pairs(folder: Path) -> str:
    """Pairs with their labels, which a judge gives to A, B, B and tie."""
    rows = [{**row, "winner": label} for row, label in zip(pair_rows(JUDGED), LABELS, strict=True)]
    write_jsonl(folder / "pairs.jsonl", rows)
    return "pairs.jsonl"


def test_a_run_file_and_labels(judge: Judge, run_file: Path, labels: str) -> None:
    done = judge("agree", run_file, labels)
    assert (done.code, done.err) == (0, "")
    assert "agrees with labels.jsonl on 50.0%" in done.out
    report = judge("agree", run_file, labels, "--format", "json").report
    assert report["agreement"]["accuracy"]["value"] == 0.5
    assert report["compared"]["n"] == 4
    assert report["header"]["mode"] == "pair"


def test_reports_go_to_files_too(judge: Judge, run_file: Path, labels: str) -> None:
    done = judge("agree", run_file, labels, "--format", "markdown", "-r", "r.json", "-r", "r.md")
    assert done.out == Path("r.md").read_text(encoding="utf-8")
    assert json.loads(Path("r.json").read_text(encoding="utf-8"))["compared"]["n"] == 4


def test_labelled_pairs_are_judged_first(judge: Judge, folder: Path, pairs: str) -> None:
    model = script(folder, *prefers("GOOD"))
    done = judge("agree", pairs, *model)
    assert done.code == 0
    assert "agrees with pairs.jsonl on 50.0%" in done.out
    assert done.err.splitlines() == [
        "read pairs.jsonl as plain-pairs (jsonl)",
        "4 pairs, 0 decided without the judge",
        "judge scripted:judge.jsonl, prompt judgelm, both orders, context 256 tokens",
        "run file pairs.judge.jsonl",
    ]
    assert len(last_rows(Path("pairs.judge.jsonl"))) == 8
    again = judge("agree", pairs, *model, "--format", "json")
    assert "going on in pairs.judge.jsonl: 8 of 8 judgments there" in again.err
    alone = judge("agree", "pairs.judge.jsonl", "--format", "json").report
    assert alone["agreement"] == again.report["agreement"]


def test_it_goes_on_where_it_stopped_as_judge_pair_does(judge: Judge, folder: Path, pairs: str) -> None:
    model = script(folder, *prefers("GOOD"))
    judge("pair", pairs, *model, "--limit", 2, "-o", "mine.jsonl")
    done = judge("agree", pairs, *model, "-o", "mine.jsonl")
    assert "going on in mine.jsonl: 4 of 8 judgments there" in done.err
    assert len(read_rows(Path("mine.jsonl"), "judgment")) == 8


def test_labels_in_a_file_of_their_own(judge: Judge, folder: Path, labels: str) -> None:
    write_jsonl(folder / "bare.jsonl", pair_rows(JUDGED))
    done = judge("agree", "bare.jsonl", labels, *script(folder, *prefers("GOOD")), "--format", "json")
    assert done.report["agreement"]["accuracy"]["value"] == 0.5
    only_first = judge("agree", "bare.jsonl", labels, *script(folder, "9 3"), "--limit", 1)
    assert "of 1 pair" in " ".join(only_first.out.split())


def test_labels_in_a_field_that_is_named(judge: Judge, folder: Path) -> None:
    rows = [{**row, "best": label} for row, label in zip(pair_rows(JUDGED), LABELS, strict=True)]
    write_jsonl(folder / "pairs.jsonl", rows)
    model = script(folder, *prefers("GOOD"))
    without = judge("agree", "pairs.jsonl", *model)
    assert (without.code, without.out) == (3, "")
    assert without.sentence.startswith("pairs.jsonl: its pairs have no label; ")
    assert not Path("pairs.judge.jsonl").exists()
    named = judge("agree", "pairs.jsonl", *model, "--label-field", "best", "--format", "json")
    assert named.report["agreement"]["accuracy"]["value"] == 0.5


def test_of_two_id_fields_the_last_is_that_of_the_labels(judge: Judge, folder: Path) -> None:
    rows = [{"key": row.pop("id"), **row} for row in map(dict, pair_rows(JUDGED))]
    write_jsonl(folder / "pairs.jsonl", rows)
    write_labels(folder, [{"number": f"q{n}", "winner": word} for n, word in enumerate(LABELS, 1)])
    fields = ("--id-field", "key", "--id-field", "number")
    done = judge("agree", "pairs.jsonl", "labels.jsonl", *script(folder, *prefers("GOOD")), *fields)
    assert "on 50.0%" in done.out


def test_a_dry_run_judges_nothing(judge: Judge, folder: Path, pairs: str) -> None:
    done = judge("agree", pairs, *script(folder, *prefers("GOOD")), "--dry-run")
    assert (done.code, "judgments    8, 8 of them still to make" in done.out) == (0, True)
    assert not Path("pairs.judge.jsonl").exists()


def test_labels_are_looked_at_before_anything_is_judged(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "bare.jsonl", pair_rows(JUDGED))
    write_labels(folder, label_rows(["left", "right"]))
    done = judge("agree", "bare.jsonl", "labels.jsonl", *script(folder, "9 3"))
    assert (done.code, done.out) == (3, "")
    assert done.sentence.startswith("labels.jsonl:1: the label (winner) is 'left'")
    assert not Path("bare.judge.jsonl").exists()


@pytest.mark.parametrize("option", ["--by", "--group"])
def test_fields_are_looked_for_before_anything_is_judged(
    judge: Judge, folder: Path, pairs: str, option: str
) -> None:
    done = judge("agree", pairs, *script(folder, "9 3"), option, "colour")
    assert (done.code, done.out) == (3, "")
    assert done.sentence.startswith(f"{option} colour: item 'q1' has no such field")
    assert not Path("pairs.judge.jsonl").exists()


def test_fields_of_the_judged_pairs_are_found(judge: Judge, folder: Path) -> None:
    """A run keeps few of them, so they are read from the file, whether or not the labels are in it."""
    topics = ("law", "law", "tea", "tea")
    bare = [{**row, "topic": topic} for row, topic in zip(pair_rows(JUDGED), topics, strict=True)]
    write_jsonl(folder / "bare.jsonl", bare)
    write_jsonl(
        folder / "pairs.jsonl", [{**row, "winner": label} for row, label in zip(bare, LABELS, strict=True)]
    )
    write_labels(folder, label_rows(LABELS))
    model = script(folder, *prefers("GOOD"))
    for files in (("pairs.jsonl",), ("bare.jsonl", "labels.jsonl")):
        report = judge("agree", *files, *model, "--by", "topic", "--format", "json").report
        parts = report["splits"]["parts"]
        accuracy = {part["name"]: part["agreement"]["accuracy"]["value"] for part in parts}
        assert accuracy == {"law": 1.0, "tea": 0.0}


def test_a_field_that_is_nowhere_goes_into_the_labels(judge: Judge, run_file: Path, labels: str) -> None:
    sentence = judge("agree", run_file, labels, "--by", "colour").sentence
    assert sentence.endswith("; write it into the file of labels, beside the id")


def test_verdicts_that_are_none_are_said_to_be_read_as_pairs(judge: Judge, folder: Path, labels: str) -> None:
    """Under another name than winner a verdict is none."""
    write_jsonl(folder / "v.jsonl", [{"id": "q1", "verdict": "A"}])
    done = judge("agree", "v.jsonl", labels)
    read = "read as pairs to be judged (verdicts made elsewhere have an id, and a winner, A, B or tie, or a "
    assert done.code == 3
    assert done.sentence.startswith("v.jsonl:1: no answer field; fields there: id, verdict;")
    assert done.sentence.endswith(f"; it was {read}failure)")
    write_jsonl(folder / "bare.jsonl", pair_rows(JUDGED))
    done = judge("agree", "bare.jsonl", labels)
    assert done.code == 4
    assert done.sentence.startswith(f"bare.jsonl: {read}failure); no judge model: fetch one with")


def test_a_label_field_that_is_missing_is_not_asked_for_again(
    judge: Judge, folder: Path, run_file: Path, labels: str
) -> None:
    for name in (labels, "pairs.jsonl"):
        write_jsonl(folder / "pairs.jsonl", pair_rows(JUDGED))
        sentence = judge("agree", run_file, name, "--label-field", "best").sentence
        assert "'best'; fields there: id, " in sentence
        assert "--label-field" not in sentence


def test_scores_are_no_labels_of_pairs(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "bare.jsonl", pair_rows(JUDGED))
    labels = write_labels(folder, [{"id": "q1", "score": 3}, {"id": "q2", "score": 7.5}])
    done = judge("agree", "bare.jsonl", labels, *script(folder, "9 3"))
    assert done.code == 3
    assert done.sentence == (
        "labels.jsonl: its labels are scores of single answers, and pairs are compared; "
        "give labels with winners"
    )
    assert not Path("bare.judge.jsonl").exists()


def test_a_run_of_failures_is_reported_and_then_refused(judge: Judge, folder: Path, pairs: str) -> None:
    done = judge("agree", pairs, *script(folder, "I cannot."))
    assert done.code == 5
    assert done.sentence.startswith("nothing was judged: 4 of 4 pairs failed")
    report = judge("agree", "pairs.judge.jsonl")
    assert report.code == 0
    assert report.out


def test_more_failures_than_allowed(judge: Judge, folder: Path, pairs: str) -> None:
    model = script(folder, {"id": "q4", "reply": "I cannot."}, *prefers("GOOD"))
    assert judge("agree", pairs, *model).code == 0
    done = judge("agree", pairs, *model, "--max-failures", 0.1)
    assert (done.code, "agrees with" in done.out) == (5, True)
    assert done.sentence.startswith("1 of 4 pairs failed, 25.0% and more than --max-failures")


def test_failures_as_ties_is_a_line_of_its_own(judge: Judge, folder: Path, pairs: str) -> None:
    rows = [{**row, "winner": "tie"} for row in pair_rows(JUDGED)]
    write_jsonl(folder / "pairs.jsonl", rows)
    model = script(folder, {"id": "q1", "reply": "I cannot."}, *prefers("GOOD"))
    judge("agree", pairs, *model)
    report = judge("agree", "pairs.judge.jsonl", "--failures-as-ties", "--format", "json").report
    assert report["agreement"]["accuracy"]["value"] == pytest.approx(1 / 3)
    assert report["failures_as_ties"]["accuracy"]["value"] == pytest.approx(2 / 4)


def test_verdicts_made_elsewhere_need_labels(judge: Judge, folder: Path, labels: str) -> None:
    rows = [{"id": "q1", "winner": "A"}, {"id": "q2", "winner": "A"}, {"id": "q3", "failure": "garbage"}]
    write_jsonl(folder / "theirs.jsonl", rows)
    done = judge("agree", "theirs.jsonl", labels)
    assert (done.code, done.err) == (0, "")
    assert "theirs.jsonl agrees with labels.jsonl on 50.0%" in done.out
    alone = judge("agree", "theirs.jsonl")
    assert (alone.code, alone.sentence) == (
        3,
        "theirs.jsonl: holds verdicts made elsewhere and no labels; name a file of labels after it",
    )


def test_by_and_group_name_fields_of_the_labels(judge: Judge, run_file: Path, folder: Path) -> None:
    rows = [{**row, "kind": kind} for row, kind in zip(label_rows(LABELS), "xxyy", strict=True)]
    write_labels(folder, rows)
    report = judge("agree", RUN, "labels.jsonl", "--by", "kind", "--group", "kind", "--format", "json").report
    assert [part["name"] for part in report["splits"]["parts"]] == ["x", "y"]
    assert report["compared"]["n_units"] == 2
    done = judge("agree", RUN, "labels.jsonl", "--by", "colour")
    assert done.code == 3
    assert "colour" in done.sentence


def test_a_run_without_labels(judge: Judge, run_file: Path) -> None:
    done = judge("agree", run_file)
    assert (done.code, done.sentence) == (
        3,
        f"{RUN}: its items carry no labels; name a file of labels after it",
    )
    named = judge("agree", run_file, "--label-field", "winner")
    assert (named.code, named.sentence) == (
        2,
        "--label-field names a field of a file of labels; name that file after the run file",
    )


@pytest.mark.parametrize(
    "options",
    [
        ("--model", "demo"),
        ("--fresh",),
        ("--dry-run",),
        ("--limit", 2),
        ("-o", "x.jsonl"),
        ("--max-failures", 0.5),
        ("--below", 0.7),
        ("--threads", 2),
    ],
)
def test_options_for_judging_what_is_judged(
    judge: Judge, run_file: Path, labels: str, options: tuple[object, ...]
) -> None:
    done = judge("agree", run_file, labels, *options)
    assert (done.code, done.out) == (2, "")
    long = {"-o": "--out"}.get(str(options[0]), options[0])
    assert done.sentence == (
        f"{long}: of no use here, since {RUN} is judged already; leave out what is for judging"
    )


def test_defaults_and_the_environment_may_name_a_judge(judge: Judge, run_file: Path, labels: str) -> None:
    Path("judge.toml").write_text('model = "demo"\nn-ubatch = 128\nformat = "markdown"\n', encoding="utf-8")
    done = judge("agree", run_file, labels, JUDGE_MODEL="judgelm-7b")
    assert (done.code, done.out[:3]) == (0, "###")


def test_one_answer_a_row_is_nothing_to_agree_on(judge: Judge, folder: Path, labels: str) -> None:
    write_jsonl(folder / "a.jsonl", answers("one", "two"))
    done = judge("agree", "a.jsonl", labels, *script(folder, "9 3"))
    assert done.code == 3
    assert done.sentence == (
        "a.jsonl: holds one answer a row; give a run file, verdicts (id, and winner or failure) or "
        "labelled pairs"
    )


def test_a_file_that_is_not_there(judge: Judge, labels: str) -> None:
    done = judge("agree", "label.jsonl", labels, "--model", "scripted:x")
    assert (done.code, done.sentence) == (3, "label.jsonl: no such file; close to it: labels.jsonl")


def test_stdin_is_read_once(judge: Judge, folder: Path, pairs: str, labels: str) -> None:
    model = script(folder, *prefers("GOOD"))
    there = Path(labels).read_text(encoding="utf-8")
    assert "agrees with stdin on 50.0%" in judge("agree", pairs, "-", *model, stdin=there).out
    text = Path(pairs).read_text(encoding="utf-8")
    assert "agrees with stdin on 50.0%" in judge("agree", "-", *model, stdin=text).out
    for more in ((), ("--reference", "-")):
        done = judge("agree", pairs if more else "-", "-", *model, *more, stdin=text)
        assert (done.code, done.out) == (2, "")
        assert done.sentence == "stdin (-) can be read once; give it for one of the inputs only"


def test_a_run_and_labels_the_wrong_way_round(judge: Judge, run_file: Path, labels: str) -> None:
    done = judge("agree", labels, run_file)
    assert done.code == 3
    assert "is a run file, which holds no labels" in done.sentence


def test_a_ranking_has_no_one_verdict_an_item(judge: Judge, folder: Path, labels: str) -> None:
    for name in "abc":
        write_jsonl(folder / f"{name}.jsonl", answers(f"{name} 1", f"{name} 2"))
    judge("rank", "a.jsonl", "b.jsonl", "c.jsonl", *script(folder, "9 3"), "-o", "rank.jsonl")
    for command in (("agree",), ("validate",), ("calibrate", "-o", "c.json")):
        done = judge(*command, "rank.jsonl", labels)
        assert done.code == 3
        assert done.sentence == (
            "rank.jsonl: a ranking, which has no one verdict an item; give a run of judge pair or judge grade"
        )


def test_grades_agree_with_scores(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("one", "two", "three", "four", reference="r"))
    rules = [{"id": f"q{n}", "reply": f"{score}\n"} for n, score in enumerate((2, 4, 6, 8), 1)]
    done = judge("grade", "a.jsonl", *script(folder, *rules), "-q")
    assert done.code == 0
    write_labels(folder, [{"id": f"q{n}", "score": score} for n, score in enumerate((1, 2, 4, 3), 1)])
    report = judge("agree", "a.judge.jsonl", "labels.jsonl", "--format", "json").report
    assert report["scores"]["spearman"]["value"] == pytest.approx(0.8)


def test_a_report_never_overwrites_the_labels(judge: Judge, run_file: Path, folder: Path) -> None:
    write_labels(folder, label_rows(LABELS), "labels.json.jsonl")
    Path("labels.json.jsonl").rename("labels.json")
    before = Path("labels.json").read_bytes()
    done = judge("agree", run_file, "labels.json", "-r", "labels.json")
    assert (done.code, done.sentence) == (
        2,
        "--report labels.json: this is an input, which a report would overwrite",
    )
    assert Path("labels.json").read_bytes() == before


def test_several_annotators_stand_beside_the_judge(judge: Judge, run_file: Path, folder: Path) -> None:
    write_labels(folder, votes("ABAA", "ABBA", "AABA"))
    report = judge("agree", RUN, "labels.jsonl", "--format", "json").report
    assert report["annotators"]["n"] == 3
    assert report["compared"]["n"] == 4


def test_every_option_of_pair_is_one_of_agree(judge: Judge) -> None:
    import inspect

    from judgecli.cli.agree import agree
    from judgecli.cli.pair import pair

    of_two_files = {"baseline", "candidate", "allow_missing", "pair_by", "response_field"}
    of_gates = {"gate", "margin", "control", "early_stop", "only"}
    known = inspect.signature(agree).parameters
    missing = [name for name in inspect.signature(pair).parameters if name not in known]
    assert set(missing) == of_two_files | of_gates


def test_nested_fields_of_labels_and_of_the_judged_pairs(judge: Judge, folder: Path) -> None:
    topics = ("law", "law", "tea", "tea")
    told = [{"metadata": {"topic": topic}} for topic in topics]
    rows = [{**row, **more} for row, more in zip(pair_rows(JUDGED), told, strict=True)]
    write_jsonl(folder / "pairs.jsonl", rows)
    write_labels(folder, label_rows(LABELS))
    by = ("--by", "metadata.topic", "--format", "json")
    done = judge("agree", "pairs.jsonl", "labels.jsonl", *script(folder, *prefers("GOOD")), *by)
    assert {part["name"] for part in done.report["splits"]["parts"]} == {"law", "tea"}
    later = judge("agree", "pairs.judge.jsonl", "labels.jsonl", *by)  # the run keeps the field
    assert later.report["splits"] == done.report["splits"]
    write_jsonl(folder / "plain.jsonl", pair_rows(JUDGED))
    judge("pair", "plain.jsonl", *script(folder, *prefers("GOOD")))
    write_labels(folder, [{**row, **more} for row, more in zip(label_rows(LABELS), told, strict=True)])
    labelled = judge("agree", "plain.judge.jsonl", "labels.jsonl", *by)
    assert labelled.report["splits"] == done.report["splits"]
