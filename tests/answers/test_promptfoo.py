"""promptfoo results: one file with the answers of one provider, of two that are compared, or of more."""

import io
import json
import sys
from dataclasses import replace

import pytest

from judgecli.answers import (
    AnswersOptions,
    Fields,
    InputOptions,
    load_answers,
    load_many,
    load_pairs,
    read_answers,
)
from judgecli.errors import DataError
from tests.answers.logs.promptfoo import of, result, write
from tests.answers.made_up import answers, said, write_jsonl


def test_a_file_of_two_providers_is_a_comparison_of_the_first_with_the_second(tmp_path):
    path = write(tmp_path / "r.json", of("openai:one", "openai:two"))
    loaded = load_pairs(InputOptions(baseline=path))
    assert [(p.id, p.instruction, p.response_a.output, p.response_b.output) for p in loaded.pairs] == [
        ("0", "Answer: q0?", "openai:one to q0", "openai:two to q0"),
        ("1", "Answer: q1?", "openai:one to q1", "openai:two to q1"),
    ]
    assert (loaded.report.model_a, loaded.report.model_b) == ("openai:one", "openai:two")
    assert loaded.report.formats == ("promptfoo (object)",) * 2


def test_a_provider_is_chosen_by_its_id_or_label(tmp_path):
    rows = [{**row, "provider": {"id": "openai:one", "label": "small"}} for row in of("x")]
    path = write(tmp_path / "r.json", [*rows, *of("openai:two")])
    for choice in ("openai:one", "small"):
        read = read_answers(f"{path}#{choice}")
        assert [r.id for r in read.responses] == ["0", "1"]
        assert {r.model for r in read.responses} == {"small"}


def test_a_chosen_provider_is_compared_with_another_file(tmp_path):
    path = write(tmp_path / "r.json", of("m1", "m2", "m3"))
    other = write_jsonl(tmp_path / "b.jsonl", [{**row, "question": row["id"]} for row in answers("0", "1")])
    options = InputOptions(baseline=f"{path}#m2", candidate=other)
    with pytest.raises(DataError, match=r"ask different things under 2 ids.*--instruction-field names"):
        load_pairs(options)
    same = [{"id": i, "question": f"q{i}?", "answer": "x"} for i in range(2)]
    write_jsonl(tmp_path / "b.jsonl", same)
    named = replace(options, fields=Fields(instruction=("vars.question", "question")))
    assert [(p.instruction, p.response_a.output) for p in load_pairs(named).pairs] == [
        ("q0?", "m2 to q0"),
        ("q1?", "m2 to q1"),
    ]


def test_three_providers_are_named_and_none_is_guessed(tmp_path):
    path = write(tmp_path / "r.json", of("m1", "m2", "m3"))
    with pytest.raises(DataError) as refused:
        load_pairs(InputOptions(baseline=path))
    assert str(refused.value) == (f"{path}: holds 3 sets of answers: m1, m2, m3; choose one with {path}#m1")
    assert load_many(AnswersOptions(files=tuple(f"{path}#m{n}" for n in (1, 2, 3)))).report.models == (
        *("m1", "m2", "m3"),
    )


def test_one_of_two_is_wanted_where_one_model_is_graded(tmp_path):
    path = write(tmp_path / "r.json", of("m1", "m2"))
    with pytest.raises(DataError, match=r"holds 2 sets of answers: m1, m2; choose one with .*#m1"):
        load_answers(AnswersOptions(files=(path,)))


def test_two_prompts_of_one_provider_are_told_apart_by_their_labels(tmp_path):
    rows = [result(0, prompt=prompt, output=prompt) for prompt in ("short", "long")]
    loaded = load_pairs(InputOptions(baseline=write(tmp_path / "r.json", rows)))
    assert (loaded.report.model_a, loaded.report.model_b) == ("short", "long")


def test_providers_and_prompts_are_chosen_together(tmp_path):
    rows = [result(0, m, f"{m} {p}", p) for m in ("m1", "m2") for p in ("short", "long")]
    path = write(tmp_path / "r.json", rows)
    with pytest.raises(
        DataError, match=r"#m1: m1 fits m1#short, m1#long; choose one of m1#short, m1#long, m2"
    ):
        read_answers(f"{path}#m1")
    assert [r.output for r in read_answers(f"{path}#m1#long").responses] == ["m1 long"]


def test_a_choice_that_fits_nothing_is_refused(tmp_path):
    path = write(tmp_path / "r.json", of("m1", "m2"))
    with pytest.raises(
        DataError, match=r"#m9: m9 is neither a provider nor a prompt's label; choose one of m1, m2"
    ):
        read_answers(f"{path}#m9")


