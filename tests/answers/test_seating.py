"""One file with both answers: who sits as A, and what its labels say."""

import pytest

from judgecli.answers import Fields, PairBy
from judgecli.errors import DataError
from tests.answers.made_up import load


def pairs(*golds, **fields):
    rows = enumerate(golds)
    return [
        {"id": f"q{n}", "question": "?", "answer_a": "x", "answer_b": "y", "gold": g, **fields}
        for n, g in rows
    ]


def chosen(*ids):
    return [{"id": i, "prompt": f"{i}?", "chosen": f"good {i}", "rejected": f"bad {i}"} for i in ids]


def golds(loaded):
    return [pair.metadata.get("gold") for pair in loaded.pairs]


def test_the_first_field_is_a(tmp_path):
    loaded = load(tmp_path, pairs("a"))
    (pair,) = loaded.pairs
    assert (pair.response_a.output, pair.response_b.output) == ("x", "y")
    assert (loaded.report.model_a, loaded.report.model_b) == ("answer_a", "answer_b")
    assert (loaded.report.n_a, loaded.report.n_b, loaded.report.paired_by) == (1, 1, PairBy.ID)


def test_models_named_in_the_file_name_the_sides(tmp_path):
    report = load(tmp_path, pairs("a", "b", model_a="m1", model_b="m2")).report
    assert (report.model_a, report.model_b) == ("m1", "m2")


@pytest.mark.parametrize(
    "names", [("answer_a", "answer_b"), ("response_a", "response_b"), ("output_1", "output_2")]
)
def test_the_usual_names_of_two_answers(tmp_path, names):
    row = {"id": 1, "question": "?", names[0]: "x", names[1]: "y"}
    (pair,) = load(tmp_path, [row]).pairs
    assert (pair.response_a.output, pair.response_b.output) == ("x", "y")


def test_both_answers_come_from_names_of_one_family(tmp_path):
    row = {
        "id": 1,
        "question": "?",
        "answer_1": "x",
        "answer_2": "y",
        "answer_b": "z",
        "model_1": "m",
        "model_2": "n",
    }
    loaded = load(tmp_path, [{**row, "model_b": "o"}])
    assert [r.output for r in loaded.pairs[0].responses] == ["x", "y"]
    assert (loaded.report.model_a, loaded.report.model_b) == ("m", "n")
    (note,) = loaded.report.notes
    assert (
        "answers are read from answer_1 and answer_2; there is answer_b too (--response-a-field and" in note
    )
    named = load(tmp_path, [row], fields=Fields(response_a="answer_1", response_b="answer_b"))
    assert [r.output for r in named.pairs[0].responses] == ["x", "z"]


def test_two_answer_fields_can_be_named(tmp_path):
    row = {"id": 1, "question": "?", "answer": "no", "out": {"old": "x", "new": "y"}}
    loaded = load(tmp_path, [row], fields=Fields(response_a="out.old", response_b="out.new"))
    assert (loaded.pairs[0].response_a.output, loaded.pairs[0].response_b.output) == ("x", "y")
    with pytest.raises(DataError, match=r"a\.jsonl:1: no second answer field 'out.newer'"):
        load(tmp_path, [row], fields=Fields(response_a="out.old", response_b="out.newer"))


def test_labels_are_kept_in_the_tools_own_terms(tmp_path):
    assert golds(load(tmp_path, pairs("a", "B", "tie", None))) == ["A", "B", "tie", None]


def test_labels_1_and_2_name_the_answers(tmp_path):
    rows = [{"input": f"{n}?", "output_1": "x", "output_2": "y", "label": n} for n in (1, 2)]
    assert golds(load(tmp_path, rows)) == ["A", "B"]


def test_labels_that_count_from_0_are_not_guessed(tmp_path):
    rows = [{"id": n, "question": "?", "output_1": "x", "output_2": "y", "label": n} for n in (0, 1)]
    loaded = load(tmp_path, rows)
    assert golds(loaded) == [None, None]
    assert [
        note for note in loaded.report.notes if "the labels in label are not used, for they hold 0" in note
    ]


def test_pandalm_answers_true_become_text_and_annotators_a_majority(tmp_path):
    row = {"instruction": "Is it?", "input": "so", "response1": True, "response2": "no", "cmp_key": "m1_m2"}
    labels = [(1, 1, 0), (2, 2, 2), (0, 0, 1), (0, 1, 2)]
    rows = [
        {**row, "idx": n, **{f"annotator{k}": label for k, label in enumerate(three, 1)}}
        for n, three in enumerate(labels)
    ]
    loaded = load(tmp_path, rows)
    assert loaded.pairs[0].response_a.output == "true"
    assert loaded.pairs[0].metadata["annotators"] == ["A", "A", "tie"]
    assert golds(loaded) == ["A", "B", "tie", None]
    assert (loaded.report.model_a, loaded.report.model_b) == ("m1", "m2")
    assert (loaded.pairs[0].instruction, loaded.pairs[0].input) == ("Is it?", "so")


