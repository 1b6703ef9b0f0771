"""lm-eval samples: one answer a document, whatever the filters, and no log-likelihoods."""

import json
import re

import pytest

from judgecli.answers import Fields, InputOptions, load_pairs, read_answers
from judgecli.errors import DataError
from tests.answers.logs.lm_eval import both_filters, sample
from tests.answers.made_up import said, write_bytes, write_jsonl


def test_question_answer_and_reference_are_found(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [sample(0), sample(1)]))
    assert read.format == "lm-eval"
    assert [(r.id, r.instruction, r.output, r.reference) for r in read.responses] == [
        ("0", "Q: 0+2?\nA:", "The answer is 4.", "4"),
        ("1", "Q: 1+2?\nA:", "The answer is 4.", "4"),
    ]
    assert read.notes == ()


def test_lm_eval_1493_an_array_with_the_older_arguments_is_read_too(tmp_path):
    rows = [sample(0, arguments=[["2+2?", {"until": ["\n"]}]]) | {"filter": None}]
    del rows[0]["filter"]
    read = read_answers(write_bytes(tmp_path / "a.jsonl", json.dumps(rows, indent=1).encode()))
    assert (read.format, read.container) == ("lm-eval", "json")
    assert [(r.id, r.instruction) for r in read.responses] == [("0", "2+2?")]


def test_lm_eval_2025_a_document_with_two_filters_is_one_answer_and_it_is_said(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [*both_filters(0), *both_filters(1)])
    read = read_answers(path)
    assert [(r.id, r.output) for r in read.responses] == [
        ("0", "The answer is 4."),
        ("1", "The answer is 4."),
    ]
    (note,) = read.notes
    assert "rows of 2 filters; those of strict-match are read, not those of flexible-extract" in note
    assert f"{path}#strict-match reads what the filter left of it" in note


def test_a_filter_that_is_chosen_gives_what_it_left(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", both_filters(0))
    read = read_answers(f"{path}#flexible-extract")
    assert [r.output for r in read.responses] == ["four"]
    assert read.file == f"{path}#flexible-extract"
    assert "what the filter flexible-extract left" in read.notes[0]
    assert [str(r.source) for r in read.responses] == [f"{path}:2"]


def test_a_list_that_a_filter_left_gives_its_first(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", [sample(0, filtered=["4", "5"])])
    assert [r.output for r in read_answers(f"{path}#strict-match").responses] == ["4"]


def test_a_filter_that_is_not_there_is_refused_with_those_that_are(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", both_filters(0))
    with pytest.raises(DataError) as refused:
        read_answers(f"{path}#strict")
    sentence = "no filter is called so; there are strict-match, flexible-extract"
    assert str(refused.value) == f"{path}#strict: {sentence}"


def test_a_choice_that_names_nothing_is_refused(tmp_path):
    path = write_jsonl(tmp_path / "a.jsonl", both_filters(0))
    with pytest.raises(DataError, match="#: # names no filter; there are strict-match, flexible-extract"):
        read_answers(f"{path}#")


def test_repeats_give_the_first_and_it_is_said(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [sample(0, resps=[["4", "5"]])]))
    assert [r.output for r in read.responses] == ["4"]
    assert "1 row with several answers; the first is judged (resps[0][0])" in read.notes[0]


LIKELIHOODS = {
    "answer and greediness": {"resps": [["-1.2", "False"]]},
    "a request for each choice": {"resps": [[["-1.2", "False"]], [["-2.3", "False"]]]},
    "a continuation": {"arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": " 4"}}},
    "a continuation, older": {"arguments": [["2+2?", " 4"]]},
    "a text that is only rated": {"arguments": {"gen_args_0": {"arg_0": "Text."}}, "resps": [["-12.3"]]},
    "a text that is only rated, older": {"arguments": [["Text."]], "resps": [["-12.3"]]},
}


@pytest.mark.parametrize("kind", LIKELIHOODS)
def test_log_likelihoods_are_no_answers(tmp_path, kind):
    path = write_jsonl(tmp_path / "a.jsonl", [sample(0, **LIKELIHOODS[kind])])
    with pytest.raises(DataError, match=re.escape(f"{path}:1: log-likelihoods of given answers")):
        read_answers(path)


def test_several_right_answers_are_one_reference(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [sample(0, target=["4", "four"])]))
    assert read.responses[0].reference == "4 or four"


