"""Whole runs against an endpoint: what fails in passing is asked again, and nothing twice."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from judgecli.answers import InputOptions
from judgecli.errors import CallsSpentError
from judgecli.run import execute, prepare_pair
from judgecli.run.pair import PairOptions
from judgecli.types import EngineOptions
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import Answer, logprobs, refuses, says
from tests.conftest import JUDGE, Judge
from tests.judging import last_rows, read_rows, two_files

COMMAND = ("pair", "a.jsonl", "b.jsonl", "--model", "openai:org/judge")
RUN = Path("a-vs-b.judge.jsonl")


def prefers_good(_n: int, body: object) -> Answer:
    """Answer as a judge that knows: the first answer in the prompt that is GOOD."""
    words = str(body)
    first = words.index("GOOD") < words.index("poor")
    label, other = ("A", "B") if first else ("B", "A")
    return says(label, logprobs({label: 0.9, other: 0.08}))


def test_a_pair_is_judged_in_both_orders(serve: Serve, judge: Judge, folder: Path) -> None:
    endpoint = serve(prefers_good)
    two_files(folder, ["GOOD", "poor"], ["poor", "GOOD"])
    report = judge(*COMMAND, "--format", "json").report
    assert (report["counts"]["win"], report["counts"]["loss"]) == (1, 1)
    assert len(endpoint.seen) == 4
    assert {one.body["model"] for one in endpoint.seen} == {"org/judge"}
    row = last_rows(RUN)["q1", "BA"]
    assert (row["winner"], row["text"], row["n_calls"]) == ("A", "B", 1)
    assert row["p"] == pytest.approx({"A": 0.9 / 0.98, "B": 0.08 / 0.98, "tie": 0})
    [header] = read_rows(RUN, "header")
    assert header["backend"]["base_url"] == endpoint.url
    assert header["backend"]["model"] == "org/judge"


def test_what_failed_in_passing_is_asked_again_and_nothing_else(
    serve: Serve, judge: Judge, folder: Path
) -> None:
    def shaky(n: int, body: object) -> Answer:
        return (
            refuses(400, "content filter of the day") if "Question 2" in str(body) else prefers_good(n, body)
        )

    serve(shaky)
    two_files(folder, ["GOOD", "poor"], ["poor", "GOOD"])
    done = judge(*COMMAND, "--max-failures", 1)
    assert done.code == 0
    assert {row["failure"] for row in read_rows(RUN, "judgment")} == {None, "engine"}
    endpoint = serve(prefers_good)
    # the endpoint listens elsewhere now; the run's own address is what its header says
    header, *rows = RUN.read_text(encoding="utf-8").split("\n", 1)
    moved = header.replace(read_rows(RUN, "header")[0]["backend"]["base_url"], endpoint.url)
    RUN.write_text("\n".join([moved, *rows]), encoding="utf-8")
    report = judge(*COMMAND, "--format", "json").report
    assert (report["counts"]["win"], report["counts"]["loss"]) == (1, 1)
    assert len(endpoint.seen) == 2
    assert all("Question 2" in one.last_message for one in endpoint.seen)


def test_a_run_whose_calls_are_spent_goes_on_with_the_rest(serve: Serve, folder: Path) -> None:
    endpoint = serve(prefers_good)
    two_files(folder, ["GOOD"] * 5, ["poor"] * 5)

    def judge_up_to(max_calls: int) -> None:
        options = PairOptions(
            model="openai:org/judge",
            input=InputOptions(baseline="a.jsonl", candidate="b.jsonl"),
            engine=EngineOptions(max_calls=max_calls),
        )
        with suppress(CallsSpentError):
            execute(prepare_pair(options))

    for n_rows in (4, 8, 10):
        judge_up_to(4)
        assert len(read_rows(RUN, "judgment")) == len(endpoint.seen) == n_rows
    assert all(row["winner"] == "A" for row in last_rows(RUN).values())
    judge_up_to(4)
    assert len(endpoint.seen) == 10


def test_a_server_without_probabilities_judges_by_its_text(serve: Serve, judge: Judge, folder: Path) -> None:
    def plain(_n: int, body: object) -> Answer:
        words = str(body)
        if "logprobs" in words:
            return refuses(400, "logprobs: unknown field")
        return says("A" if words.index("GOOD") < words.index("poor") else "B")

    serve(plain)
    two_files(folder, ["GOOD"], ["poor"])
    assert judge(*COMMAND, "--format", "json").report["counts"]["loss"] == 1
    row = last_rows(RUN)["q1", "AB"]
    assert (row["winner"], row["p"], row["mass"]) == ("A", {}, None)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_an_interrupt_ends_a_run_that_waits_for_its_endpoint(serve: Serve, folder: Path) -> None:
    def plan(n: int, body: object) -> Answer:
        answer = prefers_good(n, body)
        return answer if n < 3 else Answer(body=answer.body, silent_s=20)

    endpoint = serve(plan)
    two_files(folder, ["GOOD"] * 9, ["poor"] * 9)
    process = subprocess.Popen([*JUDGE, *COMMAND, "--parallel", "2"], stderr=subprocess.PIPE)
    for _ in range(200):
        if len(endpoint.seen) >= 5 and RUN.is_file() and RUN.read_bytes().count(b'"row": "judgment"') == 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    _, said = process.communicate(timeout=60)
    assert time.monotonic() - started < 15  # not the silence of the endpoint
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert len(read_rows(RUN, "judgment")) == 3


def test_an_endpoint_that_refuses_the_key_ends_the_command(serve: Serve, judge: Judge, folder: Path) -> None:
    serve(refuses(401, "bad key"))
    two_files(folder, ["GOOD"], ["poor"])
    done = judge(*COMMAND)
    assert done.code == 4
    assert done.sentence.endswith("/v1 answered 401 (bad key); check OPENAI_API_KEY")
