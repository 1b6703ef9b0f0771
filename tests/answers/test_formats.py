"""Formats: each is told by the structure of its rows, and read into the same nouns."""

import json
from dataclasses import replace

import pytest

from judgecli.answers import Fields, InputOptions, PairBy, format_names, load_pairs, read_answers
from judgecli.answers.detection import load_format
from judgecli.answers.reading import read_file
from judgecli.errors import DataError, UsageError
from tests.answers.format_rows import MESSAGES, NO_MODEL, PAIR_ROWS, ROWS, UNREAD
from tests.answers.made_up import answers, load, write_bytes, write_jsonl


@pytest.mark.parametrize("name", ROWS)
def test_each_format_is_detected_and_read(tmp_path, name):
    answer_file = read_answers(write_jsonl(tmp_path / "file.txt", [ROWS[name]]))
    assert answer_file.format == name
    model = None if name in NO_MODEL else "model-a"
    assert [(r.output, r.model) for r in answer_file.responses] == [("4", model)]


@pytest.mark.parametrize("name", PAIR_ROWS)
def test_each_format_of_pairs_is_detected_and_read(tmp_path, name):
    answer_file = read_file(write_bytes(tmp_path / "x", json.dumps([PAIR_ROWS[name]]).encode()))
    assert answer_file.format == name
    assert [(row.first.output, row.second.output) for row in answer_file.pair_rows] == [("4", "5")]


def test_every_format_has_an_example_here():
    assert {*ROWS, *PAIR_ROWS} == set(format_names())


@pytest.mark.parametrize("row", [*ROWS.values(), *PAIR_ROWS.values()])
def test_no_row_is_claimed_twice(row):
    claims = [name for name in format_names() if load_format(name).claims(row)]
    assert len(claims) <= 1


def test_a_row_with_two_answers_is_a_pair_whatever_else_it_holds(tmp_path):
    row = {"prompt": "2+2?", "messages": MESSAGES, "chosen": "4", "rejected": "5"}
    assert read_file(write_jsonl(tmp_path / "a.jsonl", [row])).format == "preference"


def test_a_row_that_could_be_two_formats_is_not_guessed(tmp_path):
    row = {"id": 1, "question": "?", **PAIR_ROWS["plain-pairs"], "response1": "4", "response2": "5"}
    path = write_jsonl(tmp_path / "a.jsonl", [row])
    with pytest.raises(DataError, match="could be pandalm or plain-pairs; choose one with --format-in"):
        read_file(path)
    assert read_file(path, format_in="plain-pairs").format == "plain-pairs"


@pytest.mark.parametrize("kind", UNREAD)
def test_what_holds_no_answers_is_refused_not_misread(tmp_path, kind):
    with pytest.raises(DataError, match=rf"a\.jsonl: looks like .*{kind}"):
        read_answers(write_jsonl(tmp_path / "a.jsonl", [UNREAD[kind]]))


def test_a_named_format_is_obeyed(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [{"id": "q1", "question_id": 7, "text": "x", "model_id": "m"}])
    assert read_answers(path).responses[0].id == "7"
    assert read_answers(path, format_in="plain").responses[0].id == "q1"


def test_a_named_format_that_does_not_fit_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"a\.jsonl:1: no answer field; fields there: id, question, answer"):
        read_answers(write_jsonl(tmp_path / "a.jsonl", answers("q1")), format_in="mt-bench")


def test_an_unknown_format_name_is_a_usage_error_with_the_closest_names(tmp_path):
    with pytest.raises(UsageError, match="did you mean alpaca-eval"):
        read_answers(write_jsonl(tmp_path / "a.jsonl", answers("q1")), format_in="alpaca_evals")
    with pytest.raises(UsageError, match="there are jsonl, json, csv, alpaca-eval"):
        read_answers(write_jsonl(tmp_path / "a.jsonl", answers("q1")), format_in="??")


def test_mt_bench_judges_the_first_turn_and_says_so(tmp_path):
    rows = [ROWS["mt-bench"]]
    questions = [{"question_id": 81, "category": "math", "turns": ["2+2?", "Sure?"]}]
    path = write_jsonl(tmp_path / "questions.jsonl", questions)
    loaded = load(tmp_path, rows, [{**rows[0], "model_id": "model-b"}], questions=path)
    (pair,) = loaded.pairs
    assert (pair.id, pair.instruction, pair.response_a.output) == ("81", "2+2?", "4")
    assert pair.metadata["category"] == "math"
    assert [note for note in loaded.report.notes if "the first turn is judged" in note]


