"""Replies that never end, in time or in size, end all the same; one that is only slow is waited for."""

import gzip
import json
import time
from collections.abc import Callable

import pytest

from judgecli.backends.openai import OpenAIBackend, http
from judgecli.errors import ModelError
from judgecli.types import Completion, WrittenPiece
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import Answer, chat_prompt, chat_request, says, streams, until_refused

Open = Callable[..., OpenAIBackend]
SILENCE_S = 0.3
WORDS = "took longer than 3 s, 10 times the longest silence"


def ask(backend: OpenAIBackend) -> Completion:
    [completion] = backend.judge([chat_request()])
    return completion


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=b" ", goes_on=True, every_s=0.05),
        Answer(body=b"!", goes_on=True, every_s=0.05, status=500),
        Answer(body=b"{}", interim=10_000, every_s=0.05),
    ],
    ids=["the reply", "a refusal", "the headers"],
)
def test_a_reply_that_comes_bit_by_bit_has_ten_times_the_longest_silence(
    serve: Serve, backend: Open, answer: Answer
) -> None:
    endpoint = serve(answer)
    started = time.monotonic()
    completion = ask(backend(timeout_s=SILENCE_S))
    assert 2.9 < time.monotonic() - started < 6
    assert completion.error == f"{endpoint.url} gave a reply that {WORDS}"
    assert completion.n_calls == len(endpoint.seen) == 1


def test_a_slow_reply_that_ends_in_time_is_one(serve: Serve, backend: Open) -> None:
    answer = Answer(body=says("A").body, interim=10, every_s=0.05)
    serve(answer)
    assert ask(backend(timeout_s=SILENCE_S)).text == "A"


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_reply_of_any_size_is_read_up_to_the_longest(serve: Serve, backend: Open, status: int) -> None:
    endpoint = serve(Answer(body=b"[" * 2**20, goes_on=True, status=status))
    completion = ask(backend(timeout_s=20))
    assert completion.error == f"{endpoint.url} gave a reply that is longer than 16 MB"
    assert completion.n_calls == 1


def test_a_long_reply_is_read(serve: Serve, backend: Open) -> None:
    text = "A\n" + "Because. " * 400_000
    serve(says(text))
    completion = ask(backend(timeout_s=20))
    assert (completion.text, completion.error) == (text, None)


def packed(content: bytes, encoding: str = "gzip") -> Answer:
    return Answer(body=content, headers={"Content-Encoding": encoding})


def test_a_packed_reply_is_measured_unpacked(serve: Serve, backend: Open) -> None:
    serve(packed(gzip.compress(says("A").body)))
    assert ask(backend()).text == "A"
    serve(packed(gzip.compress(b" " * (http.LONGEST_REPLY + 1))))
    completion = ask(backend(timeout_s=20))
    assert str(completion.error).endswith("gave a reply that is longer than 16 MB")


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "anything"])
def test_what_unpacks_to_any_size_is_not_unpacked(serve: Serve, backend: Open, encoding: str) -> None:
    endpoint = serve(packed(gzip.compress(gzip.compress(b" " * 2**20)), encoding))
    assert str(ask(backend()).error).endswith("gave a reply that is packed in a way that was not asked for")
    assert endpoint.seen[0].headers["accept-encoding"] == "gzip, deflate"


def test_an_endpoint_that_never_ends_a_reply_ends_the_run(
    serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "LONGEST_REPLY", 1000)
    endpoint = serve(says("A" * 1000))
    done, refused = until_refused(
        backend(parallel=1).judge([chat_request(item_id=f"q{i}") for i in range(50)])
    )
    assert "5 requests in a row had no reply; the last time, " in refused
    assert len(endpoint.seen) == len(done) + 1 == 5


def comes(text: str) -> bytes:
    event = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return f"data: {json.dumps(event)}\n\n".encode()


@pytest.mark.parametrize(
    ("body", "every_s", "words"),
    [
        (comes("x"), 0.05, WORDS),
        (b": still here\n\n", 0.05, WORDS),
        (b"x" * 2**20, 0.0, "is longer than 16 MB"),
    ],
    ids=["pieces", "signs of life", "one line"],
)
def test_a_stream_without_end_ends(
    serve: Serve, backend: Open, body: bytes, every_s: float, words: str
) -> None:
    endpoint = serve(Answer(body=body, goes_on=True, every_s=every_s, kind="text/event-stream"))
    timeout_s = SILENCE_S if every_s else 20
    pieces: list[WrittenPiece] = []
    started = time.monotonic()
    with pytest.raises(ModelError) as refused:
        pieces.extend(backend(timeout_s=timeout_s).write(chat_prompt(), max_tokens=50))
    assert str(refused.value) == f"{endpoint.url} gave a reply that {words}; ask again"
    assert time.monotonic() - started < 8


def test_a_stream_whose_headers_never_end_ends(serve: Serve, backend: Open) -> None:
    serve(Answer(body=streams("Yes.").body, interim=10_000, every_s=0.05))
    with pytest.raises(ModelError, match="10 times the longest silence"):
        list(backend(timeout_s=SILENCE_S).write(chat_prompt(), max_tokens=50))


def test_a_bug_below_is_raised_and_not_waited_for() -> None:
    with pytest.raises(ZeroDivisionError):
        http.within(5, lambda: 1 / 0)
    with pytest.raises(TimeoutError):
        http.within(5, _times_out)
    assert http.within(5, lambda: "done") == "done"


def _times_out() -> None:
    raise TimeoutError
