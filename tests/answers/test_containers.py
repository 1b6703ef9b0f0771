"""How rows are stored: JSON Lines, arrays, CSV; and rows that are not rows."""

import json

import pytest

from judgecli.answers import Fields, read_answers
from judgecli.errors import DataError
from tests.answers.made_up import answers, write_bytes, write_jsonl


def read(folder, content):
    data = content if isinstance(content, bytes) else content.encode()
    return read_answers(write_bytes(folder / "a.dat", data))


def outputs(folder, content):
    return [response.output for response in read(folder, content).responses]


def test_json_lines_arrays_and_csv_give_the_same_rows(tmp_path):
    lines = '{"id":"1","question":"?","answer":"x, y"}\n{"id":"2","question":"?","answer":"z"}\n'
    array = "[" + ",".join(lines.splitlines()) + "]"
    table = 'id,question,answer\n1,?,"x, y"\n2,?,z\n'
    read_rows = [
        [(r.id, r.instruction, r.output) for r in read(tmp_path, content).responses]
        for content in (lines, array, table)
    ]
    assert read_rows == [[("1", "?", "x, y"), ("2", "?", "z")]] * 3


def test_the_container_is_told_by_content_never_by_name(tmp_path):
    array = write_bytes(tmp_path / "a.csv", b' \n[{"id":"1","answer":"x"}]')
    assert read_answers(array).container == "json"
    lines = write_bytes(tmp_path / "a.json", b'{"id":"1","answer":"x"}\n{"id":"2","answer":"y"}')
    assert read_answers(lines).container == "jsonl"
    table = write_bytes(tmp_path / "a.jsonl", b"id,answer\n1,x\n")
    assert read_answers(table).container == "csv"


def test_rows_know_their_lines_and_array_rows_have_none(tmp_path):
    assert read(tmp_path, '\n{"id":"1","answer":"x"}').responses[0].source.line == 2
    assert read(tmp_path, '[{"id":"1","answer":"x"}]').responses[0].source.line is None


def test_csv_cells_hold_newlines_quotes_and_commas(tmp_path):
    table = b'\xef\xbb\xbfid,question,answer\r\n1,?,"one\ntwo, ""three"""\r\n2,?,after\r\n'
    read_rows = read(tmp_path, table).responses
    assert [r.output for r in read_rows] == ['one\ntwo, "three"', "after"]
    assert [r.source.line for r in read_rows] == [2, 4]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_delimiters_are_told_from_the_header(tmp_path, mark):
    assert outputs(tmp_path, f"id{mark}answer\n1{mark}x\n") == ["x"]


def test_csv_rows_of_blank_cells_are_blank_lines(tmp_path):
    assert outputs(tmp_path, "id,answer\n1,x\n,\n , \n\n2,y\n") == ["x", "y"]


def test_an_empty_csv_answer_beside_an_id_is_an_empty_answer(tmp_path):
    assert outputs(tmp_path, "id,answer\n1,\n") == [""]


def test_csv_answers_may_be_long(tmp_path):
    assert outputs(tmp_path, f'id,answer\n1,"{"x" * 200_000}"\n') == ["x" * 200_000]


@pytest.mark.parametrize(
    ("table", "error"),
    [
        ("id,answer\n1,x\n2,y,z\n", r"a\.dat:3: 3 cells where the header has 2"),
        ("id,answer\n1\n", r"a\.dat:2: 1 cell where the header has 2"),
        ("id,answer,answer\n1,x,y\n", r"a\.dat:1: the header names a column twice: answer"),
        ('id,answer\n1,"x\n2,y\n', r"a\.dat:2: not CSV"),
        ('id,answer\n1,"x"y\n', r"a\.dat:2: not CSV"),
    ],
)
def test_a_bad_csv_row_is_an_error_with_its_line(tmp_path, table, error):
    with pytest.raises(DataError, match=error):
        read(tmp_path, table)


@pytest.mark.parametrize(
    ("row", "kind"),
    [("[1]", "a list"), ('"x"', "a text"), ("3", "a number"), ("null", "null"), ("true", "true or false")],
)
def test_a_row_that_is_no_object_is_an_error(tmp_path, row, kind):
    with pytest.raises(DataError, match=rf"a\.dat:2: a row must be a JSON object, not {kind}"):
        read(tmp_path, f'{{"id":"1","answer":"x"}}\n{row}\n')
    with pytest.raises(DataError, match=rf"a\.dat row 1: a row must be a JSON object, not {kind}"):
        read(tmp_path, f'[{row}, {{"id":"1","answer":"x"}}]')


