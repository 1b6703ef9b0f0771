"""Looking at a judge behind an endpoint: the prompt that it gets, and talking to it."""

from pathlib import Path

import pytest

from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import says, streams
from tests.conftest import Judge
from tests.judging import two_files

FILES = ("a.jsonl", "b.jsonl", "--model", "openai:org/judge")
SHOW = ("prompt", "show", *FILES)


@pytest.fixture
def pairs(folder: Path) -> Path:
    two_files(folder, ["one"], ["eins"])
    return folder


def test_the_messages_are_those_that_a_run_sends(serve: Serve, judge: Judge, pairs: Path) -> None:
    endpoint = serve(says("A"))
    shown = judge(*SHOW)
    assert endpoint.seen == []
    judge("pair", *FILES, "--parallel", 1)
    sent = [f"[{one['role']}]\n{one['content']}" for one in endpoint.seen[0].body["messages"]]
    assert shown.out == "\n\n".join(sent)
    assert shown.out.endswith("\n\nReply with the verdict alone.")
    assert "<message" not in shown.out


def test_words_are_counted_and_no_tokens(judge: Judge, pairs: Path) -> None:
    said = judge(*SHOW).err
    assert said.startswith("about 1")
    assert " words, family chat, openai:org/judge, pair q1, order AB" in said
    assert "token" not in said


def test_a_family_without_a_template_is_sent_as_one_text(serve: Serve, judge: Judge, pairs: Path) -> None:
    endpoint = serve(says("A"))
    shown = judge(*SHOW, "--prompt", "judgelm")
    judge("pair", *FILES, "--prompt", "judgelm", "--parallel", 1)
    assert shown.out == endpoint.seen[0].body["prompt"]


def test_a_conversation_counts_words_too(serve: Serve, judge: Judge, pairs: Path) -> None:
    serve(says("A"), says("A"), streams("So."))
    judge("pair", *FILES, "--parallel", 1)
    done = judge("chat", "a-vs-b.judge.jsonl", "--id", "q1", "--ask", "Why?")
    assert (done.code, done.out) == (0, "So.\n")
    assert "judge openai:org/judge, prompt chat, about 1" in done.err
    assert "tokens" not in done.err
