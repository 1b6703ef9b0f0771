"""--group and --by of the gate take any field of the rows, and the run file keeps it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import judgecli
from tests.conftest import Judge
from tests.gating import BETTER, COMMAND, KNOWS, RUN, N, inputs, text
from tests.judging import read_rows, write_jsonl

GATE = ("--gate", "no-worse", "--format", "json")
Row = dict[str, Any]


def change(folder: Path, change_one: Callable[[int, Row], Row], *names: str) -> None:
    """Rewrite rows of answer files."""
    for name in names or ("a", "b"):
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = map(json.loads, lines)
        write_jsonl(folder / f"{name}.jsonl", [change_one(n, row) for n, row in enumerate(rows)])


def own_fields(n: int, row: Row) -> Row:
    where = {"tenant": f"t{n % 20}", "deep": {"x": n % 2}}
    return {**row, "doc": f"d{n // 4}", "conversation_id": n // 2, "metadata": where}


@pytest.mark.parametrize(
    ("field", "n_groups"), [("doc", 20), ("conversation_id", 40), ("metadata.tenant", 20), ("instruction", N)]
)
def test_pairs_are_grouped_by_any_field(judge: Judge, folder: Path, field: str, n_groups: int) -> None:
    inputs(folder, *BETTER)
    change(folder, own_fields)
    done = judge(*COMMAND, *GATE, "--group", field)
    assert done.code == 0, done.err
    assert done.report["gate"]["test"]["n_groups"] == n_groups
    assert judge("report", RUN, "--format", "json").report["gate"] == done.report["gate"]


def test_parts_are_those_of_a_nested_field(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, own_fields)
    done = judge(*COMMAND, *GATE, "--by", "metadata.deep.x")
    assert {part["name"] for part in done.report["gate"]["parts"]} == {"0", "1"}


def test_one_of_the_files_may_have_the_field(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, own_fields, "b")
    assert judge(*COMMAND, *GATE, "--group", "doc").report["gate"]["test"]["n_groups"] == 20


def test_the_questions_may_have_the_field(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    asked = [{"id": f"q{n}", "question": f"Question {n}?", "doc": f"d{n // 8}"} for n in range(N)]
    write_jsonl(folder / "questions.jsonl", asked)
    done = judge(*COMMAND, *GATE, "--group", "doc", "--questions", "questions.jsonl")
    assert done.report["gate"]["test"]["n_groups"] == 10


def test_a_run_goes_on_with_another_field(judge: Judge, folder: Path) -> None:
    """Nothing is asked again: what an item keeps is no part of what was judged."""
    inputs(folder, *BETTER)
    change(folder, own_fields)
    judge(*COMMAND, *GATE)
    n_judged = len(read_rows(RUN, "judgment"))
    write_jsonl(folder / "rules.jsonl", [{"reply": "asked again\n"}])
    done = judge(*COMMAND, *GATE, "--group", "doc")
    assert (done.code, done.report["gate"]["test"]["n_groups"]) == (0, 20)
    assert len(read_rows(RUN, "judgment")) == n_judged
    assert judge("report", RUN, "--format", "json").report["gate"]["test"]["n_groups"] == 20


def test_a_field_that_is_not_there_is_said_before_anything_is_judged(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, lambda n, row: row if n == 3 else {**row, "doc": f"d{n // 4}"})
    done = judge(*COMMAND, *GATE, "--group", "doc")
    assert (done.code, done.out) == (3, "")
    assert "--group doc: 1 of 80 pairs have no such field, or nothing in it: q3; " in done.sentence
    misspelt = judge(*COMMAND, *GATE, "--by", "dok")
    assert "--by dok: 80 of 80 pairs" in misspelt.sentence
    assert "fields there: instruction, id, question, answer, category, group, doc" in misspelt.sentence
    assert not RUN.exists()


def test_files_that_disagree_about_the_field(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, lambda n, row: {**row, "doc": "one"}, "a")
    change(folder, lambda n, row: {**row, "doc": "two" if n == 5 else "one"}, "b")
    done = judge(*COMMAND, *GATE, "--group", "doc")
    assert done.code == 3
    assert "the files disagree about the field doc of 1 of 80 pairs: q5 (one and two); " in done.sentence
    assert judge(*COMMAND, *GATE).code == 0  # it is of no interest where nobody names it


def test_an_object_is_no_value_to_group_by(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, own_fields)
    done = judge(*COMMAND, *GATE, "--group", "metadata")
    assert done.code == 3
    assert "a.jsonl:1: the field metadata is an object" in done.sentence
    assert "such as metadata.tenant" in done.sentence


def test_lists_and_numbers_are_values(judge: Judge, folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, lambda n, row: {**row, "tags": ["x", "y"] if n % 2 else ["x"], "level": n % 3})
    done = judge(*COMMAND, *GATE, "--by", "tags", "--group", "id")
    assert {part["name"] for part in done.report["gate"]["parts"]} == {"x", "x, y"}
    assert json.loads(RUN.read_text(encoding="utf-8").splitlines()[2])["metadata"]["tags"] == "x, y"
    assert "level" not in read_rows(RUN, "item")[0]["metadata"]


def test_the_same_from_python(folder: Path) -> None:
    inputs(folder, *BETTER)
    change(folder, own_fields)
    result = judgecli.pair(
        "a.jsonl", "b.jsonl", model="scripted:rules.jsonl", prompt="judgelm", gate="no-worse", group="doc"
    )
    assert result.summary.gate is not None
    assert result.record.items[0].metadata["doc"] == "d0"


def test_missing_answers_stay_in_the_group_and_the_part_of_their_rows(judge: Judge, folder: Path) -> None:
    """As many groups of one as there are missing answers would be evidence that nobody has."""
    rows = [
        {"id": f"q{n}", "question": f"Question {n}?", "answer": text(n, good=False), "doc": f"d{n // 20}"}
        for n in range(60)
    ]
    missing = [{**row, "id": f"m{n}", "doc": "d3"} for n, row in enumerate(rows[:8])]
    write_jsonl(folder / "a.jsonl", [*rows, *missing])
    write_jsonl(folder / "b.jsonl", [{**row, "answer": f"GOOD {row['answer']}"} for row in rows])
    write_jsonl(folder / "rules.jsonl", KNOWS)
    command = (*COMMAND, "--gate", "no-worse", "--allow-missing", "--format", "json")
    by_group = judge(*command, "--group", "doc").report["gate"]
    groups = next(check for check in by_group["fitness"] if check["name"] == "groups")
    assert (groups["value"], by_group["decision"]) == (4, "inconclusive")
    by_part = judge(*command, "--by", "doc").report["gate"]
    assert [(part["name"], part["pooled"]) for part in by_part["parts"]] == [
        ("other", ["d0", "d1", "d2", "d3"])
    ]
    again = judge("report", RUN, "--format", "json").report["gate"]
    assert again["parts"] == by_part["parts"]


def test_missing_answers_that_share_an_instruction_are_counted_one_by_one(judge: Judge, folder: Path) -> None:
    """As in Alpaca's files: no ids, one instruction, other inputs."""
    rows = [
        {
            "instruction": "Summarise.",
            "input": f"text {n}",
            "topic": "xy"[n >= 40],
            "output": f"answer {n:03}",
        }
        for n in range(80)
    ]
    lost = [{**rows[0], "input": f"text {n}", "topic": "xy"[n == 100]} for n in range(80, 101)]
    write_jsonl(folder / "a.jsonl", [*rows, *lost])
    write_jsonl(folder / "b.jsonl", [{**row, "output": f"b {row['output']}"} for row in rows])
    write_jsonl(folder / "rules.jsonl", [{"reply": "5 5"}])
    command = (*COMMAND, "--allow-missing", "--control", 0, *GATE)
    whole, stopped = judge(*command), judge(*command, "--early-stop", "--fresh")
    assert (whole.code, stopped.code) == (1, 1)
    assert stopped.report["gate"]["decision"] == "fail"
    parts = judge(*command, "--by", "topic", "--fresh").report["gate"]["parts"]
    assert [(part["name"], part["n"]) for part in parts] == [("x", 60), ("y", 41)]


def test_missing_answers_take_the_field_of_their_question(judge: Judge, folder: Path) -> None:
    questions = [{"id": f"q{n}", "question": f"Of {n}?", "topic": "xy"[n >= 50]} for n in range(100)]
    write_jsonl(folder / "q.jsonl", questions)
    answers = [{"id": row["id"], "answer": f"an answer {row['id']}"} for row in questions]
    write_jsonl(folder / "a.jsonl", answers)
    kept = [row for n, row in enumerate(answers) if n >= 50 or n % 5]
    write_jsonl(folder / "b.jsonl", [{**row, "answer": f"b {row['answer']}"} for row in kept])
    write_jsonl(folder / "rules.jsonl", [{"reply": "5 5"}])
    command = (*COMMAND, "--questions", "q.jsonl", "--allow-missing", "--control", 0, *GATE)
    parts = judge(*command, "--by", "topic").report["gate"]["parts"]
    assert [(part["name"], part["n"], part["theta"]) for part in parts] == [("x", 50, 0.4), ("y", 50, 0.5)]
    groups = judge(*command, "--group", "instruction").report["gate"]["test"]["n_groups"]
    assert groups == 100
