"""Whatever a server sends, a call gives a value or trouble, never another exception."""

import json
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgecli.backends.openai import OpenAIBackend
from judgecli.backends.openai.complaint import parameters_of, remedy_of, retry_after_s, words_of
from judgecli.backends.openai.messages import Api
from judgecli.backends.openai.parameters import Call, Parameters
from judgecli.backends.openai.reply import Reply, read_piece, read_reply
from judgecli.backends.openai.trouble import Remedy, Trouble
from judgecli.errors import ModelError
from judgecli.types import Completion
from tests.any_text import quietly, values
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import (
    LABELS,
    Answer,
    as_json,
    chat_prompt,
    chat_request,
    logprobs,
    refuses,
    says,
    text_request,
    writes_on,
)

Open = Callable[..., OpenAIBackend]
HUGE = 10**400
TOKENS = {"token": "A", "logprob": -0.1, "bytes": [65]}


def ask(backend: OpenAIBackend, **more: Any) -> Completion:
    [completion] = backend.judge([chat_request(**more)])
    return completion


def placed(whole: Any, value: Any) -> list[Any]:
    """Return the document with the value in each of its places, one after the other."""
    changed = [value]
    if isinstance(whole, dict):
        changed += [{**whole, name: one} for name, inner in whole.items() for one in placed(inner, value)]
    if isinstance(whole, list):
        for n, inner in enumerate(whole):
            changed += [[*whole[:n], one, *whole[n + 1 :]] for one in placed(inner, value)]
    return changed


CHAT = json.loads(says("A", logprobs({"A": 0.7, "B": 0.2})).body)
TEXT = json.loads(
    writes_on("A", {"tokens": ["A"], "token_logprobs": [-0.4], "top_logprobs": [{"A": -0.4, "B": -2}]}).body
)


@quietly
@given(values)
@example(HUGE)
@example(-HUGE)
@example(math.nan)
@example(math.inf)
@example(True)
@example(["length"])
@example({"length": 1})
def test_any_value_in_any_place_of_a_reply_is_a_reply_or_a_value_error(value: Any) -> None:
    for whole, api in ((CHAT, Api.CHAT), (TEXT, Api.COMPLETIONS)):
        for body in placed(whole, value):
            try:
                reply = read_reply(json.dumps(body).encode("utf-8", "surrogatepass"), api)
            except ValueError:
                continue
            check(reply)


def check(reply: Reply) -> None:
    assert reply.finish_reason in {"stop", "length", "content_filter"}
    assert all(0 <= n <= 10_000_000 for n in (reply.n_prompt_tokens, reply.n_completion_tokens))
    for token in reply.tokens:
        total = math.fsum(p for _, p in token.top)
        assert 0 <= total <= 1 + 1e-9 or not token.is_possible
        assert len({text for text, _ in token.top}) == len(token.top)
    assert json.dumps([reply.text, reply.finish_reason]).encode("utf-8")


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[" * 200_000, b'{"choices": ' + b"9" * 5000 + b"}", b"NaN"]
)
def test_any_bytes_are_a_value_error(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|choices"):
        read_reply(content, Api.CHAT)


def as_object(value: Any) -> Any:
    """Return JSON as clients make it, with attributes for names."""
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_object(inner) for name, inner in value.items()})
    return [as_object(one) for one in value] if isinstance(value, list) else value


@quietly
@given(values)
@example(5)
@example({})
@example({"a": 1})
def test_any_value_in_any_place_of_a_piece_is_a_piece_or_a_value_error(value: Any) -> None:
    chat = {"choices": [{"delta": {"content": "A"}, "finish_reason": None}]}
    text = {"choices": [{"text": "A", "finish_reason": "stop"}]}
    for whole, api in ((chat, Api.CHAT), (text, Api.COMPLETIONS)):
        for event in placed(whole, value):
            for made in (event, as_object(event)):
                try:
                    piece, ended = read_piece(made, api)
                except ValueError:
                    continue
                assert isinstance(piece, str)
                assert ended in {None, "stop", "length", "content_filter"}


