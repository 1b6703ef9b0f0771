"""Every mode under JudgeLM's prompts, on a real llama.cpp with a LLaMA of random weights.

Its verdicts mean nothing, so none is asserted; that they are read, by letter and on the scale, is.
"""

import json
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import write_jsonl
from tests.random_models import write_llama

OPTIONS = ("--prompt", "judgelm", "--min-mass", "0", "--format", "json", "-q", "-o", "run.jsonl")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights") / "random.gguf"
    write_llama(path)
    return path


@pytest.fixture
def files(folder: Path) -> Path:
    for name in "abc":
        rows = [
            {"id": f"q{n}", "question": "Which answer is better?", "answer": f"the {name} answer {n}"}
            for n in range(2)
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
        turns = [{"role": "user", "content": "First?"}, {"role": "assistant", "content": f"{name} one"}]
        turns += [{"role": "user", "content": "Second?"}, {"role": "assistant", "content": f"{name} two"}]
        write_jsonl(folder / f"chat-{name}.jsonl", [{"id": "c1", "messages": turns}])
    write_jsonl(folder / "refs.jsonl", [{"id": f"q{n}", "reference": f"the best {n}"} for n in range(2)])
    return folder


def judgments(folder: Path) -> dict[tuple[str, str], dict[str, object]]:
    rows = [json.loads(line) for line in (folder / "run.jsonl").read_text(encoding="utf-8").splitlines()]
    return {(row["item_id"], row["order"]): row for row in rows if row["row"] == "judgment"}


def are_on_scale(row: dict[str, object]) -> bool:
    scores = row["scores"]
    assert isinstance(scores, dict)
    return set(scores) == set(str(row["order"])) and all(1 <= score <= 10 for score in scores.values())


def test_pairs_with_reference_and_reasons(judge: Judge, weights: Path, files: Path) -> None:
    done = judge(
        *("pair", "a.jsonl", "b.jsonl", "--reference", "refs.jsonl", "--reasons", "--model", weights),
        *OPTIONS,
    )
    assert done.code == 0
    rows = judgments(files)
    assert set(rows) == {(f"q{n}", order) for n in range(2) for order in ("AB", "BA")}
    assert all(map(are_on_scale, rows.values()))
    assert all("\n" in str(row["text"]) for row in rows.values())


def test_conversations(judge: Judge, weights: Path, files: Path) -> None:
    assert judge("pair", "chat-a.jsonl", "chat-b.jsonl", "--model", weights, *OPTIONS).code == 0
    assert all(map(are_on_scale, judgments(files).values()))
    shown = judge("prompt", "show", "chat-a.jsonl", "chat-b.jsonl", "--model", weights, "--prompt", "judgelm")
    assert "[Turn 1]\na one\n\n[Turn 2]\na two\n" in shown.out


@pytest.mark.parametrize("more", [(), ("--reference-block",)])
def test_one_answer_against_its_reference(
    judge: Judge, weights: Path, files: Path, more: tuple[str, ...]
) -> None:
    done = judge("grade", "a.jsonl", "--reference", "refs.jsonl", *more, "--model", weights, *OPTIONS)
    assert done.code == 0
    rows = judgments(files)
    assert set(rows) == {("q0", "A"), ("q1", "A")}
    assert all(map(are_on_scale, rows.values()))
    assert judge("grade", "a.jsonl", "--model", weights, *OPTIONS, "--fresh").code == 3


def test_multimodal_answers_as_text(judge: Judge, weights: Path, files: Path) -> None:
    questions = {
        "v1_0": {"imagename": "0.png", "question": "How many?", "answer": "two<OR>2", "capability": ["rec"]},
        "v1_1": {"imagename": "1.png", "question": "Which?", "answer": "red<AND>blue", "capability": ["ocr"]},
    }
    (files / "mm-vet.json").write_text(json.dumps(questions), encoding="utf-8")
    (files / "answers.json").write_text(json.dumps({"v1_0": "2", "v1_1": "red"}), encoding="utf-8")
    options = ("--prompt", "judgelm-mm-vet", *OPTIONS[2:])
    beside = ("--questions", "mm-vet.json", "--reference", "mm-vet.json")
    done = judge("grade", "answers.json", *beside, "--model", weights, *options)
    assert done.code == 0
    assert done.report["flags"] == {"image-not-seen": 2}
    assert all(map(are_on_scale, judgments(files).values()))


@pytest.mark.parametrize("mode", ["pairs", "joint"])
def test_three_models(judge: Judge, weights: Path, files: Path, mode: str) -> None:
    names = ("a.jsonl", "b.jsonl", "c.jsonl")
    assert judge("rank", *names, "--mode", mode, "--model", weights, *OPTIONS).code == 0
    rows = judgments(files)
    orders = {"pairs": {"AB", "BA", "AC", "CA", "BC", "CB"}, "joint": {"ABC", "BCA", "CAB"}}
    assert {order for _, order in rows} == orders[mode]
    assert all(map(are_on_scale, rows.values()))
