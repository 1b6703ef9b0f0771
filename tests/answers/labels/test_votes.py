"""Labels of many models and of both turns: which of them are of the run."""

import pytest

from judgecli.answers import LabelReading, load_answers, load_pairs, read_labels
from judgecli.answers.options import AnswersOptions, InputOptions
from judgecli.errors import DataError
from judgecli.types import Item, Response, Source, Winner
from tests.answers.made_up import answers, write_jsonl

A, B, TIE = Winner.A, Winner.B, Winner.TIE


def item(item_id="q1", models=("m1", "m2"), files=("x/one.jsonl", "x/two.jsonl"), n_turns=1):
    responses = tuple(
        Response(output="x", source=Source(file=file), model=model)
        for model, file in zip(models, files, strict=True)
    )
    return Item(
        id=item_id, instruction="?", responses=responses, earlier_instructions=("first?",) * (n_turns - 1)
    )


def vote(winner, judge="ann", models=("m1", "m2"), item_id="q1", **fields):
    return {
        "question_id": item_id,
        "model_a": models[0],
        "model_b": models[1],
        "winner": winner,
        "judge": judge,
    } | fields


def read(folder, rows, items=(), models=(), **options):
    path = write_jsonl(folder / "votes.jsonl", rows)
    return read_labels(path, items, models=models, reading=LabelReading(**options))


def said(labels):
    return {item_id: dict(one.winners) or one.winner for item_id, one in labels.by_item.items()}


def test_votes_on_the_runs_models_in_its_seats(tmp_path):
    rows = [
        vote("model_a", "ann"),
        vote("model_a", "bea", ("m2", "m1")),
        vote("tie (bothbad)", "cyd", ("m2", "m1")),
        vote("model_b", "ann", ("m1", "m3")),
        vote("model_a", "dee", ("m3", "m2")),
    ]
    labels = read(tmp_path, rows, [item(models=(None, None))], models=("m1", "m2"))
    assert said(labels) == {"q1": {"ann": A, "bea": B, "cyd": TIE}}
    assert [note.split("votes.jsonl: ")[1] for note in labels.notes] == [
        "2 labels of other models left out",
        "2 labels name the two models the other way round; A and B were exchanged there",
    ]


def test_a_model_may_go_by_the_name_in_its_answers_or_of_its_file(tmp_path):
    rows = [vote("model_b", models=("one", "two")), vote("model_b", "bea", models=("m2", "m1"))]
    assert said(read(tmp_path, rows, [item()])) == {"q1": {"ann": B, "bea": A}}


def test_a_models_name_as_the_label(tmp_path):
    rows = [vote("m2"), vote("m2", "bea", ("m2", "m1")), vote("tie", "cyd")]
    assert said(read(tmp_path, rows, [item()])) == {"q1": {"ann": B, "bea": B, "cyd": TIE}}


def test_items_of_different_models_keep_their_own(tmp_path):
    rows = [vote("model_a"), vote("model_a", models=("m4", "m3"), item_id="q2")]
    labels = read(tmp_path, rows, [item(), item("q2", ("m3", "m4"))])
    assert said(labels) == {"q1": A, "q2": B}


def test_models_the_other_way_round_in_fields_of_other_names_are_pointed_out(tmp_path):
    rows = [
        {"id": "q1", "left_model": "m2", "right_model": "m1", "winner": "A"},
        {"id": "q2", "left_model": "m1", "right_model": "m2", "winner": "A"},
    ]
    labels = read(tmp_path, rows, [item(), item("q2")], models=("m1", "m2"))
    assert said(labels) == {"q1": A, "q2": A}
    (note,) = labels.notes
    assert note.split("votes.jsonl: ")[1] == (
        "1 row with the run's models the other way round in left_model and right_model; A and B are read as "
        "the run's; call the fields model_a and model_b if they say who is A"
    )
    assert read(tmp_path, rows[1:], [item(), item("q2")], models=("m1", "m2")).notes == ()


def test_no_vote_on_the_runs_models(tmp_path):
    with pytest.raises(DataError) as caught:
        read(tmp_path, [vote("model_a"), vote("model_b")], [item(models=("k1", "k2"))])
    assert str(caught.value).endswith(
        "votes.jsonl: no label is of k1 and k2; its rows name m1 and m2; name the models in the answer "
        "files as the labels do"
    )


def test_models_without_names_are_seated_as_the_first_vote_on_the_item_has_them(tmp_path):
    rows = [vote("model_a"), vote("model_a", "bea", ("m2", "m1"))]
    assert said(read(tmp_path, rows, [item(models=(None, None))])) == {"q1": {"ann": A, "bea": B}}
    assert said(read(tmp_path, rows)) == {"q1": {"ann": A, "bea": B}}
    with pytest.raises(DataError) as caught:
        read(tmp_path, [*rows, vote("model_a", "cyd", ("m1", "m3"))])
    assert str(caught.value).removeprefix(f"{tmp_path}/") == (
        "votes.jsonl:3: a label of m1 and m3 for 'q1', whose label at "
        f"{tmp_path}/votes.jsonl:1 is of m1 and m2; keep those of the two that were compared"
    )


@pytest.mark.parametrize(("n_turns", "winner"), [(1, A), (2, B)])
def test_votes_on_the_turn_that_was_judged(tmp_path, n_turns, winner):
    rows = [vote("model_a", turn=1), vote("model_b", turn=2)]
    labels = read(tmp_path, rows, [item(n_turns=n_turns)])
    assert said(labels) == {"q1": winner}
    assert labels.notes[0].endswith(f"votes.jsonl: 1 label of other turns than turn {n_turns} left out")


def test_without_items_the_first_turn_counts_and_a_lone_turn_is_fine(tmp_path):
    assert said(read(tmp_path, [vote("model_a", turn=1), vote("model_b", turn=2)])) == {"q1": A}
    labels = read(tmp_path, [vote("model_b", turn=2)], [item()])
    assert (said(labels), labels.notes) == ({"q1": B}, ())


def test_a_judge_that_is_a_list_is_one_name(tmp_path):
    rows = [vote("model_a", ["gpt-4", "pair-v2"]), vote("model_b", "ann")]
    assert said(read(tmp_path, rows, [item()])) == {"q1": {"gpt-4/pair-v2": A, "ann": B}}


def test_scores_of_many_models_answers(tmp_path):
    rows = [{"id": "q1", "model": f"m{n}", "score": n} for n in (1, 2, 3)]
    path = write_jsonl(tmp_path / "m2.jsonl", answers("q1"))
    graded = load_answers(AnswersOptions(files=(path,))).items
    labels = read(tmp_path, rows, graded, models=("m2",))
    assert labels.by_item["q1"].score == 2.0
    assert labels.notes[0].endswith("2 labels of other models left out")


def test_a_run_of_two_files_is_known_by_their_names(tmp_path):
    files = [write_jsonl(tmp_path / f"{name}.jsonl", answers("q1")) for name in ("m1", "m2")]
    loaded = load_pairs(InputOptions(baseline=files[0], candidate=files[1]))
    models = (loaded.report.model_a, loaded.report.model_b)
    labels = read(tmp_path, [vote("model_a", models=("m2", "m1"))], loaded.pairs, models=models)
    assert said(labels) == {"q1": B}
