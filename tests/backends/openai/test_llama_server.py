"""The real thing: llama-cpp-python's own server with the demo weights, on loopback."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.types import EngineOptions, Piece, Prompt, ScoresGrammar, VerdictPlace
from tests.backends.openai.endpoints import BEGUN, chat_prompt, chat_request, text_request
from tests.conftest import Judge
from tests.judging import read_rows, write_jsonl

pytestmark = pytest.mark.demo
WORDS = (
    '<answer_a>\nParis.\n</answer_a>\n\n<answer_b>\nNo idea.\n</answer_b>\n\nReply with "A", "B" or "tie".'
)


@pytest.fixture
def server(llama_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIBackend]:
    monkeypatch.setenv("OPENAI_BASE_URL", llama_server)
    with OpenAIBackend(Path("demo"), engine=EngineOptions(timeout_s=60)) as backend:
        yield backend


def test_a_chat_replies_with_the_verdict_and_its_probabilities(server: OpenAIBackend) -> None:
    [completion] = server.judge([chat_request(WORDS)])
    assert completion.error is None
    assert completion.text.split("\n")[0] == "A"
    distribution = completion.distribution
    assert distribution is not None
    assert distribution.greedy == "A"
    assert 0.1 < distribution.p["A"] < distribution.mass <= 1
    assert distribution.preferred[0] == "A"
    assert distribution.preferred[1] <= distribution.p["A"]
    assert completion.n_prompt_tokens > 30
    assert completion.n_calls == 1


def test_the_same_request_gets_the_same_reply(server: OpenAIBackend) -> None:
    request = chat_request(WORDS)
    done = list(server.judge([request] * 3))
    assert len({one.text for one in done}) == 1


def test_a_text_is_written_on_with_probabilities(server: OpenAIBackend) -> None:
    prompt = f'{WORDS}\n{BEGUN}A".\n\n{WORDS}\n{BEGUN}'
    [completion] = server.judge([text_request(prompt)])
    assert completion.distribution is not None
    assert completion.text.startswith(("A", "B", "tie"))
    assert completion.distribution.mass > 0.5


def test_scores_are_read_from_the_text(server: OpenAIBackend) -> None:
    prompt = "Two scores, 1 to 10:\nScores: 8 6\nScores: 7 9\nScores: 9 10\nScores:"
    [completion] = server.judge([text_request(prompt, grammar=ScoresGrammar(low=1, high=10))])
    assert completion.distribution is None
    assert re.match(r"\s*\d+ \d+\n", completion.text)


def test_reasons_come_first_and_the_verdict_after_them(server: OpenAIBackend) -> None:
    request = chat_request(
        WORDS, place=VerdictPlace.LAST, n_reason_tokens=24, conclusion=f"\n\n{BEGUN}", begun=""
    )
    [completion] = server.judge([request])
    assert completion.error is None
    assert completion.n_calls == 2
    assert f"\n\n{BEGUN}" in completion.text


def test_an_answer_is_written_in_pieces(server: OpenAIBackend) -> None:
    pieces = list(server.write(chat_prompt("Say hello.", begun=""), max_tokens=8))
    assert len(pieces) > 2
    assert pieces[-1].finish_reason in {"stop", "length"}
    assert "".join(piece.text for piece in pieces).strip()


def test_a_raw_prompt_is_written_on_in_pieces(server: OpenAIBackend) -> None:
    pieces = list(server.write(Prompt(pieces=(Piece(text="One, two, three,"),)), max_tokens=4))
    assert "".join(piece.text for piece in pieces).startswith(" four")


def test_a_prompt_that_is_too_long_for_the_server_fails_alone(server: OpenAIBackend) -> None:
    done = list(server.judge([chat_request("Say A " * 5000, item_id="long"), chat_request(WORDS)]))
    errors = {one.request.item_id: one.error for one in done}
    assert errors["q1"] is None
    assert errors["long"] is not None
    assert "maximum context length is 4096 tokens" in errors["long"]


def test_the_whole_command(
    llama_server: str, judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llama_server)
    for name, answers in (("a", ("Paris.", "Seven.")), ("b", ("No idea.", "Blue."))):
        questions = ("What is the capital of France?", "Name a colour.")
        rows = [
            {"id": f"q{n}", "question": question, "answer": answer}
            for n, (question, answer) in enumerate(zip(questions, answers, strict=True))
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
    done = judge("pair", "a.jsonl", "b.jsonl", "--model", "openai:demo", "--min-mass", 0)
    rows = read_rows(folder / "a-vs-b.judge.jsonl", "judgment")
    assert len(rows) == 4, done.err
    assert {row["n_calls"] for row in rows} == {1}
    assert {row["failure"] for row in rows} <= {None, "unreadable"}  # a chat of 135M now and then explains
    read = [row for row in rows if row["failure"] is None]
    assert read
    assert all(0.05 < row["mass"] <= 1 and row["winner"] in {"A", "B", "tie"} for row in read)
