"""Files of labels by id: one label an item, or several people's."""

import gzip
import io
import json
import sys

import pytest

from judgecli.answers import LabelReading, labelled_items, read_labels
from judgecli.errors import DataError
from judgecli.types import Item, LabelKind, LabelSource, Response, Source, Winner
from tests.answers.made_up import write_bytes, write_jsonl

A, B, TIE = Winner.A, Winner.B, Winner.TIE


def items(*ids, n_answers=2):
    source = Source(file="a.jsonl")
    responses = tuple(Response(output=text, source=source) for text in "xyz"[:n_answers])
    return [Item(id=i, instruction="?", responses=responses) for i in ids]


def read(folder, rows, given=(), models=(), **options):
    path = write_jsonl(folder / "labels.jsonl", rows)
    return read_labels(path, given, models=models, reading=LabelReading(**options))


def winners(labels):
    return {item_id: one.winner for item_id, one in labels.by_item.items()}


def refused(folder, rows, given=(), **options):
    with pytest.raises(DataError) as caught:
        read(folder, rows, given, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message.replace(f"{folder}/", "")


def rows_of(name, *values):
    return [{"id": f"q{n}", name: value} for n, value in enumerate(values, 1)]


@pytest.mark.parametrize("name", ["winner", "label", "gold", "preference", "verdict"])
def test_one_label_an_item(tmp_path, name):
    labels = read(tmp_path, rows_of(name, "B", "a", "Tie"))
    assert (labels.kind, labels.source) == (LabelKind.WINNERS, LabelSource.GOLD)
    assert winners(labels) == {"q1": B, "q2": A, "q3": TIE}
    assert (labels.annotators, labels.notes, labels.n_undecided) == ((), (), 0)
    assert labels.by_item["q1"].winners == {}
    assert labels.by_item["q1"].item_id == "q1"


@pytest.mark.parametrize("name", ["score", "rating", "grade"])
def test_scores(tmp_path, name):
    labels = read(tmp_path, rows_of(name, 7.5, 1, "2"))
    assert (labels.kind, labels.source) == (LabelKind.SCORES, LabelSource.GOLD)
    assert {i: one.score for i, one in labels.by_item.items()} == {"q1": 7.5, "q2": 1.0, "q3": 2.0}
    assert set(winners(labels).values()) == {None}


def test_whatever_container(tmp_path):
    rows = rows_of("winner", "A", "B")
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    files = {
        "array": json.dumps(rows, indent=1).encode(),
        "csv": b"id,winner\r\nq1,A\r\nq2,B\r\n",
        "gzip": gzip.compress(lines),
        "by id": json.dumps(
            {"q1": {"prompt": "?", "winner": "A"}, "q2": {"prompt": "?", "winner": "B"}}
        ).encode(),
    }
    for name, content in files.items():
        assert winners(read_labels(write_bytes(tmp_path / name, content), ())) == {"q1": A, "q2": B}, name


def test_a_dash_is_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": 1, "winner": "A"}\n')))
    labels = read_labels("-", items("1"))
    assert (labels.file, winners(labels)) == ("stdin", {"1": A})


def test_0_1_2_is_tie_first_second_and_said_so(tmp_path):
    labels = read(tmp_path, rows_of("label", 0, 1, 2))
    assert winners(labels) == {"q1": TIE, "q2": A, "q3": B}
    assert labels.notes[0].endswith("labels.jsonl: labels of 0 are read as ties")


def test_0_and_1_is_not_guessed(tmp_path):
    assert refused(tmp_path, rows_of("label", 0, 1)) == (
        "labels.jsonl: some labels (label) are 0, which may be the first answer or a tie; write a, b "
        "and tie, or 1, 2 and tie"
    )


def test_what_is_no_label_is_named_with_its_line(tmp_path):
    assert refused(tmp_path, rows_of("winner", "A", "garbage")) == (
        "labels.jsonl:2: the label (winner) is 'garbage', none of a, b, tie, 1, 2; write these, or name "
        "another field with --label-field"
    )
    assert refused(tmp_path, rows_of("score", 1, "good")) == (
        "labels.jsonl:2: the label (score) is 'good', no score; give numbers, or name their field with "
        "--label-field"
    )
    assert refused(tmp_path, rows_of("score", 1, "-2e15")) == (
        "labels.jsonl:2: the label (score) is '-2e15', a number beyond 1e15, which no scale of scores "
        "reaches; give numbers, or name their field with --label-field"
    )
    assert "labels.jsonl:1: the label (winner) holds" not in refused(tmp_path, rows_of("winner", True))


def test_which_of_two_fields_is_the_label_is_asked(tmp_path):
    both = [{"id": "q1", "winner": "A", "score": 3}]
    assert refused(tmp_path, both) == (
        "labels.jsonl: winner, score could each be the label; choose one of them with --label-field"
    )
    assert winners(read(tmp_path, both, label_field="winner")) == {"q1": A}
    assert read(tmp_path, both, label_field="score").by_item["q1"].score == 3
    gold_too = [{"id": "q1", "winner": "A", "gold": "B"}]
    assert "winner, gold could each be the label" in refused(tmp_path, gold_too)


def test_no_label_field(tmp_path):
    assert refused(tmp_path, [{"id": "q1", "answer": "x"}]) == (
        "labels.jsonl: no row has a field for the label; fields there: id, answer; name it with --label-field"
    )
    assert refused(tmp_path, rows_of("winner", "A"), label_field="human") == (
        "labels.jsonl: no row has the label field 'human'; fields there: id, winner"
    )


def test_named_fields(tmp_path):
    rows = [{"key": "q1", "human": {"says": "B"}}, {"key": "q2", "human": {"says": "tie"}}]
    labels = read(tmp_path, rows, id_field="key", label_field="human.says")
    assert winners(labels) == {"q1": B, "q2": TIE}
    assert refused(tmp_path, rows, label_field="human.says").startswith(
        "labels.jsonl: no row has a field for the id; fields there: key, human; name it with --id-field"
    )


def test_numbers_of_a_named_field_are_scores_unless_they_name_answers(tmp_path):
    assert read(tmp_path, rows_of("quality", 1, 4, 5), label_field="quality").kind is LabelKind.SCORES
    assert read(tmp_path, rows_of("better", 1, 2), label_field="better").kind is LabelKind.WINNERS
    # without being named, a field called label is expected to say who is better
    assert "none of a, b, tie" in refused(tmp_path, rows_of("label", 1, 4, 5))


def test_a_row_without_an_id_is_named(tmp_path):
    rows = [*rows_of("winner", "A"), {"winner": "B"}, {"id": None, "winner": "B"}]
    assert refused(tmp_path, rows) == (
        "labels.jsonl:2: no id (id) in this row and 1 other row; a label is found by its item's id, "
        "which can be named with --id-field"
    )


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    labels = read(tmp_path, rows_of("winner", "A", None, "", "B"))
    assert set(labels.by_item) == {"q1", "q4"}
    assert labels.notes[0].endswith("labels.jsonl: 2 items without a label left out")
    assert "no row has a label (winner)" in refused(tmp_path, rows_of("winner", None, ""))


def test_the_small_fields_of_a_row_are_kept(tmp_path):
    row = {"id": "q1", "winner": "A", "topic": "maths", "level": 2, "hard": True, "long": "x" * 201, "o": {}}
    assert read(tmp_path, [row]).by_item["q1"].metadata == {"topic": "maths", "level": 2, "hard": True}


@pytest.mark.parametrize(
    "fields",
    [
        {"annotators": ["A", "A", "tie"]},
        {"annotator1": "A", "annotator2": "A", "annotator3": "tie"},
        {"label_0": 1, "label_1": 1, "label_2": 0, "label_3": 2, "label_4": 1},
        {"winner": ["A", "A", "tie"]},
        {"votes": {"ann": "A", "bea": "a", "cyd": "tie"}},
    ],
)
def test_several_annotators_in_a_row(tmp_path, fields):
    labels = read(tmp_path, [{"id": "q1", **fields}])
    assert (labels.kind, labels.source) == (LabelKind.WINNERS, LabelSource.MAJORITY)
    one = labels.by_item["q1"]
    assert one.winner is A
    assert list(one.winners.values())[:3] == [A, A, TIE]
    assert labels.annotators == tuple(one.winners)


def test_annotators_are_named_by_their_columns_or_their_place(tmp_path):
    assert read(tmp_path, [{"id": 1, "rater_1": "A", "rater_2": "B"}]).annotators == ("rater_1", "rater_2")
    assert read(tmp_path, [{"id": 1, "annotators": ["A", "B"]}]).annotators == ("annotator1", "annotator2")
    assert read(tmp_path, [{"id": 1, "label": {"ann": "A", "bea": "B"}}]).annotators == ("ann", "bea")


def test_without_a_majority_an_item_is_undecided(tmp_path):
    rows = [{"id": "q1", "annotators": ["A", "B", None]}, {"id": "q2", "annotators": ["B", None, "B"]}]
    labels = read(tmp_path, rows)
    assert winners(labels) == {"q1": None, "q2": B}
    assert labels.n_undecided == 1
    assert labels.by_item["q2"].winners == {"annotator1": B, "annotator3": B}


def test_scores_of_several_annotators_have_a_mean(tmp_path):
    labels = read(tmp_path, [{"id": "q1", "annotator1": 4, "annotator2": 5, "annotator3": None}])
    assert (labels.kind, labels.source) == (LabelKind.SCORES, LabelSource.MEAN)
    assert labels.by_item["q1"].score == 4.5
    assert labels.by_item["q1"].scores == {"annotator1": 4.0, "annotator2": 5.0}


def test_a_label_of_the_row_counts_before_its_annotators(tmp_path):
    labels = read(tmp_path, [{"id": "q1", "gold": "B", "annotators": ["A", "A", "B"]}])
    assert (labels.source, winners(labels)) == (LabelSource.GOLD, {"q1": B})
    assert labels.by_item["q1"].winners == {"annotator1": A, "annotator2": A, "annotator3": B}


def test_names_of_annotators_are_no_labels(tmp_path):
    labels = read(tmp_path, [{"id": "q1", "winner": "B", "annotators": ["ann", "bea"]}])
    assert (labels.annotators, winners(labels)) == ((), {"q1": B})


def test_one_annotator_a_row_in_all(tmp_path):
    labels = read(tmp_path, [{"id": "q1", "annotator1": "A"}])
    assert (labels.source, labels.annotators, labels.by_item["q1"].winners) == (LabelSource.SINGLE, (), {})


@pytest.mark.parametrize("name", ["annotator", "judge", "rater", "labeler", "user", "annotator_id"])
def test_a_row_an_annotator(tmp_path, name):
    said = [
        ("q1", "ann", "A"),
        ("q1", "bea", "A"),
        ("q1", "cyd", "B"),
        ("q2", "ann", "B"),
        ("q2", "bea", "A"),
    ]
    rows = [
        {"id": i, name: who, "winner": w, "topic": "maths", "seconds": n}
        for n, (i, who, w) in enumerate(said)
    ]
    labels = read(tmp_path, rows)
    assert (labels.source, labels.annotators) == (LabelSource.MAJORITY, ("ann", "bea", "cyd"))
    assert winners(labels) == {"q1": A, "q2": None}
    assert labels.by_item["q1"].winners == {"ann": A, "bea": A, "cyd": B}
    assert labels.by_item["q1"].metadata == {"topic": "maths"}  # what the rows of an item share


def test_one_row_an_item_with_its_annotator_is_one_label_an_item(tmp_path):
    labels = read(tmp_path, [{"id": i, "annotator": f"x{i}", "winner": "A"} for i in range(3)])
    assert (labels.source, labels.annotators) == (LabelSource.SINGLE, ())


def test_an_item_twice_without_annotators_is_refused(tmp_path):
    rows = [{"id": "q1", "winner": "A"}, {"id": "q2", "winner": "A"}, {"id": "q1", "winner": "B"}]
    assert refused(tmp_path, rows) == (
        "labels.jsonl: 1 id more than once: q1 (line 1 and line 3); keep one label of each, or add a "
        "field that says whose each is, such as annotator"
    )


def test_an_annotator_who_says_two_things_is_refused_and_the_same_twice_counts_once(tmp_path):
    rows = [{"id": "q1", "judge": "ann", "winner": "A"}, {"id": "q1", "judge": "bea", "winner": "A"}]
    again = {"id": "q1", "judge": "ann", "winner": "a"}
    labels = read(tmp_path, [*rows, again])
    assert labels.by_item["q1"].winners == {"ann": A, "bea": A}
    assert labels.notes[0].endswith("1 label given twice by the same annotator; counted once")
    assert refused(tmp_path, [*rows, {**again, "winner": "B"}]) == (
        "labels.jsonl:3: ann has labelled 'q1' before, and otherwise; keep one label of each annotator"
    )


def test_a_row_that_does_not_say_whose_it_is_among_those_that_do(tmp_path):
    rows = [{"id": "q1", "judge": "ann", "winner": "A"}, {"id": "q1", "winner": "A"}]
    assert refused(tmp_path, rows).startswith(
        "labels.jsonl:2: no judge, while other rows of the file say whose"
    )


def test_labels_of_other_items_are_kept_and_some_have_to_be_shared(tmp_path):
    rows = rows_of("winner", "A", "B")
    assert winners(read(tmp_path, rows, items("q2", "q9"))) == {"q1": A, "q2": B}
    assert refused(tmp_path, rows, items("x1", "x2")) == (
        "labels.jsonl: none of its 2 labels is of an item that was judged: labelled are q1, q2, judged x1, "
        "x2; are these labels of the same items? --id-field names another field of their ids"
    )


def test_labels_of_graded_answers_are_scores_whatever_their_name(tmp_path):
    graded = items("q1", "q2", n_answers=1)
    assert read(tmp_path, rows_of("label", 0, 1), graded).by_item["q2"].score == 1.0
    assert refused(tmp_path, rows_of("winner", "A", "B"), graded) == (
        "labels.jsonl:1: the label (winner) is 'A', no score, while the run grades single answers; give "
        "numbers, or name their field with --label-field"
    )


def test_other_files_are_refused_with_what_they_are(tmp_path):
    assert refused(tmp_path, [{"row": "header", "mode": "pair"}]) == (
        "labels.jsonl: is a run file, which holds no labels; give it as the run, and the labels beside it"
    )
    nested = write_bytes(tmp_path / "x.json", b'{\n"rows": [{"id": 1, "winner": "A"}]}')
    with pytest.raises(DataError, match="one JSON object for the whole file; labels are one object a line"):
        read_labels(nested, ())
    with pytest.raises(DataError, match="a header and no rows; a file of labels needs at least one row"):
        read_labels(write_bytes(tmp_path / "x.csv", b"id,winner\n"), ())
    with pytest.raises(DataError, match="no such file"):
        read_labels(str(tmp_path / "absent.jsonl"), ())


def test_a_label_nested_too_deep_is_refused(tmp_path):
    assert refused(tmp_path, rows_of("winner", ["A", ["B"]])).startswith(
        "labels.jsonl:1: the label (winner) is a list, not a text; name it with --label-field"
    )


def test_a_file_of_labels_alone_holds_no_items(tmp_path):
    assert labelled_items(write_jsonl(tmp_path / "x.jsonl", rows_of("winner", "A"))) is None