def test_two_models_are_paired_by_document_and_refused_where_it_is_another_one(tmp_path):
    a = write_jsonl(tmp_path / "a.jsonl", [sample(0), sample(1)])
    b = write_jsonl(tmp_path / "b.jsonl", [sample(1), sample(0, answer="5")])
    loaded = load_pairs(InputOptions(baseline=a, candidate=b))
    assert [(pair.id, pair.response_b.output) for pair in loaded.pairs] == [
        ("0", "5"),
        ("1", "The answer is 4."),
    ]
    other = {"arguments": {"gen_args_0": {"arg_0": "3+3?", "arg_1": {}}}, "doc_hash": "another"}
    c = write_jsonl(tmp_path / "c.jsonl", [sample(0, **other), sample(1)])
    with pytest.raises(DataError, match=r"ask different things under 1 id: 0 \(lines 1 and 1\)"):
        load_pairs(InputOptions(baseline=a, candidate=c))


def sent(doc_id, prompt, **more):
    return sample(doc_id, arguments={"gen_args_0": {"arg_0": prompt, "arg_1": {}}}, **more)


def test_an_answer_that_is_a_number_is_no_likelihood(tmp_path):
    read = read_answers(write_jsonl(tmp_path / "a.jsonl", [sample(0, answer="-12.3")]))
    assert [r.output for r in read.responses] == ["-12.3"]


CHATS = {
    "one message": (said("2+2?"), "2+2?"),
    "a system message": (said("2+2?", system="Be brief."), "System: Be brief.\n\nUser: 2+2?"),
    "examples as turns": (said("1+1?", "2", "2+2?"), "User: 1+1?\n\nAssistant: 2\n\nUser: 2+2?"),
    "an answer begun for the model": (said("2+2?", "It is"), "2+2?"),
}


@pytest.mark.parametrize("kind", CHATS)
@pytest.mark.parametrize("logged", [lambda text: [text], lambda text: text])
def test_a_chat_is_asked_as_one_text(tmp_path, kind, logged):
    messages, text = CHATS[kind]
    row = sent(0, logged(json.dumps(messages)))
    older = sample(0, arguments=[[logged(json.dumps(messages)), {"until": []}]])
    for number, one in enumerate((row, older)):
        (answer,) = read_answers(write_jsonl(tmp_path / f"{number}.jsonl", [one])).responses
        assert (answer.instruction, answer.earlier_instructions) == (text, ())


def test_templates_of_their_own_around_one_document_are_one_question(tmp_path):
    a = write_jsonl(tmp_path / "a.jsonl", [sent(0, "<|im_start|>user\n2+2?<|im_end|>\n")])
    b = write_jsonl(tmp_path / "b.jsonl", [sent(0, ['[{"role": "user", "content": "2+2?"}]'])])
    for files in ((a, b), (b, a)):
        loaded = load_pairs(InputOptions(baseline=files[0], candidate=files[1]))
        assert [pair.instruction for pair in loaded.pairs] == ["2+2?"]
        (note,) = loaded.report.notes
        assert note == (
            "the models were sent different prompts for the same document under 1 id: 0; the shortest is "
            "shown to the judge (--instruction-field doc.question shows a field of the document)"
        )


def test_documents_that_were_asked_in_other_words_are_named_in_the_order_of_the_file(tmp_path):
    numbers = (2, 0, 1)
    files = [
        write_jsonl(tmp_path / f"{mark}.jsonl", [sent(n, f"{mark if n else ''}{n}+2?") for n in numbers])
        for mark in "ab"
    ]
    (note,) = load_pairs(InputOptions(baseline=files[0], candidate=files[1])).report.notes
    assert "different prompts for the same document under 2 ids: 2, 1; " in note


@pytest.mark.parametrize("hashes", [("d0", "d1"), ("d0", None), (None, None)])
def test_other_prompts_are_refused_unless_the_document_is_known_to_be_one(tmp_path, hashes):
    files = [
        write_jsonl(tmp_path / f"{n}.jsonl", [sent(0, f"{n}+{n}?", doc_hash=one)])
        for n, one in enumerate(hashes)
    ]
    with pytest.raises(DataError, match="ask different things under 1 id: 0"):
        load_pairs(InputOptions(baseline=files[0], candidate=files[1]))
    named = Fields(instruction="doc.question")
    loaded = load_pairs(InputOptions(baseline=files[0], candidate=files[1], fields=named))
    assert [pair.instruction for pair in loaded.pairs] == ["2+2?"]


NO_TEXT = {
    "a sound": '[{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]',
    "an object": '[{"role": "user", "content": {"x": 1}}]',
    "NaN": '[{"role": "user", "content": NaN}]',
}


@pytest.mark.parametrize("kind", NO_TEXT)
def test_a_chat_that_is_no_text_is_asked_as_it_was_logged(tmp_path, kind):
    (answer,) = read_answers(write_jsonl(tmp_path / "a.jsonl", [sent(0, [NO_TEXT[kind]])])).responses
    assert answer.instruction == NO_TEXT[kind]
