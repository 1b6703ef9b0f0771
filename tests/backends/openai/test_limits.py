"""How many calls are made, by how many threads, and how a run ends early."""

import threading
import time
from collections.abc import Callable
from itertools import islice

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.errors import CallsSpentError
from judgecli.types import Completion, Request
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import Answer, chat_request, refuses, says, until_refused

Open = Callable[..., OpenAIBackend]


def requests(n: int) -> list[Request]:
    return [chat_request(item_id=f"q{i}") for i in range(n)]


def test_five_thousand_requests_make_no_more_calls_than_allowed(serve: Serve, backend: Open) -> None:
    def plan(n: int, _body: object) -> Answer:
        return refuses(500, "now and then") if n % 10 == 3 else says("A")

    endpoint = serve(plan)
    done, refused = until_refused(backend(max_calls=300, parallel=16).judge(requests(5000)))
    assert len(endpoint.seen) == 300
    assert sum(one.n_calls for one in done) == 300
    assert sum(one.error is None for one in done) == 270
    assert refused == "all 300 calls of --max-calls are made"
    assert len({one.request.item_id for one in done}) == len(done)


def test_calls_that_suffice_are_no_error(serve: Serve, backend: Open) -> None:
    endpoint = serve(says("A"))
    assert len(list(backend(max_calls=6).judge(requests(6)))) == 6
    assert len(endpoint.seen) == 6


def test_calls_count_over_all_that_a_backend_is_asked(serve: Serve, backend: Open) -> None:
    serve(says("A"))
    judge = backend(max_calls=3)
    assert len(list(judge.judge(requests(2)))) == 2
    done, refused = until_refused(judge.judge(requests(2)))
    assert (len(done), "--max-calls" in refused) == (1, True)
    with pytest.raises(CallsSpentError):
        list(judge.write(chat_request().prompt, max_tokens=9))


def test_a_request_that_was_asked_in_vain_when_calls_ran_out_is_a_failure(
    serve: Serve, backend: Open
) -> None:
    serve(refuses(500, "out of luck"))
    done, refused = until_refused(backend(max_calls=2, parallel=1).judge(requests(3)))
    assert [one.n_calls for one in done] == [2]
    assert done[0].error is not None
    assert "answered 500 (out of luck); all 2 calls of --max-calls are made" in done[0].error
    assert "all 2 calls" in refused


def test_as_many_requests_are_in_flight_as_threads(serve: Serve, backend: Open) -> None:
    together, most, lock = 0, 0, threading.Lock()

    def plan(_n: int, _body: object) -> Answer:
        nonlocal together, most
        with lock:
            together += 1
            most = max(most, together)
        time.sleep(0.03)
        with lock:
            together -= 1
        return says("A")

    serve(plan)
    assert len(list(backend(parallel=5).judge(requests(30)))) == 30
    assert most == 5


def test_completions_come_as_they_finish(serve: Serve, backend: Open) -> None:
    def plan(_n: int, body: object) -> Answer:
        return Answer(body=says("A").body, silent_s=0.5 if "slow" in str(body) else 0.0)

    serve(plan)
    asked = [chat_request("slow" if i == 0 else "quick", item_id=f"q{i}") for i in range(4)]
    order = [one.request.item_id for one in backend(parallel=2).judge(asked)]
    assert order[-1] == "q0"


def test_leaving_early_sends_nothing_further(serve: Serve, backend: Open) -> None:
    endpoint = serve(Answer(body=says("A").body, silent_s=0.02))
    answers = backend(parallel=2).judge(requests(500))
    assert len(list(islice(answers, 4))) == 4
    answers.close()  # type: ignore[attr-defined]
    time.sleep(0.1)
    n_seen = len(endpoint.seen)
    time.sleep(0.1)
    assert len(endpoint.seen) == n_seen < 20


def test_leaving_early_does_not_wait_for_what_is_in_flight(serve: Serve, backend: Open) -> None:
    def plan(n: int, _body: object) -> Answer:
        return Answer(body=says("A").body, silent_s=0.0 if n == 0 else 3.0)

    serve(plan)
    answers = backend(parallel=4).judge(requests(8))
    first: Completion = next(answers)
    started = time.monotonic()
    answers.close()  # type: ignore[attr-defined]
    assert first.text == "A"
    assert time.monotonic() - started < 1


def test_a_bug_in_a_thread_is_raised_where_the_completions_are_taken(serve: Serve, backend: Open) -> None:
    serve(says("A"))
    broken = chat_request()
    object.__setattr__(broken, "render", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        list(backend().judge([broken]))


def test_nothing_to_ask_is_nothing_to_do(serve: Serve, backend: Open) -> None:
    endpoint = serve(says("A"))
    assert list(backend().judge([])) == []
    assert endpoint.seen == []