def test_the_preferred_answer_is_seated_by_a_draw_and_stays_the_gold_one(tmp_path):
    loaded = load(tmp_path, chosen(*range(40)))
    for pair in loaded.pairs:
        better = pair.response_a if pair.metadata["gold"] == "A" else pair.response_b
        assert better.output == f"good {pair.id}"
    assert 8 <= golds(loaded).count("A") <= 32
    assert [note for note in loaded.report.notes if "by a draw (seed 0)" in note]


def test_the_draw_depends_on_seed_and_id_only(tmp_path):
    ids = [str(n) for n in range(40)]
    first, again = load(tmp_path, chosen(*ids)), load(tmp_path, chosen(*ids[::-1]))
    assert dict(zip(ids, golds(first), strict=True)) == dict(zip(ids[::-1], golds(again), strict=True))
    assert golds(load(tmp_path, chosen(*ids), seed=1)) != golds(first)
    # a fixed point: the same on every machine and in every version
    assert golds(load(tmp_path, chosen("q1", "q2", "q3", "q4"))) == ["B", "A", "A", "B"]


def test_conversations_of_chosen_and_rejected_share_their_prompt(tmp_path):
    asked = [{"role": "user", "content": "2+2?"}]
    row = {
        "id": 1,
        "chosen": [*asked, {"role": "assistant", "content": "4"}],
        "rejected": [*asked, {"role": "assistant", "content": "5"}],
    }
    (pair,) = load(tmp_path, [row]).pairs
    assert pair.instruction == "2+2?"
    assert {pair.response_a.output, pair.response_b.output} == {"4", "5"}


def test_equal_conversations_keep_their_answers(tmp_path):
    said = [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]
    (pair,) = load(tmp_path, [{"id": 1, "chosen": said, "rejected": said}]).pairs
    assert (pair.instruction, pair.response_a.output, pair.response_b.output) == ("2+2?", "4", "4")


@pytest.mark.parametrize(
    ("head", "answers"),
    [
        ("\n\nHuman: 2+2?\n\nAssistant: ", ("It is 4.", "It is 5.")),  # that blank is no part of the answers
        ("\n\nHuman: 2+2?\n\nAssistant:", ("\n  It is 4.", "\n  It is 5.")),
        ("2+2?\n", ("It is 4.", "It is 5.")),
        ("2+2?\n", (" It is 4.", " It is 5.")),
    ],
)
def test_texts_of_chosen_and_rejected_share_their_prompt_but_not_the_answers_first_words(
    tmp_path, head, answers
):
    row = {"id": 1, "chosen": head + answers[0], "rejected": head + answers[1]}
    (pair,) = load(tmp_path, [row]).pairs
    assert pair.instruction == head.strip()
    assert {pair.response_a.output, pair.response_b.output} == set(answers)


@pytest.mark.parametrize(
    ("prompt", "read"), [("Human: 2+2?\n\nAssistant:", "It is"), ("Say it of the Assistant: 2+2?", " It is")]
)
def test_the_blank_after_a_prompt_of_its_own_that_ends_with_the_speaker(tmp_path, prompt, read):
    row = {"id": 1, "prompt": prompt, "chosen": " It is 4.", "rejected": " It is 5."}
    (pair,) = load(tmp_path, [row]).pairs
    assert pair.instruction == prompt
    assert {pair.response_a.output, pair.response_b.output} == {f"{read} 4.", f"{read} 5."}


def test_texts_that_share_nothing_have_no_prompt(tmp_path):
    with pytest.raises(DataError, match="no question for 1 of 1 pair"):
        load(tmp_path, [{"id": 1, "chosen": "It is 4.", "rejected": "It is 5."}])


def test_rows_without_ids_get_ids_that_do_not_move(tmp_path):
    rows = [{"question": f"{n}?", "answer_a": "x", "answer_b": "y"} for n in range(3)]
    forward, backward = load(tmp_path, rows), load(tmp_path, rows[::-1])
    assert [p.id for p in forward.pairs] == [p.id for p in backward.pairs][::-1]
    assert forward.report.paired_by is PairBy.LINE


def test_the_same_row_twice_is_refused(tmp_path):
    row = {"question": "?", "answer_a": "x", "answer_b": "y"}
    with pytest.raises(DataError, match=r"1 row more than once: .* \(line 1 and line 2\)"):
        load(tmp_path, [row, row])


def test_duplicate_ids_are_refused_with_their_lines(tmp_path):
    rows = [{**row, "id": "q"} for row in pairs("a", "b")]
    with pytest.raises(DataError, match=r"1 id more than once: q \(line 1 and line 2\); .*--id-field"):
        load(tmp_path, rows)


def test_a_third_answer_is_noted(tmp_path):
    row = {
        "question_id": 1,
        "question_body": "?",
        "answer1_body": "x",
        "answer2_body": "y",
        "answer3_body": "z",
    }
    notes = load(tmp_path, [row]).report.notes
    assert [note for note in notes if "1 row with three or more answers; the first two are judged" in note]
