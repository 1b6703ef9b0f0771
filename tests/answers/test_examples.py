"""The example files: each loads, and they agree with each other."""

import json
from pathlib import Path

import pytest

from judgecli.answers import AnswersOptions, InputOptions, load_many, load_pairs, read_answers

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name):
    return str(EXAMPLES / name)


def load_examples(**options):
    files = {"baseline": example("baseline.jsonl"), "candidate": example("candidate.jsonl"), **options}
    return load_pairs(InputOptions(**files))


def texts(loaded):
    return [(p.id, p.instruction, p.response_a.output, p.response_b.output) for p in loaded.pairs]


def rows(name):
    return [json.loads(line) for line in (EXAMPLES / name).read_text("utf-8").splitlines()]


def test_baseline_and_candidate_make_twelve_pairs_with_one_identical():
    loaded = load_examples()
    assert len(loaded.pairs) == 12
    assert sum(p.response_a.output == p.response_b.output for p in loaded.pairs) == 1
    assert (loaded.report.model_a, loaded.report.model_b) == ("meadow-1", "meadow-2")
    assert loaded.report.notes == ()
    assert loaded.report.empty_a == loaded.report.empty_b == ()


def test_the_csv_holds_the_baseline():
    assert texts(load_examples(baseline=example("baseline.csv"))) == texts(load_examples())


def test_the_file_of_pairs_holds_both():
    pairs = load_pairs(InputOptions(baseline=example("pairs.jsonl")))
    assert texts(pairs) == texts(load_examples())
    assert (pairs.report.model_a, pairs.report.model_b) == ("meadow-1", "meadow-2")


def test_questions_and_references_cover_every_item():
    loaded = load_examples(questions=example("questions.jsonl"), reference=example("references.jsonl"))
    assert loaded.report.n_with_reference == 12
    assert [p.metadata["category"] for p in loaded.pairs] == [
        row["category"] for row in rows("baseline.jsonl")
    ]
    assert [p.metadata["category"] for p in loaded.pairs] == [
        row["category"] for row in rows("questions.jsonl")
    ]


def test_three_models_answer_the_same_questions():
    files = tuple(example(f"{name}.jsonl") for name in ("baseline", "candidate", "third"))
    loaded = load_many(AnswersOptions(files=files))
    assert len(loaded.items) == 12
    assert loaded.report.models == ("meadow-1", "meadow-2", "meadow-3")
    assert loaded.report.notes == ()


def test_the_conversations_have_two_turns():
    files = {"baseline": example("chat-baseline.jsonl"), "candidate": example("chat-candidate.jsonl")}
    loaded = load_pairs(InputOptions(**files))
    assert [pair.n_turns for pair in loaded.pairs] == [2, 2, 2]
    assert loaded.report.turn == "last"


def test_labels_cover_every_item_and_every_outcome():
    labels = {row["id"]: row["winner"] for row in rows("labels.jsonl")}
    loaded = load_examples()
    assert list(labels) == [pair.id for pair in loaded.pairs]
    assert set(labels.values()) == {"A", "B", "tie"}
    identical = [p.id for p in loaded.pairs if p.response_a.output == p.response_b.output]
    assert [labels[i] for i in identical] == ["tie"]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.*")), ids=lambda path: path.name)
def test_every_file_is_described(path):
    assert path.name == "README.md" or f"`{path.name}`" in (EXAMPLES / "README.md").read_text("utf-8")


def test_the_answers_are_read_as_what_they_are():
    assert read_answers(example("baseline.csv")).container == "csv"
    assert read_answers(example("baseline.jsonl")).format == "plain"
