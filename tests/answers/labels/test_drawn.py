"""Labels by id of pairs whose answers a draw has seated."""

import pytest

from judgecli.answers import InputOptions, LabelReading, load_pairs, read_labels
from judgecli.errors import DataError
from judgecli.types import DRAWN_MODELS, LabelKind, Winner
from tests.answers.made_up import write_jsonl

A, B, TIE = Winner.A, Winner.B, Winner.TIE


@pytest.fixture
def run(tmp_path):
    rows = [{"id": f"q{n}", "prompt": "?", "chosen": f"good {n}", "rejected": f"bad {n}"} for n in range(8)]
    loaded = load_pairs(InputOptions(baseline=write_jsonl(tmp_path / "pairs.jsonl", rows)))
    assert (loaded.report.model_a, loaded.report.model_b) == DRAWN_MODELS
    assert {item.response_a.output.split()[0] for item in loaded.pairs} == {"good", "bad"}
    return loaded.pairs


def read(folder, rows, run, models=DRAWN_MODELS, **options):
    path = write_jsonl(folder / "labels.jsonl", rows)
    return read_labels(path, run, models=models, reading=LabelReading(**options))


def refused(folder, rows, run):
    with pytest.raises(DataError) as caught:
        read(folder, rows, run)
    return str(caught.value).removeprefix(f"{folder}/")


def better(labels, run):
    """Return the beginnings of the answers that labels name, as a set."""
    named = [(item, labels.by_item[item.id].winner) for item in run]
    return {(item.response_a if winner is A else item.response_b).output.split()[0] for item, winner in named}


@pytest.mark.parametrize(("word", "beginning"), [("chosen", "good"), ("Rejected", "bad")])
def test_the_words_of_the_file_name_its_answers_wherever_they_sit(tmp_path, run, word, beginning):
    labels = read(tmp_path, [{"id": item.id, "winner": word} for item in run], run)
    assert {one.winner for one in labels.by_item.values()} == {A, B}
    assert better(labels, run) == {beginning}


def test_the_words_of_the_run_name_its_seats(tmp_path, run):
    rows = [
        {"id": "q0", "winner": "baseline"},
        {"id": "q1", "winner": "candidate"},
        {"id": "q2", "winner": "tie"},
    ]
    assert [one.winner for one in read(tmp_path, rows, run).by_item.values()] == [A, B, TIE]


@pytest.mark.parametrize("word", ["1", "2", "A", "b", "model_a", "answer 2", "0"])
def test_letters_and_numbers_may_mean_either_and_are_refused(tmp_path, run, word):
    rows = [{"id": "q0", "winner": "tie"}, {"id": "q1", "winner": word}]
    assert refused(tmp_path, rows, run) == (
        f"labels.jsonl:2: a draw seated the answers of this run, and the label (winner) is {word!r}, which "
        "may be a seat of their file or of the run; write chosen, rejected and tie (or baseline and "
        "candidate for the run's A and B)"
    )


def test_other_words_are_none_of_these(tmp_path, run):
    said = refused(tmp_path, [{"id": "q1", "winner": "left"}], run)
    assert "is 'left', which is neither of them; write chosen, rejected and tie" in said


def test_several_annotators(tmp_path, run):
    rows = [
        {"id": item.id, "annotator1": "chosen", "annotator2": "rejected", "annotator3": "chosen"}
        for item in run
    ]
    labels = read(tmp_path, rows, run)
    assert better(labels, run) == {"good"}
    assert all(one.winners["annotator2"] is one.winner.swapped() for one in labels.by_item.values())


def test_names_of_the_answers_models_say_whose_a_label_is(tmp_path):
    rows = [
        {
            "id": f"q{n}",
            "prompt": "?",
            "chosen": "good",
            "rejected": "bad",
            "chosen_model": "m1",
            "rejected_model": "m2",
        }
        for n in range(8)
    ]
    loaded = load_pairs(InputOptions(baseline=write_jsonl(tmp_path / "pairs.jsonl", rows)))
    models = {response.model for item in loaded.pairs for response in item.responses}
    assert models == {"m1", "m2"}
    votes = [{"id": f"q{n}", "model_a": "m1", "model_b": "m2", "winner": "model_a"} for n in range(8)]
    assert better(read(tmp_path, votes, loaded.pairs), loaded.pairs) == {"good"}
    by_name = [{"id": f"q{n}", "winner": "m2"} for n in range(8)]
    assert better(read(tmp_path, by_name, loaded.pairs), loaded.pairs) == {"bad"}


def test_labels_of_other_items_are_kept(tmp_path, run):
    rows = [{"id": "q1", "winner": "chosen"}, {"id": "x1", "winner": "chosen"}]
    assert set(read(tmp_path, rows, run).by_item) == {"q1", "x1"}


def test_scores_are_scores_here_too(tmp_path, run):
    assert read(tmp_path, [{"id": "q1", "score": 2}], run).kind is LabelKind.SCORES


def test_seats_that_were_not_drawn_are_those_of_the_file(tmp_path, run):
    rows = [{"id": "q1", "winner": "1"}]
    assert read(tmp_path, rows, run, models=("m1", "m2")).by_item["q1"].winner is A
