"""Batch outputs of OpenAI and vLLM: any order, questions beside them, failures that are no answers."""

import pytest

from judgecli.answers import AnswersOptions, Fields, InputOptions, load_answers, load_pairs, read_answers
from judgecli.errors import DataError
from tests.answers.made_up import said, write_jsonl


def done(custom_id, text="4", reason="stop", **body):
    choices = [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}]
    response = {"status_code": 200, "body": {"model": "model-a", "choices": choices, **body}}
    return {"id": f"batch_req_{custom_id}", "custom_id": custom_id, "response": response, "error": None}


FAILURES = {
    "an error": ({"response": None, "error": {"code": "expired", "message": "Too late."}}, "Too late."),
    "no response": ({"response": None, "error": None}, "no response"),
    "no body, as vLLM writes it": ({"response": {"status_code": 400, "body": None}}, "status 400"),
    "a bad status": (
        {"response": {"status_code": 429, "body": {"error": {"message": "Slow down."}}}},
        "Slow down.",
    ),
    "an error as a text": ({"response": {"status_code": 200, "body": {}}, "error": "broken"}, "broken"),
}


def failed(custom_id, kind="an error"):
    return {"id": "b", "custom_id": custom_id, "error": None, **FAILURES[kind][0]}


def questions(folder, *ids):
    rows = [
        {
            "custom_id": i,
            "method": "POST",
            "url": "/v1/chat/completions",
            "body": {"model": "m", "messages": [{"role": "user", "content": f"{i}?"}]},
        }
        for i in ids
    ]
    return write_jsonl(folder / "batch_input.jsonl", rows)


def test_two_outputs_in_any_order_are_paired_and_the_input_says_what_was_asked(tmp_path):
    a = write_jsonl(tmp_path / "a.jsonl", [done("q1"), done("q2", "5", "length")])
    b = write_jsonl(tmp_path / "b.jsonl", [done("q2", "6"), done("q1", "7")])
    asked = questions(tmp_path, "q1", "q2")
    loaded = load_pairs(InputOptions(baseline=a, candidate=b, questions=asked))
    assert [
        (p.id, p.instruction, p.response_a.output, p.response_a.model, p.response_b.output)
        for p in loaded.pairs
    ] == [("q1", "q1?", "4", "model-a", "7"), ("q2", "q2?", "5", "model-a", "6")]
    assert loaded.report.truncated_a == ("q2",)


@pytest.mark.parametrize("kind", FAILURES)
def test_a_request_that_failed_has_no_answer_and_it_is_said_why(tmp_path, kind):
    path = write_jsonl(tmp_path / "a.jsonl", [done("q1"), failed("q2", kind)])
    read = read_answers(path)
    assert [r.id for r in read.responses] == ["q1"]
    assert read.failed == ("q2",)
    said_why = f"q2 ({FAILURES[kind][1]})"
    assert read.notes == (
        f"{path}: 1 of 2 requests failed and have no answer, as if they were not there: {said_why}",
    )


def test_the_first_row_may_be_a_failure(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [failed("q1"), done("q2")]))
    assert (read.format, [r.id for r in read.responses]) == ("openai-batch", ["q2"])


def test_what_failed_in_one_file_is_missing_there(tmp_path):
    a = write_jsonl(tmp_path / "a.jsonl", [done("q1"), done("q2")])
    b = write_jsonl(tmp_path / "b.jsonl", [done("q1"), failed("q2")])
    files = {"baseline": a, "candidate": b, "questions": questions(tmp_path, "q1", "q2")}
    with pytest.raises(DataError) as refused:
        load_pairs(InputOptions(**files))
    assert str(refused.value) == (
        "1 of 2 ids shared; only in baseline: q2; only in candidate: none; "
        f"failed in {b}: q2; --allow-missing judges the shared ones"
    )
    loaded = load_pairs(InputOptions(**files, allow_missing=True))
    assert [pair.id for pair in loaded.pairs] == ["q1"]
    assert loaded.report.only_in_a == ("q2",)
    assert [note for note in loaded.report.notes if "1 of 2 requests failed" in note]


def test_a_file_of_failures_alone_is_refused_with_the_reasons(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [failed("q1"), failed("q2")])
    with pytest.raises(DataError, match=r"no answers in it, 2 failures: .*q1 \(Too late\.\)"):
        read_answers(path)


def test_answers_of_completions_and_of_the_responses_api_are_read(tmp_path):
    text = done("q1")
    text["response"]["body"]["choices"] = [{"text": "4", "finish_reason": "stop"}]
    assert read_answers(write_jsonl(tmp_path / "a.jsonl", [text])).responses[0].output == "4"
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "4"}]},
    ]
    body = {"output": output, "incomplete_details": {"reason": "max_output_tokens"}}
    row = {"custom_id": "q1", "response": {"status_code": 200, "body": body}, "error": None}
    (answer,) = read_answers(write_jsonl(tmp_path / "b.jsonl", [row])).responses
    assert (answer.output, answer.finish_reason) == ("4", "max_output_tokens")


def test_a_refusal_is_the_answer_and_a_call_of_a_tool_is_an_empty_one(tmp_path):
    refusal, call = done("q1", None), done("q2", None)
    refusal["response"]["body"]["choices"][0]["message"]["refusal"] = "I cannot."
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [refusal, call]))
    assert [r.output for r in read.responses] == ["I cannot.", ""]


def test_a_question_of_several_messages_is_asked_whole(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [done("q1")])
    body = {"messages": said("2+2?", "5", "Sure?", system="Be brief.")}
    asked = write_jsonl(tmp_path / "q.jsonl", [{"custom_id": "q1", "body": body}])
    (item,) = load_answers(AnswersOptions(files=(path,), questions=asked)).items
    assert item.instruction == "System: Be brief.\n\nUser: 2+2?\n\nAssistant: 5\n\nUser: Sure?"
    assert item.n_turns == 1


def test_there_is_nothing_to_choose_from(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [done("q1")])
    with pytest.raises(DataError, match=r"openai-batch files hold one set of answers, so #x chooses nothing"):
        read_answers(f"{path}#x")


def test_a_file_whose_own_name_has_the_mark_is_that_file(tmp_path):
    path = write_jsonl(tmp_path / "a#1.jsonl", [done("q1")])
    assert read_answers(path).file == path


def test_the_first_of_several_choices_is_judged_and_it_is_said(tmp_path):
    row = done("q1")
    row["response"]["body"]["choices"].append({"index": 1, "message": {"content": "5"}})
    path = write_jsonl(tmp_path / "a.jsonl", [row, done("q2")])
    read = read_answers(path)
    assert [r.output for r in read.responses] == ["4", "4"]
    field = "response.body.choices[0].message.content"
    assert read.notes == (f"{path}: 1 row with several answers; the first is judged ({field})",)
    assert read_answers(path, fields=Fields(response=field)).notes == ()


def test_content_in_parts_is_their_text(tmp_path):
    parts = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "It is "}, {"text": "4."}]
    parts[2]["type"] = "text"
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [done("q1", parts), done("q2", None)]))
    assert [r.output for r in read.responses] == ["It is 4.", ""]


def test_content_in_parts_that_are_no_text_is_refused(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [done("q1", [{"type": "input_audio"}])])
    with pytest.raises(DataError, match=r"a\.jsonl:1: the answer \(.*content\) holds parts that are neither"):
        read_answers(path)
