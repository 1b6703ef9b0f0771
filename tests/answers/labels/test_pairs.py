"""Labels of files that hold the pairs themselves, and of items that carry theirs."""

import pytest

from judgecli.answers import (
    InputOptions,
    LabelReading,
    labelled_items,
    labels_of,
    load_pairs,
    read_label_file,
    read_labels,
)
from judgecli.errors import DataError
from judgecli.types import LabelKind, LabelSource, Winner
from tests.answers.made_up import answers, load, write_jsonl

A, B, TIE = Winner.A, Winner.B, Winner.TIE


def pair(item_id, gold="a", a="x", b="y", **fields):
    return {"id": item_id, "question": "?", "answer_a": a, "answer_b": b, "gold": gold, **fields}


def chosen(*ids):
    return [{"id": i, "prompt": f"{i}?", "chosen": f"good {i}", "rejected": f"bad {i}"} for i in ids]


def pandalm(idx, *labels, **fields):
    people = {f"annotator{n}": label for n, label in enumerate(labels, 1)}
    return (
        {"idx": idx, "instruction": "?", "input": "", "response1": f"x{idx}", "response2": "y"}
        | people
        | fields
    )


def read(folder, rows, items=(), models=(), **options):
    path = write_jsonl(folder / "labels.jsonl", rows)
    return read_labels(path, items, models=models, reading=LabelReading(**options))


def refused(folder, rows, items=(), **options):
    with pytest.raises(DataError) as caught:
        read(folder, rows, items, **options)
    return str(caught.value).replace(f"{folder}/", "")


def winners(labels):
    return {item_id: one.winner for item_id, one in labels.by_item.items()}


def test_the_labels_beside_pairs(tmp_path):
    rows = [pair("q1"), pair("q2", "tie"), pair("q3", None)]
    labels = read(tmp_path, rows)
    assert (labels.kind, labels.source) == (LabelKind.WINNERS, LabelSource.GOLD)
    assert winners(labels) == {"q1": A, "q2": TIE}
    assert labels.annotators == ()


def test_a_label_that_no_question_goes_with(tmp_path):
    rows = [{"id": "q1", "answer_a": "x", "answer_b": "y", "label": 2}]
    assert winners(read(tmp_path, rows)) == {"q1": B}


def test_three_annotators_of_pandalm(tmp_path):
    labels = read(tmp_path, [pandalm(0, 1, 1, 0), pandalm(1, 0, 1, 2), pandalm(2, 2, 2, 2)])
    assert labels.source is LabelSource.MAJORITY
    assert winners(labels) == {"0": A, "1": None, "2": B}
    assert labels.n_undecided == 1
    assert labels.annotators == ("annotator1", "annotator2", "annotator3")
    assert labels.by_item["0"].winners == {"annotator1": A, "annotator2": A, "annotator3": TIE}


def test_the_small_fields_of_the_row_are_kept_and_its_answers_are_not(tmp_path):
    (one,) = read(tmp_path, [pair("q1", subset="natural", category="c", level=3)]).by_item.values()
    assert one.metadata == {"subset": "natural", "category": "c", "level": 3}


def test_the_same_pairs_of_the_run_by_id(tmp_path):
    rows = [pair("q1"), pair("q2", "b"), pair("q3", "b")]
    run = load(tmp_path, rows[:2]).pairs
    labels = read(tmp_path, rows, run)
    assert winners(labels) == {"q1": A, "q2": B, "q3": B}
    assert labels.notes == ()


def test_blanks_at_the_ends_and_line_ends_make_no_other_answer(tmp_path):
    run = load(tmp_path, [pair("q1", a=" x\r\nx\n")]).pairs
    assert winners(read(tmp_path, [pair("q1", a="x\nx")], run)) == {"q1": A}


def test_answers_in_other_seats_exchange_the_label(tmp_path):
    run = load(tmp_path, [pandalm(0), pandalm(1)]).pairs
    turned = {"response1": "y", "response2": "x0"}
    labels = read(tmp_path, [pandalm(0, 1, 1, 0) | turned, pandalm(1, 1, 1, 0)], run)
    assert winners(labels) == {"0": B, "1": A}
    assert labels.by_item["0"].winners == {"annotator1": B, "annotator2": B, "annotator3": TIE}
    assert [note.split("labels.jsonl: ")[1] for note in labels.notes] == [
        "1 pair with the answers in other seats than in the run; A and B were exchanged there"
    ]


