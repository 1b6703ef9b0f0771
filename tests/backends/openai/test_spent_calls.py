"""`--max-calls`: a run that ends half-way says so, and what to do."""

from pathlib import Path

import pytest

from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import says
from tests.conftest import Judge
from tests.judging import two_files

COMMAND = ("pair", "a.jsonl", "b.jsonl", "--model", "openai:org/judge", "--parallel", 1)


@pytest.fixture
def pairs(serve: Serve, folder: Path) -> Path:
    serve(says("A"))
    two_files(folder, ["one", "two"], ["eins", "zwei"])
    return folder


def test_a_partial_run_has_a_line_of_its_own_and_succeeds(judge: Judge, pairs: Path) -> None:
    done = judge(*COMMAND, "--max-calls", 3, "--format", "json")
    assert (done.code, done.report["partial"], done.report["counts"]["open"]) == (0, True, 1)
    assert (
        "warning: partial run: all 3 calls of --max-calls are made; "
        "3 of 4 judgments are in a-vs-b.judge.jsonl, and the same command goes on from there"
    ) in done.err.splitlines()


def test_no_finished_pair_is_not_called_a_failure(judge: Judge, pairs: Path) -> None:
    done = judge(*COMMAND, "--max-calls", 1)
    assert done.code == 5
    assert done.sentence == (
        "no pair was finished before the calls were spent: 1 judgment made; "
        "the same command goes on from there"
    )
    assert judge(*COMMAND, "--format", "json").report["partial"] is False
