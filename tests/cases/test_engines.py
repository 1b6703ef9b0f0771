"""Engines that neighbouring projects set up or used wrongly. Each test is named after a public report.

BOS (llama-cpp-python 1501) and probabilities held against the logits themselves (1983) are in
`tests/backends`.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Judge
from tests.decoding import needs_llama_cpp
from tests.gguf_files import gguf_bytes
from tests.judging import answers, last_rows, read_rows, script, two_files, write_jsonl
from tests.processes import done_judge
from tests.random_models import WORDS, write_llama

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl", "--prompt", "judgelm", "--model")


@pytest.fixture
def weights(folder: Path) -> str:
    """Random weights with a trained length of 8192 tokens."""
    return write_llama(folder / "m.gguf", n_ctx=8192, n_layers=1, n_embd=64).name


def five(order: tuple[int, ...] = (0, 1, 2, 3, 4)) -> tuple[list[Any], list[Any]]:
    """Return answers to q1 to q5 in an order."""
    sides = (answers(*(f"{word} of {n}" for n in range(5))) for word in ("the first", "a second"))
    first, second = ([rows[n] for n in order] for rows in sides)
    return first, second


def judged(folder: Path, judge: Judge, weights: str, order: tuple[int, ...], *options: Any) -> dict[Any, Any]:
    """Judge these of the five pairs and return the judgments, by item and order."""
    for name, rows in zip(("a.jsonl", "b.jsonl"), five(order), strict=True):
        write_jsonl(folder / name, rows)
    done = judge(*PAIR, weights, "--min-mass", 0, "--fresh", *options)
    assert done.code == 0, done.err
    return last_rows(RUN)


@needs_llama_cpp
def test_llama_cpp_python_416_the_context_follows_from_the_prompts(
    judge: Judge, folder: Path, weights: str
) -> None:
    words = [" ".join(WORDS[(n * k) % len(WORDS)] for n in range(700)) for k in (1, 3)]
    two_files(folder, words[:1], words[1:])
    done = judge(*PAIR, weights)
    (header,) = read_rows(RUN, "header")
    n_ctx = header["backend"]["n_ctx"]
    rows = last_rows(RUN).values()
    assert {row["failure"] for row in rows} <= {None, "low_mass"}
    assert all(1400 < row["n_prompt_tokens"] < n_ctx <= 8192 for row in rows)
    assert f"context {n_ctx:,} of 8,192 tokens" in done.err
    longer = judge(*PAIR, weights, "--n-ctx", 9000, "--fresh")
    assert longer.code == 2
    assert "8192" in longer.sentence


@needs_llama_cpp
def test_llama_cpp_python_416_what_the_trained_length_cannot_hold_is_too_long(
    judge: Judge, folder: Path
) -> None:
    two_files(folder, ["the answer " * 800, "x"], ["y", "y"])
    model = write_llama(folder / "short.gguf", n_ctx=2048).name
    judge(*PAIR, model)
    assert last_rows(RUN)["q1", "AB"]["failure"] == "too_long"
    assert last_rows(RUN)["q2", "AB"]["failure"] != "too_long"


@needs_llama_cpp
def test_llama_cpp_4902_a_reply_does_not_depend_on_what_else_is_judged(
    judge: Judge, folder: Path, weights: str
) -> None:
    full = judged(folder, judge, weights, (0, 1, 2, 3, 4))
    for order in ((2,), (4, 3, 2, 1, 0)):
        found = judged(folder, judge, weights, order)
        assert found == {key: full[key] for key in found}  # to the last bit of the mass
    assert len({row["mass"] for row in full.values()}) == 10


@needs_llama_cpp
def test_llama_cpp_python_471_in_parallel_is_as_one_by_one(judge: Judge, folder: Path, weights: str) -> None:
    alone = judged(folder, judge, weights, (0, 1), "--parallel", 1)
    assert judged(folder, judge, weights, (0, 1), "--parallel", 2) == alone


@needs_llama_cpp
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a Git LFS pointer"),
        (None, "a directory"),
        ("missing", "no such file"),
        (1000, "truncated"),
        (-2000, "bytes"),
        (b"", "empty"),
    ],
)
def test_llama_cpp_python_2104_a_failed_load_is_one_line(
    folder: Path, weights: str, content: bytes | str | int | None, sentence: str
) -> None:
    two_files(folder, ["x"], ["y"])
    path = folder / "bad.gguf"
    if isinstance(content, int):
        path.write_bytes((folder / weights).read_bytes()[:content])
    elif content is None:
        path.mkdir()
    elif isinstance(content, bytes):
        path.write_bytes(content)
    done = done_judge(folder, *PAIR, "bad.gguf")
    assert (done.code, done.out) == (4, "")
    assert done.err.count("\n") == 1
    assert sentence in done.sentence
    assert not RUN.exists()


def test_llama_cpp_python_2104_weights_that_may_not_be_read(folder: Path) -> None:
    two_files(folder, ["x"], ["y"])
    (folder / "m.gguf").write_bytes(gguf_bytes())
    (folder / "m.gguf").chmod(0)
    done = done_judge(folder, *PAIR, "m.gguf", is_almighty=False)
    assert (done.code, done.out) == (4, "")
    assert done.sentence.startswith("m.gguf: no permission to read it")


def test_llama_cpp_python_1983_without_probabilities_there_is_no_confidence(
    judge: Judge, folder: Path
) -> None:
    two_files(folder, ["x"], ["y"])
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "7 7"))
    assert "soft         no probabilities" in done.out
    (row, _) = last_rows(RUN).values()
    assert (row["p"], row["mass"]) == ({}, None)
