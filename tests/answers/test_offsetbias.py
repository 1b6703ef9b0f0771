"""OffsetBias: one object of lists, its good answer always first."""

import json

import pytest

from judgecli.answers import Fields, InputOptions, load_pairs
from judgecli.errors import DataError
from tests.answers.made_up import write_bytes


def pair(n, **fields):
    return {"instruction": f"{n}?", "response1": f"good {n}", "response2": f"bad {n}", **fields}


def load_object(folder, value, *, indent=None, **options):
    path = write_bytes(folder / "bias.json", json.dumps(value, indent=indent).encode())
    return load_pairs(InputOptions(baseline=path, **options))


BY_BIAS = {
    "length bias": [pair(n, bias="length bias", label=1) for n in range(6)],
    "concreteness": [pair(n, bias="concreteness", label=1) for n in range(6, 12)],
}


@pytest.mark.parametrize("indent", [None, 4])
def test_all_lists_of_the_object_are_read_and_seats_are_drawn(tmp_path, indent):
    loaded = load_object(tmp_path, BY_BIAS, indent=indent)
    assert loaded.report.formats == ("offsetbias (object)",) * len(loaded.report.formats)
    assert [item.instruction for item in loaded.pairs] == [f"{n}?" for n in range(12)]
    assert [item.metadata["bias"] for item in loaded.pairs] == ["length bias"] * 6 + ["concreteness"] * 6
    for item in loaded.pairs:
        better = item.response_a if item.metadata["gold"] == "A" else item.response_b
        assert better.output.startswith("good")
    assert {item.metadata["gold"] for item in loaded.pairs} == {"A", "B"}
    assert any("by a draw (seed 0)" in note for note in loaded.report.notes)


def test_another_seed_draws_other_seats_for_the_same_ids(tmp_path):
    first, second = load_object(tmp_path, BY_BIAS), load_object(tmp_path, BY_BIAS, seed=1)
    assert [item.id for item in first.pairs] == [item.id for item in second.pairs]
    assert [i.metadata["gold"] for i in first.pairs] != [i.metadata["gold"] for i in second.pairs]


def test_a_row_that_does_not_name_its_bias_is_of_its_list(tmp_path):
    loaded = load_object(tmp_path, {"empty reference": [pair(1)], "none left": []})
    assert loaded.report.formats[0].startswith("offsetbias")
    assert loaded.pairs[0].metadata["bias"] == "empty reference"


def test_the_good_answer_is_the_one_that_the_label_names(tmp_path):
    (item,) = load_object(tmp_path, {"x": [pair(1, label=2)]}).pairs
    better = item.response_a if item.metadata["gold"] == "A" else item.response_b
    assert better.output == "bad 1"


def test_rows_in_an_array_and_pandalms_own_are_told_apart(tmp_path):
    assert load_object(tmp_path, BY_BIAS["concreteness"]).report.formats[0] == "offsetbias (json)"
    assert load_object(tmp_path, [pair(1)]).report.formats[0] == "pandalm (json)"


def test_a_pair_twice_is_refused_with_its_rows(tmp_path):
    with pytest.raises(DataError, match=r"bias\.json: 1 row more than once: .* \(row 1 and row 2\)"):
        load_object(tmp_path, {"x": [pair(1)], "y": [pair(1)]})


def test_other_lists_of_rows_are_not_guessed(tmp_path):
    rows = {"data": [{"id": 1, "question": "?", "answer": "x"}]}
    with pytest.raises(DataError, match=r"one JSON object for the whole file .*'data'"):
        load_object(tmp_path, rows, indent=1)


def test_one_of_the_answers_can_still_be_chosen(tmp_path):
    path = write_bytes(tmp_path / "bias.json", json.dumps(BY_BIAS).encode())
    fields = Fields(response="response2")
    loaded = load_pairs(InputOptions(baseline=path, candidate=path, fields=fields))
    assert {item.response_a.output[:3] for item in loaded.pairs} == {"bad"}
