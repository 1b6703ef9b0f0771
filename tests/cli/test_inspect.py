"""`judge inspect`: what is in a file, what is wrong with it, and how it goes with others."""

import json
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import Row, answers, write_jsonl


def odd_answers() -> list[Row]:
    """Return answers with everything that is to be said of some."""
    return [
        {"id": "q1", "question": "Q?", "answer": "x" * 10, "model": "m1", "finish_reason": "length"},
        {"id": "q2", "question": "Q?", "answer": "<think>hm</think>", "model": "m1"},
        {"id": "q3", "question": "Q?", "answer": " ", "model": "m1", "reference": "r"},
        {"id": "q4", "answer": "x" * 40, "model": "m1"},
    ]


def test_a_file_is_described_at_80_columns(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", odd_answers())
    done = judge("inspect", "a.jsonl")
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "a.jsonl\n"
        "format       plain (jsonl)\n"
        "fields       id, instruction is question, response is answer, reference, model,\n"
        "             finish reason\n"
        "rows         4\n"
        "ids          4 different\n"
        "questions    3 of 4\n"
        "references   1 of 4\n"
        "turns        1\n"
        "model        m1\n"
        "answers      1 empty: q3, 1 only thinking: q2, 1 cut off: q1\n"
        "length       1 to 40 characters, median 14\n"
    )


