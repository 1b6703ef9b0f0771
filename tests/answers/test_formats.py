"""Formats: each is told by the structure of its rows, and read into the same nouns."""

import json
from dataclasses import replace

import pytest

from judgecli.answers import Fields, InputOptions, PairBy, format_names, load_pairs, read_answers
from judgecli.answers.detection import load_format
from judgecli.answers.reading import read_file
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, load, write_bytes, write_jsonl

MESSAGES = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
ROWS = {
    "alpaca-eval": {
        "dataset": "made_up",
        "instruction": "2+2?",
        "output": "4",
        "generator": "model-a",
        "datasplit": "eval",
    },
    "mt-bench": {
        "question_id": 81,
        "answer_id": "z",
        "model_id": "model-a",
        "choices": [{"index": 0, "turns": ["4", "Still 4"]}],
        "tstamp": 1700000000.5,
    },
    "fastchat": {"answer_id": "z", "model_id": "model-a", "question_id": 1, "text": "4", "metadata": {}},
    "arena-hard": {
        "uid": "u1",
        "ans_id": "z",
        "model": "model-a",
        "messages": [MESSAGES[0], {"role": "assistant", "content": {"answer": "4"}}],
    },
    "arena-hard-v01": {
        "question_id": "u1",
        "model_id": "model-a",
        "choices": [{"index": 0, "turns": [{"content": "4", "token_len": 1}]}],
    },
    "judgelm": {
        "question_id": 0,
        "question_body": "2+2?",
        "decoding_method": "greedy",
        "model": "model-a",
        "text": "4",
        "scores": {"logprobs": -7.0},
    },
    "chat": {"id": "q1", "messages": MESSAGES, "model": "model-a"},
    "sharegpt": {
        "id": "q1",
        "model": "model-a",
        "conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "4"}],
    },
    "mm-vet": {
        "question_id": 0,
        "imagename": "v1_0.png",
        "question": "2+2?",
        "answer": "four",
        "capability": ["math"],
        "answer1_body": "4",
        "model": "model-a",
    },
    "openai-batch": {
        "id": "batch_req_1",
        "custom_id": "q1",
        "response": {
            "status_code": 200,
            "body": {"model": "model-a", "choices": [{"message": MESSAGES[1], "finish_reason": "stop"}]},
        },
        "error": None,
    },
    "promptfoo": {
        "evalId": "eval-1",
        "results": {
            "version": 3,
            "results": [
                {
                    "testIdx": 0,
                    "promptIdx": 0,
                    "vars": {"question": "2+2?"},
                    "prompt": {"raw": "2+2?", "label": "p"},
                    "provider": {"id": "model-a"},
                    "response": {"output": "4"},
                    "success": True,
                }
            ],
        },
        "config": {},
        "shareableUrl": None,
    },
    "inspect": {
        "version": 2,
        "status": "success",
        "eval": {"task": "t", "model": "model-a"},
        "samples": [{"id": 1, "epoch": 1, "input": "2+2?", "target": "4", "output": {"completion": "4"}}],
    },
    "helm": {
        "adapter_spec": {"model": "model-a"},
        "request_states": [
            {
                "instance": {
                    "id": "id1",
                    "input": {"text": "2+2?"},
                    "references": [{"output": {"text": "4"}, "tags": ["correct"]}],
                },
                "train_trial_index": 0,
                "result": {"success": True, "completions": [{"text": "4"}]},
            }
        ],
    },
    "openai-evals": {
        "run_id": "r",
        "event_id": 1,
        "sample_id": "sums.dev.0",
        "type": "sampling",
        "data": {"prompt": MESSAGES[:1], "sampled": ["4"], "model": "model-a"},
    },
    "lm-eval": {
        "doc_id": 0,
        "doc": {"question": "2+2?"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {"until": ["Q:"]}}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": "strict-match",
    },
    "plain": {"id": "q1", "question": "2+2?", "answer": "4", "model": "model-a"},
}
NO_MODEL = {"lm-eval"}
PAIR_ROWS = {
    "judgelm-pairs": {
        "question_id": 0,
        "score": [{"logprobs": -7.0}, {"logprobs": -7.5}],
        "question_body": "2+2?",
        "answer1_body": "4",
        "answer2_body": "5",
        "answer1_model_id": "model-a",
        "answer2_model_id": "model-b",
        "answer1_metadata": {"decoding_method": "greedy"},
        "text": "8 2\nA review.",
    },
    "pandalm": {
        "idx": 0,
        "motivation_app": "Made up",
        "cmp_key": "model-a_model-b",
        "instruction": "Add the numbers.",
        "input": "2 and 2",
        "response1": "4",
        "response2": "5",
        "annotator1": 1,
        "annotator2": 1,
        "annotator3": 0,
    },
    "preference": {"prompt": "2+2?", "chosen": "4", "rejected": "5"},
    "offsetbias": {
        "bias": "made up",
        "instruction": "2+2?",
        "response1": "4",
        "response2": "5",
        "label": 1,
    },
    "alpaca-eval-annotations": {
        "instruction": "2+2?",
        "output_1": "4",
        "generator_1": "model-a",
        "output_2": "5",
        "generator_2": "model-b",
        "annotator": "x",
        "preference": 1.0,
    },
    "arena-battles": {
        "question_id": "q1",
        "model_a": "model-a",
        "model_b": "model-b",
        "winner": "tie (bothbad)",
        "turn": 1,
        "conversation_a": MESSAGES,
        "conversation_b": [MESSAGES[0], {"role": "assistant", "content": "5"}],
    },
    "plain-pairs": {"id": "q1", "question": "2+2?", "answer_a": "4", "answer_b": "5", "gold": "a"},
}
UNREAD = {
    "a run file of judge": {"row": "header", "judgecli": "0.1.0", "mode": "pair", "model": {"name": "m"}},
    "batch input": {"custom_id": "q1", "method": "POST", "body": {"messages": MESSAGES}},
    "display_predictions.json": {"instance_id": "i", "predicted_text": "4"},
    "unpaired preferences": {"prompt": "2+2?", "completion": "4", "label": True},
    "judgements": {"question_id": 81, "model": "m", "judge": ["gpt-4", "p"], "judgment": "[[8]]"},
    "a file of judgements": {"review_id": "r", "answer1_id": "a", "answer2_id": "b", "text": "9 8"},
}


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
