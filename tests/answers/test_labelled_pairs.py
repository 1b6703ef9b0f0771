"""Pairs that come with a verdict: AlpacaEval's annotations, Arena battles, preference sets of each shape."""

import pytest

from judgecli.answers import Fields, InputOptions, labels_of, load_pairs, read_answers
from judgecli.errors import DataError
from tests.answers.made_up import said, write_jsonl


def load(folder, rows):
    path = write_jsonl(folder / "pairs.jsonl", rows)
    return load_pairs(InputOptions(baseline=path))


def annotation(n, preference):
    return {
        "instruction": f"Question {n}?",
        "output_1": "x",
        "generator_1": "base",
        "output_2": f"y{n}",
        "generator_2": "model-a",
        "annotator": "judge-1",
        "preference": preference,
    }


def test_preferences_of_alpaca_eval_are_labels(tmp_path):
    preferences = [1.0, 2.0, 1.5, 0, 1.2, 1.9, None]
    loaded = load(tmp_path, [annotation(n, preference) for n, preference in enumerate(preferences)])
    assert [pair.metadata.get("gold") for pair in loaded.pairs] == ["A", "B", "tie", "tie", "A", "B", None]
    assert (loaded.report.model_a, loaded.report.model_b) == ("base", "model-a")
    labels = labels_of(loaded.pairs, "pairs.jsonl")
    assert labels is not None
    assert len(labels.by_item) == 6


def test_a_preference_that_is_none_leaves_all_labels_unused_and_says_so(tmp_path):
    loaded = load(tmp_path, [annotation(1, 1.0), annotation(2, -1)])
    assert {pair.metadata.get("gold") for pair in loaded.pairs} == {None}
    assert [note for note in loaded.report.notes if "are not used, for they hold -1" in note]


def battle(n, winner, *, turns=1, **more):
    a = said(*(f"Q{n}.{turn // 2}?" if turn % 2 == 0 else f"a{turn}" for turn in range(2 * turns)))
    b = said(*(f"Q{n}.{turn // 2}?" if turn % 2 == 0 else f"b{turn}" for turn in range(2 * turns)))
    return {
        "question_id": f"q{n}",
        "model_a": "m1",
        "model_b": "m2",
        "winner": winner,
        "conversation_a": a,
        "conversation_b": b,
        "turn": turns,
        **more,
    }


def test_battles_are_pairs_with_the_votes_as_labels(tmp_path):
    winners = ("model_a", "model_b", "tie", "tie (bothbad)")
    loaded = load(tmp_path, [battle(n, winner) for n, winner in enumerate(winners)])
    assert [pair.metadata["gold"] for pair in loaded.pairs] == ["A", "B", "tie", "tie"]
    first = loaded.pairs[0]
    assert (first.id, first.instruction, first.response_a.output, first.response_b.output) == (
        *("q0", "Q0.0?", "a1", "b1"),
    )
    assert (loaded.report.model_a, loaded.report.model_b) == ("m1", "m2")


def test_of_a_battle_of_several_turns_the_last_is_judged(tmp_path):
    (pair,) = load(tmp_path, [battle(1, "model_a", turns=2)]).pairs
    assert (pair.instruction, pair.earlier_instructions) == ("Q1.1?", ("Q1.0?",))
    assert (pair.response_a.output, pair.response_a.earlier_outputs) == ("a3", ("a1",))


QUESTION, GOOD, BAD = said("2+2?")[0], said("x", "4")[1], said("x", "5")[1]
PREFERENCES = {
    "standard": {"prompt": "2+2?", "chosen": "4", "rejected": "5"},
    "conversational": {"prompt": [QUESTION], "chosen": [GOOD], "rejected": [BAD]},
    "implicit prompt": {"chosen": [QUESTION, GOOD], "rejected": [QUESTION, BAD]},
    "implicit prompt, texts": {
        "chosen": "Human: 2+2?\n\nAssistant: 4",
        "rejected": "Human: 2+2?\n\nAssistant: 5",
    },
}


@pytest.mark.parametrize("shape", PREFERENCES)
def test_preference_sets_of_each_shape_are_pairs(tmp_path, shape):
    (pair,) = load(tmp_path, [PREFERENCES[shape]]).pairs
    outputs = [response.output.strip() for response in pair.responses]
    assert "2+2?" in pair.instruction
    assert outputs[0 if pair.metadata["gold"] == "A" else 1] == "4"
    assert sorted(outputs) == ["4", "5"]


def test_unpaired_preferences_make_no_pairs_but_have_answers(tmp_path):
    rows = [{"id": n, "prompt": "2+2?", "completion": f"{n}", "label": n == 4} for n in (4, 5)]
    path = write_jsonl(tmp_path / "a.jsonl", rows)
    with pytest.raises(DataError, match=r"unpaired preferences.*--response-field completion"):
        read_answers(path)
    read = read_answers(path, fields=Fields(response="completion"))
    assert [(r.instruction, r.output) for r in read.responses] == [("2+2?", "4"), ("2+2?", "5")]
