"""`judge grade`: one model's answers, one at a time."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Judge
from tests.judging import answers, read_rows, script, two_files, write_jsonl

RUN = Path("a.judge.jsonl")
GRADE = ("grade", "a.jsonl", "--reference", "r.jsonl")
RUBRIC = """
criterion = "Is the answer right?"
[scores]
1 = "It is wrong."
2 = "It is partly right."
3 = "It is right."
"""
PLAIN = """
name = "plain"
[single]
needs = ["rubric"]
[single.grammar]
kind = "scores"
scale = "rubric"
decimals = false
[[single.block]]
text = "{criterion} {rubric} {question} {response}"
"""


def good_is_nine(*more: Any) -> list[Any]:
    return [*more, {"matches": "GOOD", "reply": " 9\n"}, {"reply": " 4.5\n"}]


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    """Five answers, of which q1 gets 9, q2 and q5 4.5, q3 is empty and q4 cannot be read."""
    write_jsonl(folder / "a.jsonl", answers("GOOD", "poor", "", "x", "so so"))
    write_jsonl(folder / "r.jsonl", [{"id": f"q{n}", "reference": "the reference"} for n in range(1, 6)])
    return script(folder, *good_is_nine({"id": "q4", "reply": "I cannot."}))


def test_the_report_is_all_there_is_on_stdout(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*GRADE, *model)
    assert done.code == 0
    assert done.out.startswith("a: mean score 4.8 [1.0, 10.0] of 1 to 10, n=4\n")
    assert "no judge     1 empty answer counts as 1 by rule" in done.out
    assert "failed       1 of 5 unreadable" in done.out
    assert done.err.splitlines() == [
        "read a.jsonl as plain (jsonl)",
        "5 answers, 1 decided without the judge",
        "judge scripted:judge.jsonl, prompt judgelm, one answer at a time, context 256 tokens",
        "run file a.judge.jsonl",
    ]


def test_json_is_one_object(judge: Judge, model: tuple[str, ...]) -> None:
    report = judge(*GRADE, *model, "--format", "json").report
    assert report["estimates"]["mean_score"]["value"] == pytest.approx((9 + 4.5 + 1 + 4.5) / 4)
    assert {one["name"]: one["n"] for one in report["histogram"] if one["n"]} == {"4": 2, "9": 1}
    assert report["counts"]["failures"] == {"unreadable": 1}


def test_the_report_can_be_made_again(judge: Judge, model: tuple[str, ...]) -> None:
    first = judge(*GRADE, *model, "--format", "markdown")
    assert first.out.startswith("### a: mean score")
    assert judge("report", RUN, "--format", "markdown").out == first.out


def test_the_same_command_asks_nothing_again(judge: Judge, model: tuple[str, ...]) -> None:
    judge(*GRADE, *model)
    before = RUN.read_bytes()
    done = judge(*GRADE, *model)
    assert "going on in a.judge.jsonl: 4 of 4 judgments there" in done.err
    assert RUN.read_bytes() == before


def test_quiet_says_nothing_but_errors(judge: Judge, model: tuple[str, ...]) -> None:
    assert judge(*GRADE, *model, "-q").err == ""


@pytest.mark.parametrize(("share", "code"), [(0, 5), (0.19, 5), (0.2, 0), (None, 0)])
def test_max_failures_is_a_share_of_the_answers(
    judge: Judge, model: tuple[str, ...], share: float | None, code: int
) -> None:
    done = judge(*GRADE, *model, *(() if share is None else ("--max-failures", share)))
    assert done.code == code
    if code:
        assert done.sentence.startswith("1 of 5 answers failed, 20.0% and more than --max-failures")


def test_nothing_judged(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    done = judge(*GRADE, *script(folder, "I cannot say."))
    assert done.code == 5
    assert done.sentence.startswith("nothing was judged: 4 of 5 answers failed (item 'q1': unreadable, ")
    assert done.sentence.endswith("the texts are in a.judge.jsonl")


def test_judgelm_needs_references(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge("grade", "a.jsonl", *model)
    assert done.code == 3
    assert "needs a reference answer here; give them with --reference FILE" in done.sentence
    assert not RUN.exists()


def test_a_reference_that_the_file_lacks_is_said_to_be_lacking(
    judge: Judge, model: tuple[str, ...], folder: Path
) -> None:
    write_jsonl(folder / "some.jsonl", [{"id": "q1", "reference": "1."}])
    asked = ("--reference", "some.jsonl", "--allow-missing-reference")
    done = judge("grade", "a.jsonl", *model, *asked)
    assert done.code == 3
    assert done.sentence.startswith("item 'q2': the prompt family 'judgelm' needs a reference answer here; ")
    assert done.sentence.endswith("; some.jsonl has none for it")


def test_a_rubric_judge_needs_a_rubric_and_takes_its_scale(
    judge: Judge, model: tuple[str, ...], folder: Path
) -> None:
    (folder / "plain.toml").write_text(PLAIN, encoding="utf-8")
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    own = (*script(folder, {"matches": "GOOD", "reply": "3\n"}, "2\n")[:2], "--prompt", "plain.toml")
    done = judge("grade", "a.jsonl", *own)
    assert done.code == 3
    assert "needs a rubric; give one with --rubric FILE" in done.sentence
    done = judge("grade", "a.jsonl", *own, "--rubric", "rubric.toml")
    assert done.out.startswith("a: mean score 2.00 [1.12, 2.88] of 1 to 3, n=5\n")
    assert "rubric rubric.toml" in done.out
    (folder / "other.toml").write_text(RUBRIC.replace("partly", "half"), encoding="utf-8")
    done = judge("grade", "a.jsonl", *own, "--rubric", "other.toml")
    assert done.code == 3
    assert "holds a run with another --rubric (rubric.toml, SHA-256 " in done.sentence
    assert ", now other.toml, SHA-256 " in done.sentence


def test_a_judge_of_single_answers_grades_both_of_a_pair(judge: Judge, folder: Path) -> None:
    two_files(folder, ["GOOD"], ["poor"])
    (folder / "plain.toml").write_text(PLAIN, encoding="utf-8")
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    model = (*script(folder, {"matches": "GOOD", "reply": "3\n"}, "2\n")[:2], "--prompt", "plain.toml")
    done = judge("pair", "a.jsonl", "b.jsonl", *model, "--rubric", "rubric.toml")
    assert "prompt plain, one answer at a time, context" in done.err
    assert "each answer graded alone" in done.out
    assert "1 comparison (2 judgments)" in done.out


def test_a_family_without_a_prompt_for_one_answer(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge("grade", "a.jsonl", *model[:2], "--prompt", "pandalm")
    assert done.code == 3
    assert "has no prompt for one answer" in done.sentence


def test_dry_run_writes_nothing(judge: Judge, model: tuple[str, ...]) -> None:
    done = judge(*GRADE, *model, "--dry-run")
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines["answers"] == "5, 1 of them decided without the judge"
    assert lines["judgments"] == "4, 4 of them still to make"
    assert not RUN.exists()


def test_fields_limits_and_stdin(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    rows = '{"n": 1, "ask": "Why?", "said": "GOOD"}\n{"n": 2, "ask": "How?", "said": "x"}\n'
    fields = ("--id-field", "n", "--instruction-field", "ask", "--response-field", "said")
    write_jsonl(folder / "r.jsonl", [{"id": "1", "reference": "r"}, {"id": "2", "reference": "r"}])
    done = judge("grade", "-", "--reference", "r.jsonl", *model, *fields, "--limit", 1, stdin=rows)
    assert done.code == 0
    assert done.out.startswith("stdin: mean score 9.0 of 1 to 10, n=1\n")
    assert "from stdin" in done.out
    (item,) = read_rows(folder / "stdin.judge.jsonl", "item")
    assert item["id"] == "1"


def test_a_report_never_overwrites_the_answers(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    (folder / "a.json").write_text((folder / "a.jsonl").read_text(encoding="utf-8"), encoding="utf-8")
    done = judge("grade", "a.json", "--reference", "r.jsonl", *model, "-r", "a.json")
    assert done.code == 2
    assert "this is an input, which a report would overwrite" in done.sentence


def test_help_shows_an_example_and_fits_80_columns(judge: Judge) -> None:
    done = judge("grade", "--help", COLUMNS="80")
    assert "\n  Example: judge grade answers.jsonl --reference references.jsonl\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    for option in ("--rubric", "--aspect", "--cot", "--shots", "--turn", "--max-failures", "--offline"):
        assert option in done.out


def test_defaults_of_the_folder_hold(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    (folder / "judge.toml").write_text("limit = 2\n", encoding="utf-8")
    assert judge(*GRADE, *model, "--format", "json").report["counts"]["answers"] == 2