def test_no_line_is_longer_than_40_columns(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", odd_answers())
    write_jsonl(folder / "b.jsonl", answers("x", "y"))
    done = judge("inspect", "a.jsonl", "b.jsonl", COLUMNS="40")
    assert max(map(len, done.out.splitlines())) <= 40


def test_json_has_the_same_and_all_ids(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", odd_answers())
    report = judge("inspect", "a.jsonl", "--format", "json").report
    assert report["pairing"] is None
    (one,) = report["files"]
    assert one["fields"]["response"] == "answer"
    assert (one["n_rows"], one["n_ids"], one["n_with_question"], one["n_with_reference"]) == (4, 4, 3, 1)
    assert one["answers"] == [
        {
            "models": ["m1"],
            "empty": ["q3"],
            "only_thinking": ["q2"],
            "cut_off": ["q1"],
            "characters": {"minimum": 1, "median": 13.5, "maximum": 40},
        }
    ]
    assert (one["problem"], one["problems"], one["turns"]) == (None, [], {"1": 4})


def test_two_files_are_said_to_go_together(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("x", "y", "z"))
    write_jsonl(folder / "b.jsonl", answers("x", "y"))
    done = judge("inspect", "a.jsonl", "b.jsonl")
    assert done.out.endswith(
        "\ntogether\njoined       by id, 2 in all files\nmissing      1 in b.jsonl: q3\n"
    )
    pairing = judge("inspect", "a.jsonl", "b.jsonl", "--format", "json").report["pairing"]
    assert (pairing["paired_by"], pairing["n_shared"], pairing["missing"]) == ("id", 2, [[], ["q3"]])


def test_files_that_do_not_go_together_are_no_failure_of_the_command(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("x"))
    write_jsonl(folder / "b.jsonl", [{"id": "other", "question": "Other?", "answer": "y"}])
    done = judge("inspect", "a.jsonl", "b.jsonl")
    assert done.code == 0
    assert "! 0 of 1 id shared" in done.out


def test_ids_that_are_there_twice_or_not_at_all(judge: Judge, folder: Path) -> None:
    rows = [*answers("x", "y"), *answers("z"), {"question": "Q?", "answer": "w"}]
    write_jsonl(folder / "a.jsonl", rows)
    done = judge("inspect", "a.jsonl")
    assert done.code == 0
    assert "ids          2 different, 1 more than once: q1, 1 row without\n" in done.out
    said = " ".join(done.out.split())
    assert "! 1 row without an id: line 4; add ids, name the field with --id-field" in said


def test_a_file_that_cannot_be_read_is_3_and_the_others_are_shown(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", answers("x"))
    (folder / "b.jsonl").write_bytes(b"")
    done = judge("inspect", "a.jsonl", "b.jsonl", "none.jsonl")
    assert done.code == 3
    assert done.sentence == "2 of 3 cannot be read, for the reasons above"
    assert "a.jsonl\nformat       plain (jsonl)" in done.out
    assert "\nb.jsonl\n! empty (0 bytes); an answer file needs at least one row\n" in done.out
    assert "\nnone.jsonl\n! no such file" in done.out
    assert "together" not in done.out


def test_a_file_of_pairs_has_two_sides_and_labels(judge: Judge, folder: Path) -> None:
    rows = [
        {"id": n, "question": f"Q{n}?", "answer_a": "x", "answer_b": "yy", "gold": gold}
        for n, gold in enumerate(("a", "b", "a"))
    ]
    write_jsonl(folder / "pairs.jsonl", rows)
    done = judge("inspect", "pairs.jsonl")
    assert "format       plain-pairs (jsonl)\n" in done.out
    assert "length A     1 to 1 characters, median 1\n" in done.out
    assert "length B     2 to 2 characters, median 2\n" in done.out
    assert "labels       A 2, B 1\n" in done.out


def test_a_file_of_labels_alone_is_described(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "labels.jsonl", [{"id": n, "winner": w} for n, w in enumerate(("a", "tie", "a"))])
    done = judge("inspect", "labels.jsonl")
    assert done.code == 0
    assert done.out == (
        "labels.jsonl\n"
        "format       labels\n"
        "rows         3\n"
        "ids          3 different\n"
        "labels       A 2, tie 1\n"
    )


def test_a_conversation_says_which_turn_is_judged(judge: Judge, folder: Path) -> None:
    row = {"question_id": 1, "model_id": "m", "choices": [{"index": 0, "turns": ["x", "y"]}]}
    write_jsonl(folder / "a.jsonl", [row])
    done = judge("inspect", "a.jsonl")
    assert "turns        1, judged is first\n" in done.out
    assert "\n- 1 answer of two or more turns; the first turn is judged (--turn 2 judges the\n" in done.out
    assert "turns        2, judged is turn 2\n" in judge("inspect", "a.jsonl", "--turn", 2).out


def test_each_provider_of_one_result_is_described(judge: Judge, folder: Path) -> None:
    rows = [
        {
            "testIdx": n,
            "vars": {"question": f"Q{n}?"},
            "provider": {"id": provider},
            "response": {"output": "x"} if (n, provider) != (1, "m2") else None,
            "error": "API error" if (n, provider) == (1, "m2") else None,
        }
        for n in range(2)
        for provider in ("m1", "m2")
    ]
    (folder / "r.json").write_text(json.dumps({"results": {"results": rows}}), encoding="utf-8")
    done = judge("inspect", "r.json")
    assert "r.json#m1\nformat       promptfoo (object)\n" in done.out
    assert "r.json#m2\nformat       promptfoo (object)\n" in done.out
    assert "rows         1, 1 id without an answer: 1\n" in done.out
    assert "missing      1 in r.json#m2: 1\n" in done.out


def test_names_and_values_of_a_file_cannot_move_the_cursor(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", [{"id": "\x1b[2J", "answer": "", "model": "\x1b]0;x\x07"}])
    done = judge("inspect", "a.jsonl")
    assert "\x1b" not in done.out


def test_fields_that_the_user_names_are_used(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "a.jsonl", [{"key": "k1", "said": "x"}])
    assert judge("inspect", "a.jsonl").code == 3
    done = judge("inspect", "a.jsonl", "--id-field", "key", "--response-field", "said")
    assert (done.code, "fields       id is key, response is said\n" in done.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("-", "-"), "stdin (-) can be read once; give it for one of the files only"),
        (
            ("a.jsonl", "--questions", "-"),
            "stdin (-) can be a file of answers here; name the file of --questions or --reference",
        ),
        (("a.jsonl", "--turn", "x"), "--turn x: choose first, last or a turn's number, counted from 1"),
    ],
)
def test_what_is_asked_wrongly_is_2(
    judge: Judge, folder: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    write_jsonl(folder / "a.jsonl", answers("x"))
    done = judge("inspect", *arguments)
    assert (done.code, done.sentence) == (2, sentence)


def batch(n: int) -> Row:
    message = {"role": "assistant", "content": f"answer {n}"}
    body = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    return {
        "id": f"x{n}",
        "custom_id": f"q{n}",
        "response": {"status_code": 200, "body": body},
        "error": None,
    }


def test_questions_and_references_beside_the_answers_are_counted(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "out.jsonl", [batch(1), batch(2)])
    asked = [
        {"custom_id": f"q{n}", "body": {"messages": [{"role": "user", "content": f"Q{n}?"}]}} for n in (1, 2)
    ]
    write_jsonl(folder / "in.jsonl", asked)
    write_jsonl(folder / "refs.jsonl", [{"id": "q1", "reference": "r"}])
    alone = judge("inspect", "out.jsonl")
    assert "questions    none\nreferences   none\n" in alone.out
    done = judge("inspect", "out.jsonl", "--questions", "in.jsonl", "--reference", "refs.jsonl")
    assert (done.code, "questions    all\nreferences   1 of 2\n" in done.out) == (0, True)


def test_what_is_wrong_with_the_questions_is_a_problem(judge: Judge, folder: Path) -> None:
    write_jsonl(folder / "out.jsonl", [batch(1), batch(2)])
    write_jsonl(folder / "in.jsonl", [{"id": "q1", "question": "Q1?"}])
    done = judge("inspect", "out.jsonl", "--questions", "in.jsonl", "--format", "json")
    assert done.code == 0
    (file,) = json.loads(done.out)["files"]
    assert file["n_with_question"] == 1
    (problem,) = file["problems"]
    assert problem.startswith("in.jsonl: no question for 1 of 2 answers: q2; ")


def test_stdin(judge: Judge, folder: Path) -> None:
    done = judge("inspect", "-", stdin='{"id": 1, "question": "Q?", "answer": "x"}\n')
    assert done.out.startswith("-\nformat") or done.out.startswith("stdin\nformat")


@pytest.mark.parametrize("option", ["--questions", "--reference"])
@pytest.mark.parametrize("content", [None, "{oops\n", '{"id": "q1", "topic": "x"}\n'])
def test_a_file_beside_the_answers_that_cannot_be_read_is_3(
    judge: Judge, folder: Path, option: str, content: str | None
) -> None:
    write_jsonl(folder / "out.jsonl", [batch(1), batch(2)])
    write_jsonl(folder / "two.jsonl", [batch(1), batch(2)])
    if content is not None:
        (folder / "beside.jsonl").write_text(content, encoding="utf-8")
    done = judge("inspect", "out.jsonl", "two.jsonl", option, "beside.jsonl")
    assert (done.code, done.sentence) == (3, "1 of 3 cannot be read, for the reasons above")
    assert "beside.jsonl" in done.out


def test_references_that_belong_to_no_answer_are_a_problem_of_a_file_that_is_read(
    judge: Judge, folder: Path
) -> None:
    write_jsonl(folder / "out.jsonl", [batch(1)])
    write_jsonl(folder / "refs.jsonl", [{"id": "q9", "reference": "r"}])
    done = judge("inspect", "out.jsonl", "--reference", "refs.jsonl", "--format", "json")
    (file,) = json.loads(done.out)["files"]
    assert (done.code, file["unread"]) == (0, [])
    assert file["problems"][0].startswith("refs.jsonl: 0 of 1 reference belong to an item")