def test_answers_that_differ_in_line_ends_alone_keep_their_seats(tmp_path):
    run = load(tmp_path, [pair("q1", a="x\r\ny", b="x\ny"), pair("q2", a="x", b="x\n")]).pairs
    labels = read(tmp_path, [pair("q1", a="x\ny", b="x\r\ny"), pair("q2", a="x", b="x\n")], run)
    assert winners(labels) == {"q1": B, "q2": A}


def test_answers_that_differ_in_blanks_alone_and_were_changed_are_left_out(tmp_path):
    run = load(tmp_path, [pair("q1", a="x\r\ny", b="x\ny"), pair("q2")]).pairs
    labels = read(tmp_path, [pair("q1", a="x\ny", b="x\ny\n"), pair("q2")], run)
    assert winners(labels) == {"q2": A}
    assert [note.split("labels.jsonl: ")[1] for note in labels.notes] == [
        "1 pair left out, whose two answers differ in blanks or line ends alone, and not as in the run"
    ]


def test_equal_answers_have_no_seats_to_tell_apart(tmp_path):
    run = load(tmp_path, [pair("q1", a="x\n", b="x\n")]).pairs
    labels = read(tmp_path, [pair("q1", "tie", a="x", b="x")], run)
    assert (winners(labels), labels.notes) == ({"q1": TIE}, ())


def test_other_answers_under_the_same_id_are_refused(tmp_path):
    run = load(tmp_path, [pair("q1"), pair("q2")]).pairs
    assert refused(tmp_path, [pair("q1"), pair("q2", a="z")], run) == (
        "labels.jsonl:2: the answers to 'q2' are not those that were judged; are these the labels of "
        "the same answers?"
    )


def test_two_answer_files_and_labelled_pairs_of_the_same_answers(tmp_path):
    run = load(tmp_path, answers("q1", model="m"), [{**answers("q1")[0], "answer": "other"}]).pairs
    assert winners(read(tmp_path, [pair("q1", "b", a="answer to q1", b="other")], run)) == {"q1": B}


def test_pairs_whose_ids_are_others_are_found_by_their_texts(tmp_path):
    rows = [{"idx": 7, "instruction": "Add.", "input": "2 and 2", "response1": "4", "response2": "5"}]
    run = load(tmp_path, [pair("q1", question="Add.\n\n2 and 2", a="5", b="4")]).pairs
    labels = read(tmp_path, [rows[0] | {f"annotator{n}": 1 for n in (1, 2, 3)}, pandalm(8, 1, 1, 1)], run)
    assert winners(labels) == {"q1": B, "8": A}
    assert labels.by_item["q1"].item_id == "q1"
    assert [note.split("labels.jsonl: ")[1] for note in labels.notes] == [
        "1 pair found by the texts, for no id is shared with the run",
        "1 pair with the answers in other seats than in the run; A and B were exchanged there",
    ]


def test_pairs_with_the_same_texts_have_each_their_own_item(tmp_path):
    run = load(tmp_path, [pair("q1"), pair("q2")]).pairs
    assert winners(read(tmp_path, [pair("k1", "a"), pair("k2", "b")], run)) == {"q1": A, "q2": B}


def test_pairs_that_are_none_of_the_runs(tmp_path):
    run = load(tmp_path, [pair("q1")]).pairs
    assert refused(tmp_path, [pair("k1", a="z")], run) == (
        "labels.jsonl: its one pair is not one of the run's, neither by id (k1; the run has q1) nor "
        "by the texts; are these the pairs that were judged?"
    )


@pytest.mark.parametrize("seed", range(3))
def test_one_sided_pairs_follow_the_seats_of_the_run(tmp_path, seed):
    rows = chosen(*range(20))
    run = load(tmp_path, rows, seed=seed).pairs
    labels = read(tmp_path, rows, run, seed=0)
    for item in run:
        better = item.response_a if labels.by_item[item.id].winner is A else item.response_b
        assert better.output == f"good {item.id}"
    n = sum("other seats" in note for note in labels.notes)
    assert n == (0 if seed == 0 else 1)


def test_pairs_without_a_label_ask_for_the_field(tmp_path):
    rows = [{"id": "q1", "question": "?", "answer_a": "x", "answer_b": "y", "better": "model_b"}]
    assert refused(tmp_path, rows) == (
        "labels.jsonl: its pairs have no label; fields there: id, question, answer_a, answer_b, better; "
        "name the field with --label-field"
    )
    assert winners(read(tmp_path, rows, label_field="better")) == {"q1": B}