def test_a_test_without_output_failed_and_one_that_failed_its_assertions_did_not(tmp_path):
    bad = {**result(1, "m2"), "response": None, "error": "API call error: 500"}
    path = write(tmp_path / "r.json", [*of("m1"), result(0, "m2"), bad])
    with pytest.raises(DataError, match=rf"1 of 2 ids shared; only in baseline: 1.*failed in {path}#m2: 1"):
        load_pairs(InputOptions(baseline=path))
    loaded = load_pairs(InputOptions(baseline=path, allow_missing=True))
    assert [pair.id for pair in loaded.pairs] == ["0"]
    assert [n for n in loaded.report.notes if "1 of 2 tests failed" in n and "API call error: 500" in n]


def test_an_output_that_is_an_object_is_its_json_text(tmp_path):
    path = write(tmp_path / "r.json", [result(0, output={"name": "Zoë", "n": 1})])
    assert [r.output for r in read_answers(path).responses] == ['{"name": "Zoë", "n": 1}']


def asked(path, rows):
    return [r.instruction for r in read_answers(write(path, rows)).responses]


def test_the_question_is_the_prompt_as_it_was_sent_and_not_what_was_put_into_it(tmp_path):
    raw = {"raw": "Write a tweet about bananas.", "label": "Write a tweet about {{topic}}."}
    rows = [{**result(0, m), "vars": {"topic": "bananas"}, "prompt": raw} for m in ("m1", "m2")]
    loaded = load_pairs(InputOptions(baseline=write(tmp_path / "r.json", rows)))
    assert [pair.instruction for pair in loaded.pairs] == ["Write a tweet about bananas."]
    assert loaded.report.notes == ()


def test_a_prompt_that_is_a_chat_is_a_conversation(tmp_path):
    raw = json.dumps(said("2+2?", "5", "Sure?", system="Be brief."))
    (answer,) = read_answers(write(tmp_path / "r.json", [{**result(0), "prompt": {"raw": raw}}])).responses
    assert answer.earlier_instructions == ("System: Be brief.\n\nUser: 2+2?",)
    assert (answer.earlier_outputs, answer.instruction) == (("5",), "Sure?")


@pytest.mark.parametrize("raw", ["[1, 2, 3]", "[a list]", '[{"role": "user"', "[]"])
def test_a_prompt_that_only_begins_like_a_chat_is_a_text(tmp_path, raw):
    assert asked(tmp_path / "r.json", [{**result(0), "prompt": {"raw": raw}}]) == [raw]


def test_where_prompts_are_compared_the_variable_is_the_question_and_it_is_said(tmp_path):
    rows = [
        {**result(0, prompt=p), "vars": {"topic": "rain"}, "prompt": {"raw": f"{p}: rain", "label": p}}
        for p in ("short", "long")
    ]
    path = write(tmp_path / "r.json", rows)
    loaded = load_pairs(InputOptions(baseline=path))
    assert [pair.instruction for pair in loaded.pairs] == ["rain"]
    note = (
        f"{path}: the prompts of 1 test differ from column to column; the question is vars.topic "
        "(--instruction-field prompt.raw shows the prompt)"
    )
    chosen = load_pairs(InputOptions(baseline=f"{path}#short", candidate=f"{path}#long"))
    assert [pair.instruction for pair in chosen.pairs] == ["rain"]
    assert loaded.report.notes.count(note) == chosen.report.notes.count(note) == 1
    assert [said for said in loaded.report.notes if "differ from column to column" in said] == [note]


def test_where_prompts_are_compared_and_no_variable_is_a_question_the_prompt_is(tmp_path):
    rows = [
        {**result(0, prompt=p), "vars": {"topic": "rain", "tone": "dry"}, "prompt": {"raw": p, "label": p}}
        for p in ("short", "long")
    ]
    path = write(tmp_path / "r.json", rows)
    assert [r.instruction for r in read_answers(f"{path}#long").responses] == ["long"]


def test_two_settings_of_one_model_are_told_apart_by_their_labels(tmp_path):
    rows = [
        {**result(test, output=f"{label} {test}"), "provider": {"id": "openai:one", "label": label}}
        for test in range(2)
        for label in ("cold", "hot")
    ]
    path = write(tmp_path / "r.json", rows)
    loaded = load_pairs(InputOptions(baseline=path))
    assert (loaded.report.model_a, loaded.report.model_b) == ("cold", "hot")
    assert [(p.response_a.output, p.response_b.output) for p in loaded.pairs] == [
        ("cold 0", "hot 0"),
        ("cold 1", "hot 1"),
    ]
    assert [r.output for r in read_answers(f"{path}#hot").responses] == ["hot 0", "hot 1"]
    with pytest.raises(DataError, match="openai:one fits cold, hot; choose one of cold, hot"):
        read_answers(f"{path}#openai:one")


def test_two_settings_without_labels_are_told_apart_by_their_column(tmp_path):
    rows = [result(test, output=f"{n} {test}", promptIdx=n) for test in range(2) for n in range(2)]
    path = write(tmp_path / "r.json", rows)
    loaded = load_pairs(InputOptions(baseline=path))
    assert (loaded.report.model_a, loaded.report.model_b) == ("p (column 0)", "p (column 1)")
    assert [r.output for r in read_answers(f"{path}#p (column 1)").responses] == ["1 0", "1 1"]


