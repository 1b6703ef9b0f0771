"""Real files of other projects, where they are at hand beside the checkout."""

from collections import Counter
from pathlib import Path

import pytest

from judgecli.answers import AnswersOptions, Fields, InputOptions, load_answers, load_many, load_pairs
from judgecli.errors import DataError

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")


def load_data(baseline, candidate=None, **options):
    files = {key: str(DATA / options.pop(key)) for key in ("questions", "reference") if key in options}
    candidate = None if candidate is None else str(DATA / candidate)
    return load_pairs(InputOptions(baseline=str(DATA / baseline), candidate=candidate, **files, **options))


def load_models(*names, **options):
    beside = {key: str(DATA / options.pop(key)) for key in ("questions", "reference") if key in options}
    load_them = load_answers if len(names) == 1 else load_many
    return load_them(AnswersOptions(files=tuple(str(DATA / name) for name in names), **beside, **options))


def test_vicuna80():
    loaded = load_data(
        "vicuna80/answer_alpaca-13b.jsonl",
        "vicuna80/answer_gpt35.jsonl",
        questions="vicuna80/question.jsonl",
    )
    assert len(loaded.pairs) == 80
    assert loaded.report.formats == ("fastchat (jsonl)",) * 2
    assert (loaded.report.model_a, loaded.report.model_b) == ("alpaca-13b:v1", "gpt-3.5-turbo:20230327")
    assert loaded.pairs[0].instruction == "How can I improve my time management skills?"
    assert Counter(pair.metadata["category"] for pair in loaded.pairs)["generic"] == 10


def test_vicuna80_without_its_questions():
    with pytest.raises(DataError, match="no question for 80 of 80 pairs"):
        load_data("vicuna80/answer_alpaca-13b.jsonl", "vicuna80/answer_gpt35.jsonl")


def test_mt_bench():
    files = {"questions": "mt-bench/question.jsonl", "reference": "mt-bench/reference-gpt-4.jsonl"}
    with pytest.raises(DataError, match="50 of 80 pairs have no reference"):
        load_data("mt-bench/alpaca-13b.jsonl", "mt-bench/gpt-4.jsonl", **files)
    loaded = load_data(
        "mt-bench/alpaca-13b.jsonl", "mt-bench/gpt-4.jsonl", allow_missing_reference=True, **files
    )
    assert (len(loaded.pairs), loaded.report.n_with_reference) == (80, 30)
    assert loaded.report.formats == ("mt-bench (jsonl)",) * 2
    assert sum("the first turn is judged" in note for note in loaded.report.notes) == 2


def test_one_models_answers():
    loaded = load_models("vicuna80/answer_bard.jsonl", questions="vicuna80/question.jsonl")
    assert (len(loaded.items), loaded.report.models) == (80, ("bard:20230327",))
    assert {len(item.responses) for item in loaded.items} == {1}


@pytest.mark.parametrize(("turn", "n_turns"), [(None, 1), (2, 2)])
def test_four_models_answers_to_each_turn(turn, n_turns):
    names = ("alpaca-13b", "gpt-3.5-turbo", "gpt-4", "vicuna-13b-v1.3")
    loaded = load_models(
        *(f"mt-bench/{name}.jsonl" for name in names),
        questions="mt-bench/question.jsonl",
        reference="mt-bench/reference-gpt-4.jsonl",
        allow_missing_reference=True,
        turn=turn,
    )
    assert loaded.report.models == ("alpaca-13b", "gpt-3.5-turbo", "gpt-4", "vicuna-13b-hao-0515")
    assert {len(item.responses) for item in loaded.items} == {4}
    assert {item.n_turns for item in loaded.items} == {n_turns}
    assert (len(loaded.items), loaded.report.n_with_reference) == (80, 30)
    assert loaded.report.n_multi_turn == (80 if turn else 0)
    race = next(item for item in loaded.items if item.id == "101")
    assert race.instruction.startswith('If the "second person"' if turn else "Imagine you are")


def test_the_short_references_beside_the_questions_are_those_of_each_turn():
    loaded = load_models(
        "mt-bench/gpt-4.jsonl",
        questions="mt-bench/question.jsonl",
        reference="mt-bench/question.jsonl",
        allow_missing_reference=True,
        turn=2,
    )
    references = {item.id: (*item.earlier_references, item.reference) for item in loaded.items}
    assert references["101"] == ("You are in second place.", "Uncertain.")
    assert references["103"] == ("Thomas may work at a hospital.", None)
    assert references["81"] == (None, None)


@pytest.mark.parametrize("questions", [{}, {"questions": "arena-hard/question-v0.1.jsonl"}])
def test_arena_hard(questions):
    loaded = load_data("arena-hard/gpt-3.5-turbo-0125.jsonl", "arena-hard/gpt-4-0613.jsonl", **questions)
    assert len(loaded.pairs) == 500
    assert loaded.report.formats == ("arena-hard (jsonl)",) * 2
    assert all(("cluster" in pair.metadata) == bool(questions) for pair in loaded.pairs)


def test_pandalm():
    loaded = load_data("pandalm/testset-v1.json")
    assert len(loaded.pairs) == 999
    assert len(loaded.report.empty_a) + len(loaded.report.empty_b) == 54
    outputs = [r.output for pair in loaded.pairs for r in (pair.response_a, pair.response_b)]
    assert outputs.count("true") == 6
    assert Counter(pair.metadata["gold"] for pair in loaded.pairs) == {"A": 422, "B": 472, "tie": 105}


def test_judgelm_pairs():
    path = "vicuna80/judgelm-format-gpt4-reviews.jsonl"
    with pytest.raises(DataError, match="80 ids more than once"):
        load_data(path)
    loaded = load_data(path, fields=Fields(id="review_id"))
    assert (len(loaded.pairs), loaded.report.formats) == (1040, ("judgelm-pairs (jsonl)",))


@pytest.mark.parametrize(
    ("name", "n"), [("pandalm", 999), ("llmbar-natural", 100), ("llmbar-adversarial", 319)]
)
def test_normalised_files(name, n):
    loaded = load_data(f"normalised/{name}.jsonl")
    assert len(loaded.pairs) == n
    assert all(pair.metadata["gold"] in {"A", "B", "tie"} for pair in loaded.pairs)


def test_llmbar_labels_are_those_of_the_normalised_file():
    raw = load_data("llmbar/Natural/dataset.json").pairs
    normalised = load_data("normalised/llmbar-natural.jsonl").pairs
    assert [p.metadata["gold"] for p in raw] == [p.metadata["gold"] for p in normalised]
    assert [p.response_a.output for p in raw] == [p.response_a.output for p in normalised]


def test_other_files_are_refused():
    for path in (
        "pandalm/pandalm-7b-testset-v1.json",
        "vocab/ggml-vocab-phi-3.gguf",
    ):
        with pytest.raises(DataError):
            load_data(path)