@quietly
@given(values, st.integers(200, 599))
@example([{"loc": 5}], 400)
@example([{"loc": None}], 422)
@example([{"loc": {"body": "seed"}}], 400)
def test_any_complaint_is_words_and_names(value: Any, status: int) -> None:
    complaint = {
        "error": {"message": "no", "param": "seed"},
        "message": "no",
        "detail": [{"loc": ["a"], "msg": "b"}],
    }
    for body in placed(complaint, value):
        words, names = words_of(body), parameters_of(body)
        trouble = Trouble(
            message="", remedy=remedy_of(status, words), status=status, details=f"{words} {names}"
        )
        parameters = Parameters("m")
        parameters.adapt(trouble, parameters.body(CALL))


CALL = Call(asked=SimpleNamespace(api=Api.COMPLETIONS, text="Q"), max_tokens=3, wants_logprobs=True)  # type: ignore[arg-type]


@quietly
@given(
    st.text(max_size=40) | st.from_regex(r"\w{3}, \d+ \w{3} \d+ \d+:\d+:\d+ (GMT|[+-]\d+)", fullmatch=True)
)
@example("9" * 400)
@example("Mon, 01 Jan 99999999999999999999 00:00:00 GMT")
@example("Mon, 01 Jan 0001 00:00:00 +9999")
@example("Mon, 01 Jan 2030 00:00:00 -0000")
def test_any_wish_to_be_left_alone_is_a_wait_or_none(value: str) -> None:
    wait_s = retry_after_s({"retry-after": value})
    assert wait_s is None or wait_s >= 0


@pytest.mark.parametrize("value", [HUGE, True, 5, [], [[]], {}, "A", [{"loc": 5}], ["length"], "9" * 4000])
def test_replies_of_a_real_server_never_end_a_run(serve: Serve, backend: Open, value: Any) -> None:
    bodies = [*placed(CHAT, value), {**CHAT, "detail": value}, {"detail": value}, {"error": value}]
    for status in (200, 400, 500):
        endpoint = serve(*(as_json(body, status=status) for body in bodies))
        judge = backend(parallel=4)
        asked = [chat_request(item_id=f"q{i}") for i in range(12)]
        try:
            done = list(judge.judge(asked))
        except ModelError as error:
            assert "in a row had no reply" in str(error)  # noqa: PT017 - either is well
        else:
            assert len(done) == 12
        assert endpoint.seen


def streamed(*events: str) -> Answer:
    return Answer(body="".join(f"data: {one}\n\n" for one in events).encode(), kind="text/event-stream")


@pytest.mark.parametrize(
    "event",
    [
        '{"choices": 5}',
        '{"choices": {"0": "A"}}',
        '{"choices": [{"index": 0, "delta": {"content": {"a": 1}}, "finish_reason": null}]}',
        '{"choices": [{"index": 0, "delta": {"content": 5}}]}',
        '{"error": 5}',
        '{"error": {"message": ["no"]}}',
        '{"choices": [' + "9" * 5000 + "]}",
        "[" * 100_000,
        "not JSON",
    ],
)
def test_a_stream_of_something_else_breaks_off(serve: Serve, backend: Open, event: str) -> None:
    serve(streamed('{"choices": [{"index": 0, "delta": {"content": "Hm"}}]}', event))
    pieces = []
    with pytest.raises(ModelError) as refused:
        pieces.extend(backend().write(chat_prompt(begun=""), max_tokens=9))
    assert str(refused.value).endswith("broke off in the middle of the answer; ask again")
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


@pytest.mark.parametrize(
    "event", ["{}", "5", "null", '"A"', "[]", '{"choices": []}', '{"choices": [{"index": 0}]}']
)
def test_pieces_of_nothing_are_passed_over(serve: Serve, backend: Open, event: str) -> None:
    serve(
        streamed(event, '{"choices": [{"index": 0, "delta": {"content": "A"}, "finish_reason": ["stop"]}]}')
    )
    pieces = list(backend().write(chat_prompt(begun=""), max_tokens=9))
    assert "".join(piece.text for piece in pieces) == "A"
    assert pieces[-1].finish_reason == "stop"


