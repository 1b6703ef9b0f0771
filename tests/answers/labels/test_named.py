"""Labels that name the better model of the run."""

from dataclasses import replace

import pytest

from judgecli.answers import read_labels
from judgecli.errors import DataError
from judgecli.types import Item, Response, Source, Winner
from tests.answers.made_up import write_jsonl

A, B, TIE = Winner.A, Winner.B, Winner.TIE
MODELS = ("base-8b", "cand-8b")


def items(*ids):
    responses = tuple(Response(output=text, source=Source(file=f"{text}.jsonl")) for text in "xy")
    return [Item(id=one, instruction="?", responses=responses) for one in ids]


def read(folder, *words, models=MODELS, given=None, **more):
    rows = [{"id": f"q{n}", "winner": word, **more} for n, word in enumerate(words, 1)]
    given = items(*(row["id"] for row in rows)) if given is None else given
    return read_labels(write_jsonl(folder / "labels.jsonl", rows), given, models=models)


def winners(labels):
    return [one.winner for one in labels.by_item.values()]


def test_the_runs_models_are_its_seats_and_that_is_noted(tmp_path):
    labels = read(tmp_path, "cand-8b", "base-8b", "tie", "B")
    assert winners(labels) == [B, A, TIE, B]
    [note] = labels.notes
    assert note.endswith(
        ": 2 labels by the name of a model: base-8b is the baseline, cand-8b is the candidate"
    )


def test_answers_that_carry_their_models_name_them_too(tmp_path):
    [one] = items("q1")
    named = replace(
        one, responses=tuple(replace(r, model=m) for r, m in zip(one.responses, MODELS, strict=True))
    )
    assert winners(read(tmp_path, "cand-8b", models=(), given=[named])) == [B]


def test_a_word_with_a_meaning_keeps_it(tmp_path):
    labels = read(tmp_path, "a", "b", models=("b", "a"))
    assert (winners(labels), labels.notes) == ([A, B], ())


@pytest.mark.parametrize("word", ["Cand-8b", "cand", "other-7b"])
def test_only_the_exact_name_is_one(tmp_path, word):
    with pytest.raises(DataError, match=rf"the label \(winner\) is {word!r}, none of"):
        read(tmp_path, "cand-8b", word)


def test_two_models_of_one_name_are_told_apart_by_nothing(tmp_path):
    with pytest.raises(DataError, match="none of"):
        read(tmp_path, "same", models=("same", "same"))


def test_several_annotators_may_name_models(tmp_path):
    rows = [{"id": "q1", "annotator": who, "winner": word} for who, word in (("ann", "cand-8b"), ("bo", "B"))]
    labels = read_labels(write_jsonl(tmp_path / "labels.jsonl", rows), items("q1"), models=MODELS)
    assert labels.by_item["q1"].winners == {"ann": B, "bo": B}
