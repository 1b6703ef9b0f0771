"""A judge here, backed by one behind an endpoint that is sent the doubtful pairs and nothing else."""

import json
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from judgecli.run import load_run
from judgecli.types import Winner
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import KEY, Answer, logprobs, refuses, says
from tests.conftest import Judge
from tests.judging import last_rows, read_rows, two_files, write_jsonl

N = 8
DOUBTFUL = ("q2", "q5", "q7")
RUN = Path("a-vs-b.judge.jsonl")
COMMAND = (
    *("pair", "a.jsonl", "b.jsonl", "--model", "scripted:weak.jsonl", "--prompt", "chat"),
    *("--escalate", "openai:big", "--escalate-prompt", "chat", "--order-dependent"),
)


@pytest.fixture
def pairs(folder: Path) -> Path:
    """Eight pairs, on three of which the first judge names the first seat in both orders."""
    two_files(folder, [f"poor {n}" for n in range(1, N + 1)], [f"GOOD {n}" for n in range(1, N + 1)])
    rules: list[dict[str, str]] = [{"id": item_id, "reply": "A"} for item_id in DOUBTFUL]
    rules += [{"order": "AB", "reply": "A"}, {"order": "BA", "reply": "B"}]
    write_jsonl(folder / "weak.jsonl", rules)
    return folder


def knows(_n: int, body: object) -> Answer:
    words = str(body)
    label, other = ("A", "B") if words.index("GOOD") < words.index("poor") else ("B", "A")
    return says(label, logprobs({label: 0.9, other: 0.08}))


def asked_about(endpoint: Any) -> set[str]:
    return {f"q{one.last_message.split('poor ')[1][0]}" for one in endpoint.seen}


def test_exactly_the_doubtful_pairs_are_sent(serve: Serve, judge: Judge, pairs: Path) -> None:
    endpoint = serve(knows)
    done = judge(*COMMAND, "--format", "json")
    assert len(endpoint.seen) == 2 * len(DOUBTFUL)
    assert asked_about(endpoint) == set(DOUBTFUL)
    verdicts = {one.item_id: one for one in load_run(RUN).verdicts}
    assert {item_id for item_id, one in verdicts.items() if one.judge == "openai:big"} == set(DOUBTFUL)
    assert all(verdicts[item_id].winner is Winner.B for item_id in DOUBTFUL)
    assert done.report["counts"]["order_dependent"] == 0
    assert done.report["trust"]["estimates"]["escalated"]["value"] == pytest.approx(3 / 8)
    assert f"doubtful pairs go to openai:big at {endpoint.url}: order-dependent" in done.err


def test_a_misbehaving_server_loses_nothing(serve: Serve, judge: Judge, pairs: Path) -> None:
    refusals = count()

    def shaky(n: int, body: object) -> Answer:
        good = knows(n, body)
        kinds = (
            refuses(429, "slow down", {"Retry-After": "0"}),
            refuses(500, "out of order"),
            Answer(body=b"not JSON"),
            Answer(body=good.body, cut=7),
            refuses(400, "policy of the day"),  # no sense in asking again: this judgment fails
        )
        k = next(refusals)
        return kinds[k] if k < len(kinds) else good

    serve(shaky)
    judge(*COMMAND, "--parallel", 2, "--max-failures", 1)
    own = [row for row in read_rows(RUN, "judgment") if not row["judge"]]
    assert len(own) == 2 * N
    before = RUN.read_bytes()
    endpoint = serve(knows)
    moved = before.replace(_address(before).encode(), endpoint.url.encode())
    RUN.write_bytes(moved)
    again = judge(*COMMAND, "--format", "json")
    assert again.code == 0
    assert asked_about(endpoint) <= set(DOUBTFUL)
    assert again.report["counts"]["failed"] == again.report["counts"]["open"] == 0
    assert RUN.read_bytes().startswith(moved.split(b"\n", 1)[0][:40])
    assert [row for row in read_rows(RUN, "judgment") if not row["judge"]] == own
    assert len(last_rows(RUN)) == 2 * N


def _address(content: bytes) -> str:
    return str(json.loads(content.split(b"\n", 1)[0])["escalation"]["backend"]["base_url"])


def test_calls_that_are_spent_leave_pairs_open_and_the_rest_is_asked_later(
    serve: Serve, judge: Judge, pairs: Path
) -> None:
    endpoint = serve(knows)
    done = judge(*COMMAND, "--max-calls", 4, "--parallel", 1, "--format", "json")
    assert (done.code, len(endpoint.seen)) == (0, 4)
    assert done.report["counts"]["open"] == 1
    assert "the same command goes on from there" in done.err
    assert judge(*COMMAND, "--format", "json").report["counts"]["open"] == 0
    assert len(endpoint.seen) == 6


@pytest.mark.parametrize("max_calls", [17, 2 * N, 3])
def test_two_judges_behind_an_endpoint_have_one_number_of_calls(
    serve: Serve, judge: Judge, pairs: Path, max_calls: int
) -> None:
    def knows_or_not(n: int, body: Any) -> Answer:
        return knows(n, body) if body["model"] == "big" else says("A")

    endpoint = serve(knows_or_not)
    command = (*COMMAND[:4], "openai:small", *COMMAND[5:], "--max-calls", max_calls, "--parallel", 2)
    assert "all" in judge(*command).err
    assert len(endpoint.seen) == max_calls
    assert sum(one.body["model"] == "big" for one in endpoint.seen) == max(max_calls - 2 * N, 0)
    assert sum(row["n_calls"] for row in read_rows(RUN, "judgment")) == max_calls


def test_a_dry_run_sends_nothing(serve: Serve, judge: Judge, pairs: Path) -> None:
    endpoint = serve(knows)
    assert judge(*COMMAND, "--dry-run").code == 0
    assert judge("pair", "a.jsonl", "b.jsonl", "--model", "openai:big", "--dry-run").code == 0
    assert endpoint.seen == []


def test_the_key_is_in_no_file_and_on_no_stream(serve: Serve, judge: Judge, pairs: Path) -> None:
    endpoint = serve(refuses(500, f"key {KEY} is out of order"), knows)
    done = judge(*COMMAND, "-v", "-r", "report.md", "-r", "report.json")
    assert endpoint.seen[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in done.out + done.err
    for folder, _, names in os.walk(pairs):
        for name in names:
            assert KEY.encode() not in (Path(folder) / name).read_bytes(), name


@pytest.mark.demo
def test_the_demo_judge_backed_by_a_real_server(
    judge: Judge, folder: Path, llama_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llama_server)
    two_files(folder, ["Paris.", "Two and two is four."], ["I do not know.", "Seven."])
    command = ("pair", "a.jsonl", "b.jsonl", "--model", "demo", "--escalate", "openai:demo", "--min-mass", 0)
    report = judge(*command, "--format", "json").report
    rows = read_rows(RUN, "judgment")
    doubted = [one.item_id for one in load_run(RUN).first_verdicts.values() if one.is_doubtful]
    handed = [row for row in rows if row["judge"]]
    assert doubted
    assert sorted({row["item_id"] for row in handed}) == sorted(doubted)
    assert len(handed) == 2 * len(doubted)
    assert all(row["failure"] != "engine" for row in handed), handed
    assert report["effort"][0]["calls"] == len(handed)
    content = RUN.read_bytes()
    judge(*command)
    assert RUN.read_bytes() == content
