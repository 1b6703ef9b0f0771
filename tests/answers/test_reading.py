"""Reading rows: which fields are used, and what their values become."""

import pytest

from judgecli.answers import Fields, read_answers
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, write_jsonl


def read(folder, *rows, fields=None):
    return read_answers(write_jsonl(folder / "a.jsonl", list(rows)), fields=fields)


def response(folder, row, fields=None):
    return read(folder, row, fields=fields).responses[0]


@pytest.mark.parametrize(
    "row",
    [
        {"question_id": "q1", "prompt": "?", "output": "x", "expected": "r", "generator": "m"},
        {"uid": "q1", "instruction": "?", "completion": "x", "ideal": ["r"], "model_id": "m"},
        {"idx": "q1", "input": "?", "prediction": "x", "target": "r", "provider": {"id": "m"}},
        {"qid": "q1", "query": "?", "choices": [{"message": {"content": "x"}}], "gold": "r", "model": "m"},
    ],
)
def test_the_usual_names_are_understood(tmp_path, row):
    found = response(tmp_path, row)
    read_values = (found.id, found.instruction, found.output, found.reference, found.model)
    assert read_values == ("q1", "?", "x", "r", "m")


def test_the_fields_used_are_reported(tmp_path):
    used = read(tmp_path, {"qid": 1, "query": "?", "output": "x"}).fields_used
    assert used == {"id": "qid", "instruction": "query", "response": "output"}


def test_the_first_usual_name_wins_and_the_others_are_named(tmp_path):
    answer_file = read(tmp_path, {"id": 1, "question": "?", "answer": "x", "prediction": "y", "text": "z"})
    assert answer_file.responses[0].output == "x"
    assert "answers are read from answer; there is text, prediction too" in answer_file.notes[0]


def test_fields_named_by_the_user_win(tmp_path):
    row = {
        "id": 1,
        "key": "k",
        "question": "?",
        "ask": "!",
        "answer": "x",
        "out": [{"text": "y"}],
        "r": "ref",
    }
    fields = Fields(id="key", instruction="ask", response="out[0].text", reference="r")
    found = response(tmp_path, row, fields)
    assert (found.id, found.instruction, found.output, found.reference) == ("k", "!", "y", "ref")


@pytest.mark.parametrize(
    ("path", "output"),
    [("a.b", "literal"), ("c.0.d", "x"), ("c[0].d", "x"), ("c[-1].d", "y"), ("c[0][d]", "x")],
)
def test_dotted_names(tmp_path, path, output):
    row = {"id": 1, "a.b": "literal", "a": {"b": "nested"}, "c": [{"d": "x"}, {"d": "y"}]}
    assert response(tmp_path, row, Fields(response=path)).output == output


@pytest.mark.parametrize("path", ["c[2].d", "c[9999999999].d", "c.x", "answer.x", "..", "[", "nope"])
def test_a_named_answer_field_that_is_not_there_is_an_error(tmp_path, path):
    row = {"id": 1, "answer": "x", "c": [{"d": "x"}, {"d": "y"}]}
    with pytest.raises(DataError, match=r"a\.jsonl:1: no answer field '.*'; fields there: id, answer, c;"):
        read(tmp_path, row, fields=Fields(response=path))


def test_a_field_missing_in_row_7_is_named_with_what_is_there(tmp_path):
    rows = answers(*(f"q{n}" for n in range(1, 9)))
    rows[6] = {"id": "q7", "question": "?", "reply": "x"}
    with pytest.raises(
        DataError,
        match=r"a\.jsonl:7: no answer field 'answer'; fields there: id, question, reply; "
        "name it with --response-field",
    ):
        read(tmp_path, *rows)


def test_a_file_does_not_change_its_answer_field_halfway(tmp_path):
    with pytest.raises(DataError, match=r"a\.jsonl:2: no answer field 'answer'"):
        read(tmp_path, {"id": 1, "answer": "x"}, {"id": 2, "response": "y"})


@pytest.mark.parametrize(
    ("value", "output"),
    [(None, ""), ("", ""), (4, "4"), (4.0, "4.0"), (True, "true"), (False, "false"), ("None", "None")],
)
def test_legalbench_55_scalars_become_their_json_text_and_null_is_empty(tmp_path, value, output):
    assert response(tmp_path, {"id": 1, "answer": value}).output == output


def test_numbers_keep_their_spelling(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "answer": 1.10}\n{"id": 2, "answer": 1e5}\n', encoding="utf-8")
    assert [r.output for r in read_answers(str(path)).responses] == ["1.10", "1e5"]