def test_a_turn_named_as_a_field_is_read_alone_and_it_is_said(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [ROWS["mt-bench"]])
    read = read_answers(path, fields=Fields(response="choices[0].turns[1]"))
    assert (read.responses[0].output, read.responses[0].earlier_outputs) == ("Still 4", ())
    assert [note for note in read.notes if "as single turns; --turn judges one in place" in note]


def test_arena_hard_asks_what_the_user_wrote(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [ROWS["arena-hard"]]))
    assert [(r.id, r.instruction) for r in read.responses] == [("u1", "2+2?")]


def test_a_system_message_and_a_question_are_asked_as_a_transcript(tmp_path):
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
        {"role": "assistant", "content": "4"},
    ]
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [{"id": 1, "messages": messages}]))
    assert read.responses[0].instruction == "System: Be brief.\n\nUser: 2+2?"
    assert read.responses[0].output == "4"


def test_alpaca_eval_reads_csv_too(tmp_path):
    path = write_bytes(tmp_path / "a.csv", b"instruction,output,generator\n2+2?,4,model-a\n")
    assert read_answers(path).format == "alpaca-eval"


def test_one_answer_is_wanted_from_a_file_of_pairs(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [PAIR_ROWS["plain-pairs"]])
    with pytest.raises(DataError, match="two answers a row"):
        read_answers(path)
    chosen = read_answers(path, fields=Fields(response="answer_b"))
    assert [r.output for r in chosen.responses] == ["5"]


def test_llava_answers_bring_their_questions(tmp_path):
    row = {**ROWS["fastchat"], "prompt": "What is in the image?", "text": "A cat."}
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [row]))
    assert read.format == "fastchat"
    assert [(r.instruction, r.output) for r in read.responses] == [("What is in the image?", "A cat.")]


@pytest.mark.parametrize("name", ["mt-bench", "arena-hard-v01"])
def test_the_first_of_several_choices_is_judged_and_it_is_said(tmp_path, name):
    row = {**ROWS[name], "choices": [*ROWS[name]["choices"], {"index": 1, "turns": ["5"]}]}
    assert any("1 row with several answers; the first is judged" in note for note in notes(tmp_path, row))
    assert not any("several answers" in note for note in notes(tmp_path, ROWS[name]))


def test_choices_of_a_question_are_no_answers(tmp_path):
    assert notes(tmp_path, {"id": "q1", "question": "2+2?", "choices": ["4", "5"], "answer": "4"}) == ()


def test_a_text_beside_a_conversation_that_has_an_answer_is_said(tmp_path):
    row = {"id": "q1", "messages": MESSAGES, "text": "<s>2+2? 4</s>"}
    (note,) = notes(tmp_path, row)
    assert "answers are read from text; there is messages too (--response-field)" in note
    assert notes(tmp_path, {**row, "text": "4"}) == ()
    assert notes(tmp_path, {**row, "messages": MESSAGES[:1]}) == ()
    path = write_jsonl(tmp_path / "a.jsonl", [row])
    (answer,) = read_answers(path, fields=Fields(response="messages")).responses
    assert (answer.instruction, answer.output) == ("2+2?", "4")


def notes(folder, row):
    return read_answers(write_jsonl(folder / "a.jsonl", [row])).notes


def test_a_list_of_texts_is_the_answers_to_questions_in_the_same_order(tmp_path):
    texts = write_bytes(tmp_path / "b.json", b'["4", "Paris"]')
    asked = write_jsonl(tmp_path / "a.jsonl", answers("q1", "q2"))
    options = InputOptions(baseline=asked, candidate=texts, pair_by=PairBy.LINE)
    assert [(p.id, p.instruction, p.response_b.output) for p in load_pairs(options).pairs] == [
        ("q1", "q1?", "4"),
        ("q2", "q2?", "Paris"),
    ]
    with pytest.raises(DataError, match="2 rows with neither an id nor an instruction to pair by"):
        load_pairs(replace(options, pair_by=PairBy.AUTO))


@pytest.mark.parametrize("texts", [b'["4", 5]', b'["4", null]', b'["4", {"answer": "5"}]', b"[4, 5]"])
def test_a_list_of_texts_and_other_things_is_none(tmp_path, texts):
    with pytest.raises(DataError, match="a row must be a JSON object, not"):
        read_answers(write_bytes(tmp_path / "a.json", texts))
