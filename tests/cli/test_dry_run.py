"""`judge pair --dry-run`: what would be done, with nothing written."""

from pathlib import Path

import pytest

from judgecli.backends.scripted import WordTokenizer
from tests.conftest import Judge
from tests.judging import script

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl")


def test_it_shows_what_would_be_done_and_writes_nothing(
    judge: Judge, model: tuple[str, ...], folder: Path
) -> None:
    before = sorted(folder.iterdir())
    done = judge(*PAIR, *model, "--dry-run")
    assert done.code == 0
    lines = dict(line.split(maxsplit=1) for line in done.out.splitlines())
    assert lines["pairs"] == "4, 0 of them decided without the judge"
    assert lines["judgments"] == "8, 8 of them still to make"
    assert lines["context"] == "256 tokens"
    assert sorted(folder.iterdir()) == before
    assert "run file" not in done.err


def test_it_counts_what_a_run_file_holds(judge: Judge, model: tuple[str, ...]) -> None:
    judge(*PAIR, *model, "--limit", 1)
    before = RUN.read_bytes()
    done = judge(*PAIR, *model, "--dry-run", "--format", "json")
    assert (done.report["judgments"], done.report["judgments_open"]) == (8, 6)
    assert "going on in" in done.err
    assert RUN.read_bytes() == before


def test_too_long_pairs_are_named(
    judge: Judge, model: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", 20)
    done = judge(*PAIR, *model, "--dry-run", "--format", "json")
    assert done.report["too_long"] == ["q1", "q2", "q3", "q4"]
    assert "too long for the context: 4 pairs (q1, q2, q3, q4); see --overflow" in done.err
    done = judge(*PAIR, *model, "--dry-run", "--overflow", "truncate")
    assert "4 pairs (q1, q2, q3, q4); however short the answers" in done.err


def test_the_time_is_estimated_from_one_prompt(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    slow = script(folder, {"reply": "9 3", "seconds": 0.01})
    done = judge(*PAIR, *slow, "--dry-run", "--format", "json")
    assert done.report["tokens_per_s"] == pytest.approx(16_000, rel=0.1)
    assert done.report["estimated_s"] == pytest.approx(0.01 * 8, rel=0.3)
    assert "time" in judge(*PAIR, *slow, "--dry-run").out


def test_an_unlike_run_is_refused_already(judge: Judge, model: tuple[str, ...]) -> None:
    judge(*PAIR, *model)
    assert judge(*PAIR, *model, "--dry-run", "--min-mass", 0).code == 3
