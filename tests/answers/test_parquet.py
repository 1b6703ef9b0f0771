"""Parquet: the same rows as of JSON Lines, through pyarrow."""

import io
import sys

import pytest

from judgecli.answers import InputOptions, load_pairs, read_answers
from judgecli.answers.reading import read_file
from judgecli.errors import DataError
from tests.answers.made_up import answers, said, write_bytes, write_jsonl

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def write(path, rows):
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return str(path)


def test_rows_are_those_of_json_lines(tmp_path):
    rows = [{**row, "id": n, "category": "sums"} for n, row in enumerate(answers("q1", "q2"))]
    read = read_answers(write(tmp_path / "a.parquet", rows))
    same = read_answers(write_jsonl(tmp_path / "a.jsonl", rows))
    assert [(r.id, r.instruction, r.output, r.metadata) for r in read.responses] == [
        (r.id, r.instruction, r.output, r.metadata) for r in same.responses
    ]
    assert (read.format, read.container) == ("plain", "parquet")


def test_nested_columns_are_conversations(tmp_path):
    rows = [{"prompt": said("2+2?"), "chosen": [said("x", "4")[1]], "rejected": [said("x", "5")[1]]}]
    (row,) = read_file(write(tmp_path / "a.parquet", rows)).pair_rows
    assert (row.first.instruction, row.first.output, row.second.output) == ("2+2?", "4", "5")


def test_numbers_bytes_and_nulls_are_read_as_json_has_them(tmp_path):
    rows = [
        {"id": 1.0, "question": "?", "answer": 4, "image": b"\xff\xd8", "model": None},
        {"id": 2.0, "question": "?", "answer": 5, "image": None, "model": None},
    ]
    read = read_answers(write(tmp_path / "a.parquet", rows))
    assert [(r.id, r.output, r.model) for r in read.responses] == [("1", "4", None), ("2", "5", None)]


def test_texts_that_are_stored_as_bytes_are_texts(tmp_path):
    rows = [{"id": b"q1", "question": "?", "answer": "Zoë".encode(), "image": b"\x89PNG"}]
    read = read_answers(write(tmp_path / "a.parquet", rows))
    assert [(r.id, r.output, r.metadata) for r in read.responses] == [("q1", "Zoë", {"image": True})]


def test_bytes_that_are_no_text_are_no_answer(tmp_path):
    rows = [{"id": 1, "question": "?", "answer": b"\xff\xd8"}]
    with pytest.raises(DataError, match=r"row 1: the answer \(answer\) is 2 bytes that are not UTF-8 text"):
        read_answers(write(tmp_path / "a.parquet", rows))


def test_a_number_that_is_none_is_refused_with_its_row(tmp_path):
    rows = [{"id": 1, "question": "?", "answer": float("nan")}]
    with pytest.raises(DataError, match=r"a\.parquet row 1: the answer \(answer\) is NaN"):
        read_answers(write(tmp_path / "a.parquet", rows))


def test_a_parquet_file_is_paired_with_another(tmp_path):
    a = write(tmp_path / "a.parquet", answers("q1", "q2"))
    b = write_jsonl(tmp_path / "b.jsonl", answers("q2", "q1"))
    assert [p.id for p in load_pairs(InputOptions(baseline=a, candidate=b)).pairs] == ["q1", "q2"]


def test_it_is_read_from_stdin(tmp_path, monkeypatch):
    write(tmp_path / "a.parquet", answers("q1"))
    content = (tmp_path / "a.parquet").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert [r.id for r in read_answers("-").responses] == ["q1"]


def test_a_damaged_file_is_one_sentence(tmp_path):
    with pytest.raises(DataError, match=r"^[^\n]*a\.parquet: cannot be read as Parquet \([^\n]*\)$"):
        read_answers(write_bytes(tmp_path / "a.parquet", b"PAR1" + b"x" * 40 + b"PAR1"))


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", answers("q1"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"pip install 'judgecli\[parquet\]'; or export JSON Lines"):
        read_answers(path)


def test_an_empty_table_has_no_row(tmp_path):
    table = pyarrow.table({"id": pyarrow.array([], pyarrow.string())})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(DataError, match="at least one row"):
        read_answers(str(tmp_path / "a.parquet"))
