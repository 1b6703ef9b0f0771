"""`--dry-run` with an endpoint: calls and words, a rough cost, and no figure that nobody knows."""

import json
from pathlib import Path

import pytest

from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import says
from tests.conftest import Judge
from tests.judging import script, two_files

ENDPOINT = ("pair", "a.jsonl", "b.jsonl", "--model", "openai:org/judge", "--dry-run")


@pytest.fixture
def pairs(folder: Path) -> Path:
    two_files(folder, ["one", "two"], ["eins", "zwei"])
    return folder


def lines(out: str) -> dict[str, str]:
    return {line[:12].strip(): line[13:] for line in out.splitlines()}


def test_calls_and_words_are_shown_and_nothing_of_tokens(judge: Judge, pairs: Path) -> None:
    shown = lines(judge(*ENDPOINT).out)
    assert list(shown) == ["pairs", "judgments", "calls", "words"]
    assert shown["calls"] == "4 to openai:org/judge, further tries on top"
    assert shown["words"].startswith("about ")


def test_json_is_null_where_nothing_is_known(judge: Judge, pairs: Path) -> None:
    facts = judge(*ENDPOINT, "--format", "json").report
    unknown = ("prompt_tokens", "tokens_to_evaluate", "n_ctx", "too_long", "tokens_per_s", "estimated_s")
    assert [facts[name] for name in (*unknown, "estimated_cost", "escalation")] == [None] * 8
    assert facts["calls"] == 4
    assert facts["prompt_words"] > 100


def test_the_cost_is_a_rough_one(judge: Judge, pairs: Path) -> None:
    facts = judge(*ENDPOINT, "--format", "json", "--price", "3,15").report
    read, written = facts["prompt_words"] * 4 / 3, 4 * 32
    assert facts["estimated_cost"] == pytest.approx((read * 3 + written * 15) / 1e6)
    shown = lines(judge(*ENDPOINT, "--price", "3,15", "--max-calls", 3).out)
    assert shown["cost"].startswith("very roughly 0.00")
    assert shown["calls"].endswith("; --max-calls ends it at 3")


def test_reasons_first_are_two_calls_a_judgment(judge: Judge, pairs: Path) -> None:
    assert judge(*ENDPOINT, "--cot", "--format", "json").report["calls"] == 8


def test_what_may_be_handed_on_is_an_upper_bound(judge: Judge, pairs: Path) -> None:
    local = script(pairs, "9 3")
    command = ("pair", "a.jsonl", "b.jsonl", *local, "--escalate", "openai:big", "--escalate-prompt", "chat")
    shown = lines(judge(*command, "--dry-run").out)
    assert shown["handed on"].startswith("at most 4 calls to openai:big, about ")
    assert "tokens" in shown
    facts = judge(*command, "--dry-run", "--format", "json", "--price", "1,1").report
    assert facts["calls"] is None
    assert facts["tokens_to_evaluate"] > 0
    handed = facts["escalation"]
    assert (handed["judge"], handed["judgments_at_most"], handed["calls_at_most"]) == ("openai:big", 4, 4)
    assert handed["estimated_cost_at_most"] > 0


def test_what_is_judged_already_is_no_call(serve: Serve, judge: Judge, pairs: Path) -> None:
    serve(says("A"))
    judge(*ENDPOINT[:-1], "--limit", 1)
    assert json.loads(judge(*ENDPOINT, "--format", "json").out)["calls"] == 2
