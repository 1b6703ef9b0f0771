"""`--price` and the other options for endpoints: kept in the run file, of no use without an endpoint."""

import json
from pathlib import Path

import pytest

from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import says
from tests.conftest import Judge
from tests.judging import script, two_files

FILES = ("pair", "a.jsonl", "b.jsonl")
RUN = "a-vs-b.judge.jsonl"


@pytest.fixture
def pairs(folder: Path) -> Path:
    two_files(folder, ["one", "two"], ["eins", "zwei"])
    return folder


def cost(judge: Judge, *command: object) -> float | None:
    [effort] = judge(*command, "--format", "json").report["effort"]
    value = effort["cost"]
    assert value is None or isinstance(value, float)
    return value


@pytest.mark.parametrize("escalated", [False, True])
def test_a_price_once_named_stays(serve: Serve, judge: Judge, pairs: Path, escalated: bool) -> None:
    serve(says("A"))
    second = ("--escalate", "openai:m", "--escalate-prompt", "chat")
    command = (*FILES, *script(pairs, "9 3"), *second) if escalated else (*FILES, "--model", "openai:m")
    paid = 4 * (40 * 3 + 2 * 15) / 1e6
    assert cost(judge, *command, "--price", "3,15") == pytest.approx(paid)
    assert cost(judge, "report", RUN) == pytest.approx(paid)
    before = Path(RUN).read_bytes()
    assert cost(judge, *command) == pytest.approx(paid)
    assert Path(RUN).read_bytes() == before
    assert cost(judge, *command, "--price", "6,30") == pytest.approx(2 * paid)
    assert cost(judge, "report", RUN) == pytest.approx(2 * paid)


def test_a_price_of_another_stronger_judge_is_not_taken_over(serve: Serve, judge: Judge, pairs: Path) -> None:
    serve(says("A"))
    command = (*FILES, *script(pairs, "9 3"), "--escalate-prompt", "chat", "--escalate")
    judge(*command, "openai:m", "--price", "3,15")
    assert cost(judge, *command, "openai:other") is None


def test_options_for_endpoints_do_nothing_here(serve: Serve, judge: Judge, pairs: Path) -> None:
    local = (*FILES, *script(pairs, "9 3"))
    warned = "warning: no judge here is behind an endpoint, so --price, --max-calls, --timeout do nothing"
    options = ("--price", "3,15", "--max-calls", 5, "--timeout", 60)
    assert warned in judge(*local, *options).err.splitlines()
    assert "so --timeout does nothing" in judge(*local, "--timeout", 60).err
    serve(says("A"))
    second = ("--escalate", "openai:m", "--escalate-prompt", "chat")
    assert "nothing" not in judge(*local, *second, *options).err
    assert "nothing" not in judge(*local).err


def test_an_endpoint_cannot_read_a_text_again(judge: Judge, pairs: Path) -> None:
    done = judge(*FILES, "--model", "openai:m", "--entropy")
    assert done.code == 4
    assert done.sentence == (
        "openai:m is behind an endpoint, which cannot read a text again, so no entropy can be measured; "
        "leave --entropy out, or take a judge whose weights are on this machine"
    )


def test_a_missing_name_is_said_to_be_missing(judge: Judge, pairs: Path) -> None:
    done = judge(*FILES, "--model", "openai:")
    assert (done.code, done.sentence) == (4, "a model's name is missing after openai:")
    done = judge(*FILES, *script(pairs, "9 3"), "--escalate", "openai:")
    assert (done.code, done.sentence) == (4, "a model's name is missing after openai:")


def test_doctor_says_where_judges_behind_an_endpoint_are_asked(judge: Judge, folder: Path) -> None:
    address = "http://user:secret@127.0.0.1:9/v1?token=secret"
    shown = judge("doctor", OPENAI_BASE_URL=address)
    assert "http://127.0.0.1:9/v1" in shown.out
    assert "secret" not in shown.out + shown.err
    facts = json.loads(judge("doctor", "--format", "json", OPENAI_BASE_URL=address).out)
    assert facts["endpoint"]["client"] is not None
    assert facts["endpoint"]["base_url"] == "http://127.0.0.1:9/v1"
