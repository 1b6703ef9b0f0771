"""Verdicts that were made elsewhere."""

import gzip
import json

import pytest

from judgecli.answers import holds_verdicts, read_verdicts
from judgecli.errors import DataError
from judgecli.types import Failure, Order, Winner
from tests.answers.made_up import answers, write_bytes, write_jsonl


def read(folder, rows):
    return read_verdicts(write_jsonl(folder / "v.jsonl", rows))


def refused(folder, *rows):
    with pytest.raises(DataError) as caught:
        read(folder, rows)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def test_winners_and_failures(tmp_path):
    rows = [
        {"id": "q1", "winner": "B"},
        {"id": 2, "winner": "Tie"},
        {"id": "q3", "failure": "too_long", "detail": "9 kB"},
    ]
    first, second, third = read(tmp_path, rows)
    assert (first.item_id, first.winner, first.failure, first.order) == ("q1", Winner.B, None, None)
    assert (first.p, first.score, str(first.source)) == ({}, None, f"{tmp_path}/v.jsonl:1")
    assert (second.item_id, second.winner) == ("2", Winner.TIE)
    assert (third.winner, third.failure, third.detail) == (None, Failure.TOO_LONG, "9 kB")


def test_a_failure_by_another_name_is_unreadable_and_keeps_it(tmp_path):
    (one,) = read(tmp_path, [{"id": "q1", "failure": " garbage "}])
    assert (one.failure, one.detail) == (Failure.UNREADABLE, "garbage")
    (one,) = read(tmp_path, [{"id": "q1", "failure": "Truncated"}])
    assert (one.failure, one.detail) == (Failure.TRUNCATED, None)


def test_released_outputs_of_pandalm_need_their_field_called_winner_only(tmp_path):
    rows = [{"idx": n, "winner": word} for n, word in enumerate(["1", "2", "0"])]
    assert [one.winner for one in read(tmp_path, rows)] == [Winner.A, Winner.B, Winner.TIE]
    assert refused(tmp_path, {"idx": 0, "winner": "0"}, {"idx": 1, "winner": "1"}) == (
        "v.jsonl: some winners are 0, which may be the first answer or a tie; write a, b and tie"
    )


def test_a_row_an_order(tmp_path):
    rows = [{"id": "q1", "order": "AB", "winner": "A"}, {"id": "q1", "order": "ba", "failure": "engine"}]
    assert [one.order for one in read(tmp_path, rows)] == [Order.AB, Order.BA]


def test_probabilities_and_scores(tmp_path):
    (one,) = read(tmp_path, [{"id": "q1", "winner": "B", "p_a": 0.2, "p_tie": 0, "p_b": 0.8}])
    assert one.p == {"A": 0.2, "tie": 0.0, "B": 0.8}
    (one,) = read(tmp_path, [{"id": "q1", "score": 7}])
    assert (one.score, one.winner, one.failure) == (7.0, None, None)


def test_whatever_container(tmp_path):
    rows = [{"id": "q1", "winner": "A", "failure": ""}, {"id": "q2", "winner": "", "failure": "garbage"}]
    files = {
        "array": json.dumps(rows, indent=1).encode(),
        "csv": b"id,winner,failure\nq1,A,\nq2,,garbage\n",
        "gzip": gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()),
    }
    for name, content in files.items():
        path = write_bytes(tmp_path / name, content)
        assert holds_verdicts(path), name
        assert [one.winner or one.detail for one in read_verdicts(path)] == [Winner.A, "garbage"], name