def test_labels_that_cannot_be_read_are_named(tmp_path):
    assert refused(tmp_path, [pair("q1", 0), pair("q2", 1)]) == (
        "labels.jsonl: the labels in gold are not used, for they hold 0; understood are a, b, tie, 1, "
        "2; name the field with --label-field"
    )
    rows = [pair("q1", None, human="x"), pair("q2", None, human="a")]
    assert refused(tmp_path, rows, label_field="human") == (
        "labels.jsonl: the labels (human) hold x; understood are a, b, tie, 1, 2"
    )
    assert "no row has a label in the field 'other'; fields there: id, " in refused(
        tmp_path, rows, label_field="other"
    )
    rows = [pair("q1", None, human=["a"])]
    assert refused(tmp_path, rows, label_field="human") == (
        "labels.jsonl:1: the label (human) is a list, not a text"
    )


def test_a_named_field_of_0_1_and_2_has_ties(tmp_path):
    rows = [pair(f"q{n}", "not read", human=n) for n in range(3)]
    run = load(tmp_path, rows).pairs
    for items in ((), run):
        labels = read(tmp_path, rows, items, label_field="human")
        assert winners(labels) == {"q0": TIE, "q1": A, "q2": B}
        assert [note.split("labels.jsonl: ")[1] for note in labels.notes] == ["labels of 0 are read as ties"]


def test_a_label_field_says_nothing_more_of_one_sided_pairs(tmp_path):
    assert refused(tmp_path, chosen("q1"), label_field="label") == (
        "labels.jsonl: its first answer is always the better one: --label-field label says nothing "
        "more; leave it out"
    )


def test_labels_of_pairs_are_not_those_of_graded_answers(tmp_path):
    from judgecli.answers import AnswersOptions, load_answers

    path = write_jsonl(tmp_path / "a.jsonl", answers("q1"))
    graded = load_answers(AnswersOptions(files=(path,))).items
    assert refused(tmp_path, [pair("q1")], graded) == (
        "labels.jsonl: holds labels of pairs, while the run has 1 answer an item; give a file of labels by id"
    )


def test_the_items_of_a_labelled_file(tmp_path):
    path = write_jsonl(tmp_path / "pairs.jsonl", chosen("q1", "q2", "q3", "q4"))
    found = labelled_items(path, seed=1)
    assert [item.id for item in found] == ["q1", "q2", "q3", "q4"]
    loaded = load_pairs(InputOptions(baseline=path, seed=1)).pairs
    assert [item.responses for item in found] == [item.responses for item in loaded]


def test_a_file_that_is_read_once_gives_both(tmp_path):
    label_file = read_label_file(write_jsonl(tmp_path / "pairs.jsonl", [pair("q1", "b")]))
    assert label_file.pairs[0].response_b.output == "y"
    assert winners(label_file.labels()) == winners(label_file.labels(label_file.pairs)) == {"q1": B}


def test_labels_that_judged_items_carry(tmp_path):
    run = load(tmp_path, [pandalm(0, 1, 1, 0), pandalm(1, 0, 1, 2)]).pairs
    labels = labels_of(run, "pairs.jsonl")
    assert (labels.file, labels.source) == ("pairs.jsonl", LabelSource.MAJORITY)
    assert winners(labels) == {"0": A, "1": None}
    gold = labels_of(load(tmp_path, [pair("q1", "b", category="c"), pair("q2", None)]).pairs, "pairs.jsonl")
    assert (gold.source, winners(gold)) == (LabelSource.GOLD, {"q1": B})
    assert gold.by_item["q1"].metadata == {"category": "c"}


def test_a_gold_label_that_is_not_the_majority_counts_as_it_is(tmp_path):
    labels = labels_of(load(tmp_path, [pair("q1", "b", annotators=["a", "a", "b"])]).pairs, "x")
    assert (labels.source, winners(labels)) == (LabelSource.GOLD, {"q1": B})
    assert labels.by_item["q1"].winners == {"annotator1": A, "annotator2": A, "annotator3": B}


def test_names_of_annotators_are_no_labels(tmp_path):
    labels = labels_of(load(tmp_path, [pair("q1", "b", annotators=["ann", "bea"])]).pairs, "x")
    assert (labels.annotators, labels.by_item["q1"].winners) == ((), {})


def test_items_without_a_label_have_none(tmp_path):
    assert labels_of(load(tmp_path, answers("q1"), answers("q1")).pairs, "x") is None
    assert labels_of((), "x") is None


def test_annotators_of_one_sided_pairs_speak_of_the_files_seats_and_are_dropped(tmp_path):
    rows = [{**row, "annotators": ["a", "a", "b"]} for row in chosen("q1", "q2")]
    labels = labels_of(load(tmp_path, rows).pairs, "x")
    assert (labels.source, labels.annotators) == (LabelSource.GOLD, ())