def test_two_providers_of_one_label_are_called_by_their_ids_too(tmp_path):
    rows = [{**result(0), "provider": {"id": m, "label": "new"}} for m in ("m1", "m2")]
    loaded = load_pairs(InputOptions(baseline=write(tmp_path / "r.json", rows)))
    assert (loaded.report.model_a, loaded.report.model_b) == ("new (m1)", "new (m2)")


def test_a_result_without_tests_is_refused(tmp_path):
    with pytest.raises(
        DataError, match="a promptfoo file without answers; was the run that wrote it cut short"
    ):
        read_answers(write(tmp_path / "r.json", []))


def test_stdin_can_be_chosen_from(monkeypatch):
    text = json.dumps({"results": {"results": of("m1", "m2")}}).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    read = read_answers("-#m2")
    assert (read.file, [r.model for r in read.responses]) == ("stdin#m2", ["m2", "m2"])


def test_several_objects_are_refused(tmp_path):
    row = {"evalId": "e", "results": {"results": of("m1")}}
    with pytest.raises(DataError, match="a promptfoo file is one object, and there are several"):
        read_answers(write_jsonl(tmp_path / "r.jsonl", [row, row]))


def test_a_choice_that_names_nothing_is_refused(tmp_path):
    path = write(tmp_path / "r.json", of("m1", "m2"))
    with pytest.raises(DataError, match=r"json#: # names no provider and no prompt; choose one of m1, m2"):
        read_answers(f"{path}#")


def of_prompt(word, n=2, **more):
    prompt = {"label": "p"}
    return [{**result(k), "prompt": {**prompt, "raw": f"{word}: q{k}?"}, **more} for k in range(n)]


def compared(folder, before, after, **options):
    files = [write(folder / f"{name}.json", rows) for name, rows in (("main", before), ("pr", after))]
    return load_pairs(InputOptions(baseline=files[0], candidate=files[1], **options))


def test_a_prompt_that_changed_between_two_files_is_judged_on_the_variables_and_it_is_said(tmp_path):
    loaded = compared(tmp_path, of_prompt("Answer"), of_prompt("Answer briefly"))
    assert [pair.instruction for pair in loaded.pairs] == ["q0?", "q1?"]
    (note,) = loaded.report.notes
    assert note == (
        f"{tmp_path}/main.json and {tmp_path}/pr.json: the prompts of 2 tests differ from file to file; "
        "the question is vars.question"
    )


def test_a_prompt_that_became_a_chat_is_judged_on_the_variables_too(tmp_path):
    chat = [{**result(0), "prompt": {"raw": json.dumps(said("1+1?", "2", "q0?"))}}]
    assert [pair.instruction for pair in compared(tmp_path, of_prompt("Answer", 1), chat).pairs] == ["q0?"]


def test_the_same_prompts_in_two_files_are_shown_as_they_were_sent(tmp_path):
    loaded = compared(tmp_path, of_prompt("Answer"), of_prompt("Answer"))
    assert [pair.instruction for pair in loaded.pairs] == ["Answer: q0?", "Answer: q1?"]
    assert loaded.report.notes == ()


def test_other_prompts_of_other_variables_are_other_questions(tmp_path):
    after = of_prompt("Briefly", 1, vars={"question": "q0?", "text": "another"})
    with pytest.raises(DataError, match="ask different things under 1 id: 0"):
        compared(tmp_path, of_prompt("Answer", 1), after)
    named = Fields(instruction="vars.question")
    assert [p.instruction for p in compared(tmp_path, of_prompt("A", 1), after, fields=named).pairs] == [
        "q0?"
    ]


def test_a_prompt_that_the_user_names_is_what_is_compared(tmp_path):
    with pytest.raises(DataError, match="ask different things under 1 id: 0"):
        compared(tmp_path, of_prompt("A", 1), of_prompt("B", 1), fields=Fields(instruction="prompt.raw"))


def test_a_failed_test_without_a_prompt_leaves_the_others_as_they_were_sent(tmp_path):
    bad = {**result(1, "m2"), "prompt": {"raw": "", "label": "p"}, "response": None, "error": "timeout"}
    path = write(tmp_path / "r.json", [*of("m1"), result(0, "m2"), bad])
    loaded = load_pairs(InputOptions(baseline=path, allow_missing=True))
    assert [pair.instruction for pair in loaded.pairs] == ["Answer: q0?"]
    assert not [note for note in loaded.report.notes if "differ from column" in note]


def test_an_answer_whose_prompt_is_not_written_is_to_that_of_the_other_column(tmp_path):
    unwritten = {**result(0, "m2"), "prompt": {"raw": "", "label": "p"}}
    loaded = load_pairs(InputOptions(baseline=write(tmp_path / "r.json", [result(0, "m1"), unwritten])))
    assert [pair.instruction for pair in loaded.pairs] == ["Answer: q0?"]
    assert loaded.report.notes == ()
