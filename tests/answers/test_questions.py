"""Questions beside the answers."""

import pytest

from judgecli.answers import Fields
from judgecli.errors import DataError
from tests.answers.made_up import answers, load, write_bytes, write_jsonl

BARE = [{"id": "q1", "answer": "x"}, {"id": "q2", "answer": "y"}]


def questions(folder, *rows):
    return write_jsonl(folder / "questions.jsonl", list(rows))


@pytest.mark.parametrize(
    "rows",
    [
        [{"question_id": "q1", "turns": ["q1?", "and?"]}, {"question_id": "q2", "turns": ["q2?"]}],
        [{"question_id": "q1", "text": "q1?"}, {"question_id": "q2", "text": "q2?"}],
        [{"uid": "q1", "prompt": "q1?"}, {"uid": "q2", "prompt": "q2?"}],
        answers("q2", "q1", "unused"),
    ],
)
def test_every_form_of_question_is_understood(tmp_path, rows):
    loaded = load(tmp_path, BARE, BARE, questions=questions(tmp_path, *rows))
    assert [(pair.id, pair.instruction) for pair in loaded.pairs] == [("q1", "q1?"), ("q2", "q2?")]


def test_questions_may_be_csv(tmp_path):
    table = write_bytes(tmp_path / "q.csv", b"id,question,category\nq1,q1?,maths\nq2,q2?,law\n")
    loaded = load(tmp_path, BARE, BARE, questions=table)
    assert [pair.metadata["category"] for pair in loaded.pairs] == ["maths", "law"]


def test_without_questions_the_option_is_named(tmp_path):
    with pytest.raises(DataError, match=r"no question for 2 of 2 pairs: q1, q2; .*--questions"):
        load(tmp_path, BARE, BARE)


def test_a_missing_question_is_named(tmp_path):
    path = questions(tmp_path, {"id": "q1", "question": "?"})
    with pytest.raises(DataError, match=r"questions\.jsonl: no question for 1 of 2 pairs: q2"):
        load(tmp_path, BARE, BARE, questions=path)


def test_an_empty_question_is_a_missing_one(tmp_path):
    path = questions(tmp_path, {"id": "q1", "question": "?"}, {"id": "q2", "question": " "})
    with pytest.raises(DataError, match="no question for 1 of 2 pairs: q2"):
        load(tmp_path, BARE, BARE, questions=path)


def test_questions_fill_categories_of_answers_that_know_their_question(tmp_path):
    path = questions(tmp_path, {"id": "q1", "question": "q1?", "category": "maths", "group": 1})
    rows = answers("q1", category="own")
    assert load(tmp_path, rows, rows, questions=path).pairs[0].metadata == {"category": "own", "group": 1}


def test_questions_are_found_by_instruction_where_answers_have_no_ids(tmp_path):
    rows = [{"instruction": "one", "output": "x"}]
    path = questions(tmp_path, {"id": "q1", "question": "one", "category": "maths"})
    assert load(tmp_path, rows, rows, questions=path).pairs[0].metadata == {"category": "maths"}


def test_other_questions_than_those_answered_are_refused(tmp_path):
    path = questions(tmp_path, {"id": "q1", "question": "something else?"})
    with pytest.raises(DataError, match="1 question differ from what the answer files say was asked: q1"):
        load(tmp_path, answers("q1"), answers("q1"), questions=path)


def test_another_input_makes_another_question(tmp_path):
    rows = [{"id": "q1", "instruction": "Add.", "input": "2 and 2", "output": "4"}]
    path = questions(tmp_path, {"id": "q1", "instruction": "Add.", "input": "3 and 3"})
    with pytest.raises(DataError, match="1 question differ from what the answer files say"):
        load(tmp_path, rows, rows, questions=path)


def test_a_question_twice_is_refused_with_both_lines(tmp_path):
    path = questions(tmp_path, *answers("q1", "q2", "q1"))
    with pytest.raises(DataError, match=r"questions\.jsonl:3: 'q1' is there already at .*questions\.jsonl:1"):
        load(tmp_path, BARE, BARE, questions=path)


def test_a_file_without_questions_is_refused(tmp_path):
    path = questions(tmp_path, {"id": "q1", "topic": "x"})
    with pytest.raises(DataError, match="no row has an instruction field; fields there: id, topic"):
        load(tmp_path, BARE, BARE, questions=path)


def test_the_fields_used_are_reported(tmp_path):
    path = questions(tmp_path, *answers("q1", "q2"))
    report = load(tmp_path, BARE, BARE, questions=path).report
    assert report.fields_used[path] == {"id": "id", "instruction": "question"}


def old(answer, **own):
    return {"question_id": 1, "answer_id": f"x{answer}", "model_id": answer, "text": answer, **own}


def mt_bench(answer, **own):
    return {"question_id": 1, "model_id": answer, "choices": [{"index": 0, "turns": [answer]}], **own}


def arena_hard(answer, **own):
    return {
        "question_id": 1,
        "model_id": answer,
        "choices": [{"index": 0, "turns": [{"content": answer}]}],
        **own,
    }


OWN = {
    "templates of their own": ({"prompt": "<s>[INST] q0 [/INST]"}, {"prompt": "User: q0"}),
    "messages": ({"prompt": [{"role": "user", "content": "q0 once more"}]},) * 2,
    "messages of no text": ({"prompt": [{"role": "user", "content": {"x": 1}}]},) * 2,
    "an object": ({"question": {"turns": ["q0"]}},) * 2,
    "a list": ({"question": ["q0", "q1"]},) * 2,
    "a sentence more": ({"prompt": "q0 Answer with a letter."},) * 2,
}


@pytest.mark.parametrize("made", [old, mt_bench, arena_hard])
@pytest.mark.parametrize("kind", OWN)
def test_questions_that_are_mostly_apart_go_before_those_beside_the_answers(tmp_path, made, kind):
    rows = [[made(name, **own)] for name, own in zip("ab", OWN[kind], strict=True)]
    path = questions(tmp_path, {"question_id": 1, "turns": ["q0"], "category": "maths"})
    (pair,) = load(tmp_path, *rows, questions=path).pairs
    assert (pair.instruction, pair.response_a.output, pair.response_b.output) == ("q0", "a", "b")


@pytest.mark.parametrize("made", [old, mt_bench, arena_hard])
def test_a_question_that_the_user_names_is_compared_with_the_questions_file(tmp_path, made):
    rows = [made("a", prompt="something else")]
    path = questions(tmp_path, {"question_id": 1, "turns": ["q0"]})
    with pytest.raises(DataError, match="1 question differ from what the answer files say was asked: 1"):
        load(tmp_path, rows, rows, questions=path, fields=Fields(instruction=("prompt", "turns")))


@pytest.mark.parametrize("made", [old, mt_bench, arena_hard])
def test_a_question_beside_the_answer_that_is_no_text_is_none(tmp_path, made):
    rows = [made("a", question={"turns": ["q0"]})]
    with pytest.raises(DataError, match=r"no question for 1 of 1 pair: 1; .*--questions"):
        load(tmp_path, rows, rows)


@pytest.mark.parametrize("made", [old, mt_bench, arena_hard])
def test_a_question_beside_the_answer_is_asked_where_no_file_says_it(tmp_path, made):
    rows = [made("a", prompt="q0")]
    assert [pair.instruction for pair in load(tmp_path, rows, rows).pairs] == ["q0"]