@pytest.mark.parametrize(("value", "kind"), [({"a": 1}, "an object"), (["x"], "a list"), ([], "a list")])
def test_lists_and_objects_are_no_answers(tmp_path, value, kind):
    with pytest.raises(
        DataError, match=rf"a\.jsonl:1: the answer \(answer\) is {kind}, not a text; .*--response-field"
    ):
        read(tmp_path, {"id": 1, "answer": value})


def test_an_answer_of_messages_is_the_assistants_last(tmp_path):
    said = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "x"}]
    assert response(tmp_path, {"id": 1, "answer": said}).output == "x"
    with pytest.raises(DataError, match="does not end with the assistant"):
        read(tmp_path, {"id": 1, "answer": said[:1]})


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, "7"), ("7", "7"), (" q ", "q"), (-1, "-1"), (7.5, None), (None, None), ("", None), (True, None)],
)
def test_ids_are_texts_and_whole_numbers(tmp_path, value, expected):
    assert response(tmp_path, {"id": value, "answer": "x"}).id == expected


@pytest.mark.parametrize("value", [7.5, None, [1]])
def test_a_named_id_that_is_none_is_an_error(tmp_path, value):
    with pytest.raises(DataError, match=r"a\.jsonl:1: the id \(key\) is neither a text nor a whole number"):
        read(tmp_path, {"key": value, "answer": "x"}, fields=Fields(id="key"))


def test_input_is_context_beside_an_instruction_and_the_question_otherwise(tmp_path):
    both = response(tmp_path, {"instruction": "Add.", "input": "2 and 2", "response": "4"})
    assert (both.instruction, both.input) == ("Add.", "2 and 2")
    alone = response(tmp_path, {"input": "2+2?", "output": "4"})
    assert (alone.instruction, alone.input) == ("2+2?", None)
    unrelated = response(tmp_path, {"question": "2+2?", "input": "2", "output": "4"})
    assert (unrelated.instruction, unrelated.input) == ("2+2?", None)
    named = response(tmp_path, {"question": "Add.", "ctx": "2 and 2", "output": "4"}, Fields(input="ctx"))
    assert (named.instruction, named.input) == ("Add.", "2 and 2")


@pytest.mark.parametrize("reply", [[], [{"role": "assistant", "content": "a reply"}]])
def test_messages_beside_an_answer_are_the_question_without_the_last_reply(tmp_path, reply):
    messages = [{"role": "user", "content": "2+2?"}, *reply]
    found = response(tmp_path, {"id": 1, "messages": messages, "output": "4"})
    assert (found.instruction, found.output) == ("2+2?", "4")


def test_a_blank_instruction_leaves_its_input_as_the_question(tmp_path):
    found = response(tmp_path, {"instruction": " ", "input": "2+2?", "output": "4"})
    assert (found.instruction, found.input) == ("2+2?", None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("r", "r"), (" ", None), (None, None), ({"text": "r"}, "r"), (["r"], "r"), ([], None), (4, "4")],
)
def test_references(tmp_path, value, expected):
    assert response(tmp_path, {"id": 1, "answer": "x", "reference": value}).reference == expected


def test_a_list_of_references_is_not_chosen_from(tmp_path):
    row = {"id": 1, "answer": "x", "reference": ["r", "s"]}
    with pytest.raises(DataError, match=r"list of 2 texts; name one, like reference\[0\]"):
        read(tmp_path, row)
    assert response(tmp_path, row, Fields(reference="reference[1]")).reference == "s"


@pytest.mark.parametrize(
    "row",
    [
        {"finish_reason": "length"},
        {"choices": [{"finish_reason": "length"}]},
    ],
)
def test_legalbench_55_the_finish_reason_is_kept(tmp_path, row):
    assert response(tmp_path, {"id": 1, "answer": "x", **row}).finish_reason == "length"


def test_small_scalars_worth_grouping_by_are_kept_and_nothing_else(tmp_path):
    row = {"category": "maths", "group": 3, "source": "s" * 500, "dataset": None, "tstamp": 1.5, "extra": "e"}
    assert response(tmp_path, {"id": 1, "answer": "x", **row}).metadata == {"category": "maths", "group": 3}


def test_named_fields_must_not_contradict_each_other(tmp_path):
    with pytest.raises(UsageError, match="go together"):
        read(tmp_path, {"id": 1}, fields=Fields(response_a="a"))
    with pytest.raises(UsageError, match="choose one"):
        read(tmp_path, {"id": 1}, fields=Fields(response="c", response_a="a", response_b="b"))


def test_control_characters_of_a_file_never_reach_a_message(tmp_path):
    with pytest.raises(DataError) as raised:
        read(tmp_path, {"id": 1, "\x1b[2Jreply\n": "x"})
    assert r"\x1b[2Jreply\n" in str(raised.value)
    assert str(raised.value).isprintable()
