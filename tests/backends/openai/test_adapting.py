"""A server that refuses a parameter is asked without it, from then on."""

from collections.abc import Callable
from typing import Any

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.types import Completion
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import (
    Answer,
    as_json,
    chat_request,
    refuses,
    says,
    text_request,
    until_refused,
    writes_on,
)

Open = Callable[..., OpenAIBackend]


def ask(backend: OpenAIBackend, n: int = 2, **more: Any) -> list[Completion]:
    return list(backend.judge([chat_request(item_id=f"q{i}", **more) for i in range(n)]))


def test_a_call_is_greedy_seeded_and_short(serve: Serve, backend: Open) -> None:
    endpoint = serve(says("A"))
    ask(backend(), 1, stop=("###", "\n"))
    assert endpoint.seen[0].path == "/v1/chat/completions"
    body = endpoint.seen[0].body
    assert body.pop("messages")
    assert body == {
        "model": "org/judge",
        "temperature": 0,
        "seed": 0,
        "max_tokens": 32,
        "logprobs": True,
        "top_logprobs": 20,
        "stop": ["###"],  # a server would stop at blanks before the first word too
    }


@pytest.mark.parametrize(
    ("complaint", "left_out", "instead"),
    [
        (refuses(400, "logprobs are not supported"), {"logprobs", "top_logprobs"}, {}),
        (
            refuses(500, "logprobs is not supported for models created with logits_all=False"),
            {"logprobs"},
            {},
        ),
        (
            refuses(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
            {"max_tokens"},
            {"max_completion_tokens": 32},
        ),
        (
            refuses(400, "Unsupported value: 'temperature' does not support 0 with this model."),
            {"temperature"},
            {},
        ),
        (as_json({"detail": [{"loc": ["body", "seed"], "msg": "not permitted"}]}, status=422), {"seed"}, {}),
        (refuses(400, "not here", param="stop"), {"stop"}, {}),
    ],
)
def test_what_is_refused_is_left_out_and_not_asked_for_again(
    serve: Serve, backend: Open, complaint: Answer, left_out: set[str], instead: dict[str, Any]
) -> None:
    def plan(_n: int, body: dict[str, Any]) -> Answer:
        return complaint if left_out & body.keys() else says("A")

    endpoint = serve(plan)
    first, second = ask(backend(parallel=1), stop=("###",))
    assert [first.text, second.text] == ["A", "A"]
    # 20 probabilities may be too many, so 5 are asked for before none
    assert (first.n_calls, second.n_calls) == (3 if "logprobs" in left_out else 2, 1)
    assert not left_out & endpoint.seen[-1].body.keys()
    assert instead.items() <= endpoint.seen[-1].body.items()


def test_fewer_probabilities_are_asked_for_before_none(serve: Serve, backend: Open) -> None:
    def plan(_n: int, body: dict[str, Any]) -> Answer:
        return refuses(400, "logprobs must be at most 5") if body["logprobs"] > 5 else writes_on("A")

    endpoint = serve(plan)
    judge = backend()
    [completion] = judge.judge([text_request()])
    assert completion.error is None
    assert endpoint.seen[-1].path == "/v1/completions"
    assert endpoint.seen[-1].body["logprobs"] == judge.settings["logprobs"] == 5


def test_several_threads_that_hear_the_same_complaint_adapt_once(serve: Serve, backend: Open) -> None:
    def plan(_n: int, body: dict[str, Any]) -> Answer:
        return (
            refuses(
                400,
                "no logprobs here",
            )
            if "logprobs" in body
            else says("A")
        )

    serve(plan)
    judge = backend(parallel=8)
    assert [one.error for one in ask(judge, 40)] == [None] * 40
    assert judge.settings["logprobs"] == 0


def test_a_complaint_that_never_ends_is_a_failure_of_the_request(serve: Serve, backend: Open) -> None:
    endpoint = serve(refuses(400, "'temperature', 'seed', logprobs and 'stop' are wrong"))
    [completion] = ask(backend(), 1)
    assert completion.error is not None
    assert completion.n_calls == len(endpoint.seen) == 4


def test_a_prompt_that_names_parameters_changes_none(serve: Serve, backend: Open) -> None:
    echo = {"detail": [{"loc": ["body", "messages"], "msg": "refused", "input": "the 'seed' and logprobs"}]}
    endpoint = serve(as_json(echo, status=422))
    [completion] = ask(backend(), 1)
    assert completion.n_calls == len(endpoint.seen) == 1


@pytest.mark.parametrize(
    "thought",
    [
        says("", finish_reason="length", reasoning_content="Let me see"),
        says("<think>Let me see", finish_reason="length"),
        says(None, finish_reason="length", reasoning="Let me see"),
    ],
)
def test_a_model_that_thinks_first_gets_the_room_for_it(serve: Serve, backend: Open, thought: Answer) -> None:
    endpoint = serve(thought, says("<think>A or B?</think>\n\ntie"))
    first, second = ask(backend(parallel=1))
    assert [first.text, second.text] == ["tie", "tie"]
    assert [one.body["max_tokens"] for one in endpoint.seen] == [32, 32 + 8192, 32 + 8192]
    assert first.n_calls == 2


def test_a_model_that_thinks_without_end_is_no_endless_loop(serve: Serve, backend: Open) -> None:
    endpoint = serve(says("<think>Hm", finish_reason="length"))
    [completion] = ask(backend(), 1)
    assert (completion.finish_reason, len(endpoint.seen)) == ("length", 2)


def test_without_adaptation_a_refusal_is_final(serve: Serve, backend: Open) -> None:
    serve(refuses(401, "'temperature' and logprobs"))
    _, refused = until_refused(backend().judge([chat_request()]))
    assert "401" in refused