GOOD = {"id": "q0", "winner": "A"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"id": "q1"},
            "v.jsonl:2: neither a winner nor a failure; a verdict has one of them, or the score of a",
        ),
        ({"id": "q1", "winner": None}, "v.jsonl:2: neither a winner nor a failure"),
        (
            {"id": "q1", "winner": "A", "failure": "x"},
            "v.jsonl:2: winner and failure in one row; a verdict has one",
        ),
        ({"id": "q1", "winner": "A", "score": 3}, "v.jsonl:2: winner and score in one row"),
        ({"winner": "A"}, "v.jsonl:2: no id (id); a verdict is of an item"),
        (
            {"id": "q1", "winner": "garbage"},
            "v.jsonl:2: the winner is 'garbage', none of a, b, tie, 1, 2; what could ",
        ),
        ({"id": "q1", "winner": ["A"]}, "v.jsonl:2: winner is a list, not a text"),
        ({"id": "q1", "score": "good"}, "v.jsonl:2: score is 'good', which is no number"),
        (
            {"id": "q1", "score": 1e300},
            "v.jsonl:2: score is '1e+300', a number beyond 1e15, which no scale of scores reaches",
        ),
        (GOOD, "v.jsonl:2: a verdict on 'q0' is there already at v.jsonl:1; keep one"),
        (
            {**GOOD, "order": "AC"},
            "v.jsonl:2: the order is 'AC'; AB says that the first answer was shown first",
        ),
        (
            {"id": "q1", "order": "AB", "winner": "A"},
            "v.jsonl:1: no order, while other rows have one; give it in all",
        ),
        (
            {"id": "q1", "winner": "A", "p_a": 1},
            "v.jsonl:2: some of p_a, p_tie, p_b without the others; give all",
        ),
        (
            {"id": "q1", "winner": "A", "p_a": 0.9, "p_tie": 0.2, "p_b": 0.1},
            "v.jsonl:2: p_a, p_tie, p_b are 0.9, 0.2, 0.1; probabilities are at least 0 and add up to 1",
        ),
        (
            {"id": "q1", "winner": "A", "p_a": -0.5, "p_tie": 0.5, "p_b": 1},
            "v.jsonl:2: p_a, p_tie, p_b are -0.5,",
        ),
        (
            {"id": "q1", "winner": "A", "p_a": "x", "p_tie": 0, "p_b": 1},
            "v.jsonl:2: p_a is 'x', which is no number",
        ),
        (
            {"id": "q1", "failure": "x", "p_a": 1, "p_tie": 0, "p_b": 0},
            "v.jsonl:2: probabilities beside a failure; a failure has none",
        ),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, message):
    assert refused(tmp_path, GOOD, row).startswith(message)


def test_an_order_twice_is_named(tmp_path):
    row = {"id": "q1", "order": "BA", "winner": "A"}
    assert refused(tmp_path, row, row) == (
        "v.jsonl:2: a verdict on 'q1' in order BA is there already at v.jsonl:1; keep one"
    )


def test_a_file_without_ids_or_rows(tmp_path):
    assert refused(tmp_path, {"winner": "A"}) == (
        "v.jsonl: no row has an id; fields there: winner; call the field id"
    )
    with pytest.raises(DataError, match="a header and no rows; a file of verdicts needs at least one row"):
        read_verdicts(write_bytes(tmp_path / "v.csv", b"id,winner\n"))


@pytest.mark.parametrize(
    "row",
    [
        answers("q1")[0],
        {**answers("q1")[0], "score": 3},
        {"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y", "winner": "A"},
        {"row": "header", "mode": "pair"},
        {"id": "q1", "prompt": "?", "chosen": "x", "rejected": "y"},
        {"id": "q1", "label": "A"},
    ],
)
def test_what_holds_no_verdicts(tmp_path, row):
    assert not holds_verdicts(write_jsonl(tmp_path / "x.jsonl", [row]))


def test_stdin_and_what_cannot_be_read_hold_none(tmp_path):
    assert not holds_verdicts("-")
    assert not holds_verdicts(str(tmp_path / "absent.jsonl"))
    assert not holds_verdicts(write_bytes(tmp_path / "x", b"\0"))


def test_a_judges_own_text_beside_its_verdict_is_no_answer(tmp_path):
    row = {"id": "q1", "winner": "A", "output": "[[A]] for it is right"}
    assert holds_verdicts(write_jsonl(tmp_path / "x.jsonl", [row]))
