"""Calls that fail are tried again where that can help, counted each time, and given up in time."""

import socket
import time
from collections.abc import Callable

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.backends.openai.pacing import Patience
from judgecli.errors import ModelError
from judgecli.types import Completion, EngineOptions
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import Answer, as_json, chat_request, refuses, says, until_refused

Open = Callable[..., OpenAIBackend]
FINE = says("A")


def ask(backend: OpenAIBackend, n: int = 1) -> list[Completion]:
    return list(backend.judge([chat_request(item_id=f"q{i}") for i in range(n)]))


@pytest.mark.parametrize(
    "trouble",
    [
        refuses(500, "out of luck"),
        refuses(502, "bad gateway"),
        refuses(503, "loading"),
        refuses(408, "too slow"),
        refuses(409, "busy"),
        refuses(429, "too many", {"Retry-After": "0"}),
        Answer(body=FINE.body, cut=20),
        Answer(body=b"<html>hello</html>", kind="text/html"),
        Answer(body=b'{"choices": [', kind="application/json"),
        Answer(body=b"[" * 100_000),
        Answer(body=b"\xff\xfe\x00"),
        Answer(body=b""),
        as_json({"choices": []}),
        as_json({"choices": ["A"]}),
        as_json({"choices": [{"message": {"role": "assistant", "content": 7}}]}),
        as_json([]),
        as_json(None),
    ],
)
def test_what_may_pass_is_tried_again(serve: Serve, backend: Open, trouble: Answer) -> None:
    endpoint = serve(trouble, FINE)
    [completion] = ask(backend())
    assert (completion.text, completion.error, completion.n_calls) == ("A", None, 2)
    assert (completion.n_prompt_tokens, completion.n_completion_tokens) == (40, 2)
    assert len(endpoint.seen) == 2


def test_a_server_says_how_long_to_wait_and_is_left_alone_so_long(serve: Serve, backend: Open) -> None:
    arrived: list[float] = []

    def plan(n: int, _body: object) -> Answer:
        arrived.append(time.monotonic())
        return refuses(429, "too many", {"Retry-After": "0.4"}) if n == 0 else FINE

    serve(plan)
    judge = backend(parallel=1)
    assert [one.n_calls for one in ask(judge, 2)] == [2, 1]
    assert arrived[1] - arrived[0] >= 0.4


def test_a_wait_beyond_all_patience_is_not_waited_for(serve: Serve, backend: Open) -> None:
    serve(refuses(429, "come back tomorrow", {"Retry-After": "86400"}))
    started = time.monotonic()
    [completion] = ask(backend())
    assert time.monotonic() - started < 3
    assert completion.error is not None
    assert "answered 429 (come back tomorrow)" in completion.error


def test_waits_grow_up_to_a_bound_and_are_shortened_at_random() -> None:
    for jitter in (0.0, 1.0):
        patience = Patience(first_wait_s=1, longest_wait_s=8, jitter=lambda jitter=jitter: jitter)
        waits = [patience.wait_s(n, None) for n in range(1, 6)]
        assert waits == [(0.5 + jitter / 2) * wait for wait in (1, 2, 4, 8, 8)]
    assert Patience().wait_s(1, 7.0) == 7


def test_an_endpoint_that_says_nothing_is_given_up(serve: Serve, backend: Open) -> None:
    endpoint = serve(Answer(body=FINE.body, silent_s=1.0))
    [completion] = ask(backend(timeout_s=0.2))
    assert completion.error is not None
    assert completion.error.endswith("/v1 did not answer within 0.2 s")
    assert completion.n_calls == len(endpoint.seen) == 3
    assert completion.finish_reason == "error"


