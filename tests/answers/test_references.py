"""References: where they come from, and what happens when only some items have one."""

import pytest

from judgecli.answers import Fields
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, load, write_bytes, write_jsonl

TWO = answers("q1", "q2")


def references(folder, *rows):
    return write_jsonl(folder / "references.jsonl", list(rows))


def found(loaded):
    return [pair.reference for pair in loaded.pairs]


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "q1", "reference": "r1"}, {"id": "q2", "reference": "r2"}],
        [
            {"question_id": "q1", "reference": {"text": "r1"}},
            {"question_id": "q2", "reference": {"text": "r2"}},
        ],
        [{"uid": "q1", "expected": ["r1"]}, {"uid": "q2", "expected": ["r2"]}],
        [{"id": "q1", "answer": "r1"}, {"id": "q2", "answer": "r2"}],
        [{"instruction": "q1?", "target": "r1"}, {"instruction": "q2?", "target": "r2"}],
        [
            {"question_id": "q1", "choices": [{"turns": ["r1", "later"]}]},
            {"question_id": "q2", "choices": [{"turns": ["r2"]}]},
        ],
    ],
)
def test_every_form_of_reference_is_understood(tmp_path, rows):
    loaded = load(tmp_path, TWO, TWO, reference=references(tmp_path, *rows))
    assert found(loaded) == ["r1", "r2"]
    assert (loaded.report.n_with_reference, loaded.report.missing_reference) == (2, ())


def test_references_may_be_csv_or_an_array(tmp_path):
    table = write_bytes(tmp_path / "r.csv", b"id,reference\nq2,r2\nq1,r1\n")
    array = write_bytes(tmp_path / "r.json", b'[{"id":"q1","ideal":"r1"},{"id":"q2","ideal":"r2"}]')
    assert found(load(tmp_path, TWO, TWO, reference=table)) == ["r1", "r2"]
    assert found(load(tmp_path, TWO, TWO, reference=array)) == ["r1", "r2"]


def test_a_reference_file_wins_over_references_beside_the_answers(tmp_path):
    own = answers("q1", "q2", reference="own")
    path = references(tmp_path, {"id": "q1", "reference": "r1"})
    assert found(load(tmp_path, own, TWO)) == ["own", "own"]
    assert found(load(tmp_path, own, TWO, reference=path)) == ["r1", "own"]


def test_references_can_be_dropped(tmp_path):
    own = answers("q1", "q2", reference="own")
    assert found(load(tmp_path, own, own, no_reference=True)) == [None, None]


def test_dropping_and_giving_references_contradict_each_other(tmp_path):
    with pytest.raises(UsageError, match="--reference and --no-reference"):
        load(tmp_path, TWO, TWO, reference="r.jsonl", no_reference=True)


def test_two_answer_files_with_different_references_are_refused(tmp_path):
    with pytest.raises(DataError, match="different references for 2 ids: q1, q2"):
        load(tmp_path, answers("q1", "q2", reference="r"), answers("q1", "q2", reference="s"))


@pytest.mark.parametrize("empty", [{}, {"reference": None}, {"reference": ""}, {"reference": " \n"}])
def test_references_for_some_items_only_stop_the_run(tmp_path, empty):
    path = references(tmp_path, {"id": "q1", "reference": "r1"}, {"id": "q2", **empty})
    with pytest.raises(
        DataError, match=r"1 of 2 pairs have no reference while .*: q2; .*--allow-missing-reference"
    ):
        load(tmp_path, TWO, TWO, reference=path)


def test_missing_references_can_be_allowed_and_are_flagged(tmp_path):
    path = references(tmp_path, {"id": "q1", "reference": "r1"})
    loaded = load(tmp_path, TWO, TWO, reference=path, allow_missing_reference=True)
    assert [(pair.id, pair.flags) for pair in loaded.pairs] == [("q1", ()), ("q2", ("no-reference",))]
    assert (loaded.report.n_with_reference, loaded.report.missing_reference) == (1, ("q2",))


def test_no_references_at_all_is_nothing_to_flag(tmp_path):
    loaded = load(tmp_path, TWO, TWO)
    assert [pair.flags for pair in loaded.pairs] == [(), ()]
    assert (loaded.report.n_with_reference, loaded.report.missing_reference) == (0, ())


def test_only_the_pairs_that_will_be_judged_need_references(tmp_path):
    path = references(tmp_path, {"id": "q1", "reference": "r1"})
    assert found(load(tmp_path, TWO, TWO, reference=path, limit=1)) == ["r1"]


def test_a_reference_that_matches_nothing_is_noted(tmp_path):
    path = references(tmp_path, *[{"id": i, "reference": "r"} for i in ("q1", "q2", "q3")])
    loaded = load(tmp_path, TWO, TWO, reference=path)
    assert [note for note in loaded.report.notes if "1 reference match nothing: q3" in note]


def test_a_reference_file_that_matches_nothing_at_all_is_refused(tmp_path):
    path = references(tmp_path, {"id": "x1", "reference": "r"})
    with pytest.raises(DataError, match="0 of 1 reference belong to an item of the answer files: x1"):
        load(tmp_path, TWO, TWO, reference=path)


def test_a_file_without_references_is_refused(tmp_path):
    with pytest.raises(DataError, match="no row has a reference field; fields there: id, score"):
        load(tmp_path, TWO, TWO, reference=references(tmp_path, {"id": "q1", "score": 1}))


def test_a_reference_twice_is_refused(tmp_path):
    path = references(tmp_path, {"id": "q1", "reference": "r"}, {"id": "q1", "reference": "s"})
    with pytest.raises(DataError, match=r"references\.jsonl:2: 'q1' is there already"):
        load(tmp_path, TWO, TWO, reference=path)


def test_a_named_reference_field_is_used(tmp_path):
    path = references(tmp_path, {"id": "q1", "reference": "no", "truth": "r1"}, {"id": "q2", "truth": "r2"})
    loaded = load(tmp_path, TWO, TWO, reference=path, fields=Fields(reference="truth"))
    assert found(loaded) == ["r1", "r2"]


def test_rows_without_id_or_instruction_are_refused(tmp_path):
    with pytest.raises(DataError, match=r"references\.jsonl:1 has no instruction"):
        load(tmp_path, TWO, TWO, reference=references(tmp_path, {"reference": "r"}))