@pytest.mark.parametrize("charset", ["hex", "zlib", "idna", "punycode", "rot13", "undefined", "no-such"])
def test_a_refusal_in_any_encoding_is_one(serve: Serve, backend: Open, charset: str) -> None:
    answer = refuses(401, "bad key")
    serve(Answer(body=answer.body, status=401, kind=f"application/json; charset={charset}"))
    with pytest.raises(ModelError, match=r"answered 401 \(bad key\); check OPENAI_API_KEY"):
        ask(backend())


@pytest.mark.parametrize("count", [-1, True, 1.5, "7", 10_000_001, HUGE, None, [7]])
def test_counts_that_cannot_be_are_not_counted(serve: Serve, backend: Open, count: Any) -> None:
    serve(as_json({**CHAT, "usage": {"prompt_tokens": count, "completion_tokens": 10_000_000}}))
    completion = ask(backend())
    assert (completion.n_prompt_tokens, completion.n_completion_tokens) == (0, 10_000_000)


def place(*tops: tuple[str, float]) -> dict[str, Any]:
    top = [{"token": token, "logprob": logprob} for token, logprob in tops]
    return {"content": [{**top[0], "top_logprobs": top}]}


def test_a_token_that_is_told_twice_counts_once(serve: Serve, backend: Open) -> None:
    serve(says("A", place(("A", -0.5), ("A", -0.5), ("B", -1.5), ("B", -2.5), ("A", -0.5))))
    distribution = ask(backend()).distribution
    assert distribution is not None
    assert distribution.p == pytest.approx({"A": 0.6065, "B": 0.2231, "tie": 0}, abs=1e-4)


@pytest.mark.parametrize(
    "tops",
    [
        [("A", -0.1), (" A", -0.1)],
        [("A", 0.5), ("B", -3.0)],
        [("A", -0.5), ("B", 1e300)],
        [("A", -0.01), ("B", -3.5)],
        [("A", -0.1), ("Z", HUGE)],
    ],
)
def test_what_adds_up_to_more_than_one_is_no_probability(
    serve: Serve, backend: Open, tops: list[tuple[str, float]]
) -> None:
    serve(says("A", place(*tops)))
    completion = ask(backend())
    assert (completion.text, completion.distribution, completion.error) == ("A", None, None)


@pytest.mark.parametrize("tops", [[("A", 0.004)], [("A", -0.11), ("B", -2.26)], [("A", 0.0), ("B", -9999.0)]])
def test_rounding_is_taken_away(serve: Serve, backend: Open, tops: list[tuple[str, float]]) -> None:
    serve(says("A", place(*tops)))
    distribution = ask(backend()).distribution
    assert distribution is not None
    assert 0.99 < distribution.mass <= 1 + 1e-12
    assert distribution.p["A"] >= 0.89


def test_impossible_probabilities_elsewhere_do_no_harm(serve: Serve, backend: Open) -> None:
    told = {"tokens": ["A", "\n"], "token_logprobs": [-0.5, 3], "top_logprobs": [{"A": -0.5}, {"\n": 3}]}
    serve(writes_on("A\n", told))
    [completion] = backend().judge([text_request(grammar=LABELS)])
    assert completion.distribution is not None


def test_a_token_of_any_length_is_shown_in_short(serve: Serve, backend: Open) -> None:
    serve(says("A", logprobs({"A": 0.1, "x" * 100_000: 0.9})))
    distribution = ask(backend()).distribution
    assert distribution is not None
    assert distribution.preferred == ("x" * 80, pytest.approx(0.9))


def test_remedies_are_told_apart() -> None:
    assert remedy_of(404, "") is Remedy.USER
    assert remedy_of(429, "insufficient_quota") is Remedy.USER
    assert [remedy_of(status, "") for status in (429, 503, 422)] == [
        Remedy.TRY_AGAIN,
        Remedy.TRY_AGAIN,
        Remedy.NEXT,
    ]