def test_a_request_that_fails_for_good_leaves_the_others_alone(serve: Serve, backend: Open) -> None:
    def plan(_n: int, body: dict[str, object]) -> Answer:
        return refuses(500, "boom") if "poison" in str(body) else FINE

    serve(plan)
    requests = [chat_request("poison" if i == 3 else "fine", item_id=f"q{i}") for i in range(8)]
    done = {one.request.item_id: one for one in backend(parallel=2).judge(requests)}
    assert len(done) == 8
    assert {name for name, one in done.items() if one.error} == {"q3"}
    assert done["q3"].n_calls == 4


def test_a_prompt_that_is_too_long_is_not_tried_again_nor_blamed_on_a_parameter(
    serve: Serve, backend: Open
) -> None:
    message = "max_tokens or max_completion_tokens is too large: maximum context length is 2048"
    endpoint = serve(refuses(400, message, code="context_length_exceeded"), FINE)
    first, second = ask(backend(parallel=1), 2)
    assert first.error is not None
    assert "maximum context length is 2048" in first.error
    assert (second.text, len(endpoint.seen)) == ("A", 2)
    assert "max_tokens" in endpoint.seen[1].body


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refuses(401, "bad key"), "answered 401 (bad key); check OPENAI_API_KEY"),
        (refuses(403, "not yours"), "answered 403 (not yours); check OPENAI_API_KEY"),
        (refuses(404, "no model org/judge"), "answered 404 (no model org/judge); see which models"),
        (refuses(400, "no such model", code="model_not_found"), "check the model's name, 'org/judge'"),
        (refuses(402, "pay first"), "has nothing left to spend"),
        (refuses(429, "quota", code="insufficient_quota"), "has nothing left to spend"),
    ],
)
def test_what_only_the_user_can_mend_ends_the_run_at_once(
    serve: Serve, backend: Open, answer: Answer, words: str
) -> None:
    endpoint = serve(answer)
    with pytest.raises(ModelError) as refused:
        ask(backend(parallel=2), 50)
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(endpoint.seen) <= 2


def test_nothing_is_lost_that_had_come_back_before_the_run_ends(serve: Serve, backend: Open) -> None:
    serve(*[FINE] * 5, refuses(401, "revoked"))
    done, refused = until_refused(
        backend(parallel=1).judge([chat_request(item_id=f"q{i}") for i in range(20)])
    )
    assert "revoked" in refused
    assert [one.text for one in done] == ["A"] * 5


def test_an_endpoint_that_is_not_there_is_given_up_after_a_few_requests(
    monkeypatch: pytest.MonkeyPatch, backend: Open
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    done, refused = until_refused(
        backend(parallel=1).judge([chat_request(item_id=f"q{i}") for i in range(1000)])
    )
    assert [one.n_calls for one in done] == [3] * 4
    assert "5 requests in a row had no reply; the last time, " in refused
    assert f"http://127.0.0.1:{port}/v1 cannot be reached" in refused


def test_an_endpoint_that_breaks_down_half_way_ends_the_run(serve: Serve, backend: Open) -> None:
    endpoint = serve(*[FINE] * 10, refuses(503, "gone"))
    done, refused = until_refused(
        backend(parallel=1).judge([chat_request(item_id=f"q{i}") for i in range(1000)])
    )
    assert "the same command goes on when the endpoint works" in refused
    assert sum(one.error is None for one in done) == 10
    assert len(endpoint.seen) == 10 + 5 * 4


def test_retry_after_may_be_a_date(serve: Serve, backend: Open) -> None:
    serve(refuses(503, "later", {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}), FINE)
    [completion] = ask(backend())
    assert (completion.text, completion.n_calls) == ("A", 2)


def test_time_limits_and_prices_are_checked_where_they_are_given() -> None:
    from judgecli.errors import UsageError

    for wrong, name in (
        ({"max_calls": 0}, "--max-calls"),
        ({"timeout_s": 0}, "--timeout"),
        ({"timeout_s": float("nan")}, "--timeout"),
        ({"price": (1.0,)}, "--price"),
        ({"price": (1.0, -2.0)}, "--price"),
    ):
        with pytest.raises(UsageError, match=name):
            EngineOptions(**wrong)  # type: ignore[arg-type]
