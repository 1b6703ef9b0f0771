"""MM-Vet: questions with their right answers by id, and answers by id; the image is never seen."""

import json

import pytest

from judgecli.answers import AnswersOptions, load_answers, load_many
from judgecli.errors import DataError
from tests.answers.made_up import load_files, write_bytes, write_jsonl

QUESTIONS = {
    "v1_0": {
        "imagename": "v1_0.png",
        "question": "What is x?",
        "answer": "-1<AND>-5",
        "capability": ["ocr", "math"],
    },
    "v1_1": {
        "imagename": "v1_1.jpg",
        "question": "What is it?",
        "answer": "a cat<OR>kitten",
        "capability": ["rec"],
    },
}
ANSWERS = {"v1_0": "x = -1 or -5", "v1_1": "A kitten."}


def write(folder, name, value):
    return write_bytes(folder / name, json.dumps(value, indent=4).encode())


def samples():
    """Return rows as JudgeLM makes them of both files."""
    return [
        {**QUESTIONS[key], "answer1_body": ANSWERS[key], "question_id": n} for n, key in enumerate(QUESTIONS)
    ]


def test_questions_references_and_answers_are_found_by_id(tmp_path):
    asked = write(tmp_path, "mm-vet.json", QUESTIONS)
    options = AnswersOptions(
        files=(write(tmp_path, "model-a.json", ANSWERS),), questions=asked, reference=asked
    )
    loaded = load_answers(options)
    assert [(i.id, i.instruction, i.responses[0].output) for i in loaded.items] == [
        ("v1_0", "What is x?", "x = -1 or -5"),
        ("v1_1", "What is it?", "A kitten."),
    ]
    assert [item.reference for item in loaded.items] == ["-1<AND>-5", "a cat<OR>kitten"]
    assert loaded.items[0].metadata == {"imagename": "v1_0.png", "capability": ["ocr", "math"]}
    assert loaded.report.models == ("model-a",)


def test_that_no_image_is_seen_is_said(tmp_path):
    asked = write(tmp_path, "mm-vet.json", QUESTIONS)
    files = tuple(write(tmp_path, f"{name}.json", ANSWERS) for name in "abc")
    loaded = load_many(AnswersOptions(files=files, questions=asked))
    assert loaded.report.with_image == ("v1_0", "v1_1")
    assert [item.flags for item in loaded.items] == [("image-not-seen",)] * 2
    assert "2 of 2 items come with an image, which the judge does not see" in loaded.report.notes


def test_in_judgelms_samples_the_models_answer_is_judged_not_the_right_one(tmp_path):
    loaded = load_files(tmp_path, samples())
    assert [(i.id, i.responses[0].output, i.reference) for i in loaded.items] == [
        ("0", "x = -1 or -5", "-1<AND>-5"),
        ("1", "A kitten.", "a cat<OR>kitten"),
    ]
    assert loaded.report.formats == ("mm-vet (jsonl)",)
    assert loaded.report.with_image == ("0", "1")


def test_rows_with_a_prediction_beside_the_right_answer_are_the_same(tmp_path):
    rows = [{"id": "v1_0", **QUESTIONS["v1_0"], "prediction": "x = -1"}]
    (item,) = load_files(tmp_path, rows).items
    assert (item.responses[0].output, item.reference) == ("x = -1", "-1<AND>-5")


def test_plain_rows_hold_the_models_answer(tmp_path):
    rows = [{"id": "v1_0", "imagename": "v1_0.png", "question": "What is x?", "answer": "x = -1"}]
    (item,) = load_files(tmp_path, rows).items
    assert (item.responses[0].output, item.reference) == ("x = -1", None)
    assert item.flags == ("image-not-seen",)


@pytest.mark.parametrize("indent", [None, 4])
def test_the_questions_are_not_taken_for_answers(tmp_path, indent):
    path = write_bytes(tmp_path / "mm-vet.json", json.dumps(QUESTIONS, indent=indent).encode())
    with pytest.raises(DataError, match=r"looks like MM-Vet's questions.*both --questions and --reference"):
        load_answers(AnswersOptions(files=(path,)))


def test_references_may_be_one_object_of_texts(tmp_path):
    path = write(tmp_path, "references.json", {"0": "a", "1": "b"})
    rows = [{key: value for key, value in row.items() if key != "answer"} for row in samples()]
    answers_file = write_jsonl(tmp_path / "a.jsonl", [{**row, "answer": row["answer1_body"]} for row in rows])
    loaded = load_answers(AnswersOptions(files=(answers_file,), reference=path, format_in="plain"))
    assert [item.reference for item in loaded.items] == ["a", "b"]