def test_broken_json_is_an_error_with_its_line_and_column(tmp_path):
    with pytest.raises(DataError, match=r"a\.dat:2: not JSON \(Expecting ',' delimiter at column 11\)"):
        read(tmp_path, '{"id":"1","answer":"x"}\n{"id":"2" "answer":"y"}\n')
    with pytest.raises(DataError, match=r"a\.dat:3: not JSON"):
        read(tmp_path, '[{"id":"1","answer":"x"},\n\n{"id":"2" "answer":"y"}]')


def test_a_torn_last_line_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"a\.dat:2: not JSON"):
        read(tmp_path, '{"id":"1","answer":"x"}\n{"id":"2","ans')


def test_two_objects_on_a_line_are_an_error(tmp_path):
    with pytest.raises(DataError, match=r"a\.dat:1: not JSON \(Extra data"):
        read(tmp_path, '{"id":"1","answer":"x"}{"id":"2","answer":"y"}')


def test_one_object_for_the_whole_file_is_refused_with_a_hint(tmp_path):
    document = json.dumps({"version": 3, "rows": answers("q1")}, indent=2)
    with pytest.raises(DataError, match=r"one JSON object for the whole file.*may be in 'rows'"):
        read(tmp_path, document)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_an_error_not_a_crash(tmp_path, opening):
    deep = opening * 100_000
    with pytest.raises(DataError, match=r"a\.dat:1: (nested too deeply|not JSON)"):
        read(tmp_path, f'{{"id":"1","answer":"x","extra":{deep}')


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_opik_8456_nan_is_accepted_only_where_the_field_is_unused(tmp_path, number):
    assert outputs(tmp_path, f'{{"id":"1","answer":"x","score":{number},"category":{number}}}') == ["x"]
    with pytest.raises(DataError, match=rf"a\.dat:1: the answer \(answer\) is {number}, which is not JSON"):
        read(tmp_path, f'{{"id":"1","answer":{number}}}')
    with pytest.raises(DataError, match=rf"the reference \(reference\) is {number}"):
        read(tmp_path, f'{{"id":"1","answer":"x","reference":{number}}}')


def test_opik_8456_nan_never_reaches_the_metadata(tmp_path):
    row = '{"id":"1","answer":"x","group":NaN,"category":1e999,"source":3,"dataset":true}'
    metadata = read(tmp_path, row).responses[0].metadata
    assert json.loads(json.dumps(metadata, allow_nan=False)) == {"source": 3, "dataset": True}


def test_integers_of_any_length_are_read(tmp_path):
    digits = "9" * 10_000
    read_row = read(tmp_path, f'{{"id":{digits},"answer":{digits},"group":{digits}}}').responses[0]
    assert (read_row.id, read_row.output) == (digits, digits)


def test_lone_surrogates_are_replaced_and_noted(tmp_path):
    lines = (
        r'{"id":"q\ud800","question":"?","answer":"a\udc00b \ud83c\udf89","category":"\ud800"}'
        "\n"
        r'{"id":"q2","question":"?","answer":"\u2028"}'
    )
    answer_file = read(tmp_path, lines)
    first = answer_file.responses[0]
    assert (first.id, first.output) == ("q\ufffd", "a\ufffdb 🎉")
    assert first.metadata == {"category": "\ufffd"}
    assert [note for note in answer_file.notes if "lone surrogates" in note]


def test_whole_surrogate_pairs_are_just_text(tmp_path):
    answer_file = read(tmp_path, r'{"id":"q1","question":"?","answer":"\ud83c\udf89"}')
    assert answer_file.responses[0].output == "🎉"
    assert answer_file.notes == ()


def test_a_forced_container_is_obeyed(tmp_path):
    table = write_bytes(tmp_path / "a.csv", b"{id,answer\nq1,x\n")
    with pytest.raises(DataError, match="not JSON"):
        read_answers(table)
    forced = read_answers(table, format_in="csv", fields=Fields(id="{id"))
    assert forced.responses[0].id == "q1"
    lines = write_jsonl(tmp_path / "a.jsonl", answers("q1"))
    with pytest.raises(DataError, match="not a JSON array"):
        read_answers(lines, format_in="json")
