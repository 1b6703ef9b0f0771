"""Where the endpoint is and its key come from the environment; the key goes nowhere but to the endpoint."""

import logging
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from judgecli.backends.openai import OpenAIBackend, describe, open_backend, open_tokenizer
from judgecli.backends.openai.environment import endpoint
from judgecli.errors import ModelError
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import KEY, Answer, chat_request, refuses, says
from tests.conftest import Judge
from tests.judging import two_files

Open = Callable[..., OpenAIBackend]
PASSWORD, TOKEN = "hunter2-made-up", "tok-77aa-made-up"
SECRETS = (KEY, PASSWORD, TOKEN)


def refused_by(url: str, key: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(ModelError) as refused:
        open_backend(Path("m"))
    return str(refused.value)


def test_the_default_endpoint_needs_a_key() -> None:
    with pytest.raises(ModelError) as refused:
        open_backend(Path("m"))
    assert str(refused.value) == (
        "OPENAI_API_KEY is not set, and https://api.openai.com/v1 needs a key; "
        "set it, or name another endpoint with OPENAI_BASE_URL"
    )
    assert describe(path=Path("m"))["base_url"] == "https://api.openai.com/v1"


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://host:port/v1", "v1"])
def test_an_address_must_be_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "OPENAI_BASE_URL is no address; set it to one such as http://localhost:8000/v1"
    assert refused_by(url, "", monkeypatch) == sentence


@pytest.mark.parametrize("key", [f"{KEY}\nX-Other: 1", "schlüssel", "a\x07b"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert refused_by("http://localhost:1/v1", key, monkeypatch) == (
        "OPENAI_API_KEY has characters that no key has; set it anew"
    )


def test_the_key_is_sent_as_a_bearers(serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = serve(says("A"))
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")  # as `cat` gives it
    list(backend().judge([chat_request()]))
    assert endpoint.seen[0].headers["authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent(serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = serve(says("A"))
    monkeypatch.delenv("OPENAI_API_KEY")
    [completion] = backend().judge([chat_request()])
    assert completion.text == "A"
    assert "authorization" not in endpoint.seen[0].headers


def test_an_address_may_have_credentials_and_a_query(
    serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = serve(says("A"))
    host = endpoint.url.removeprefix("http://")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://judge:{PASSWORD}@{host}?token={TOKEN}&version=2")
    monkeypatch.delenv("OPENAI_API_KEY")
    judge = backend()
    [completion] = judge.judge([chat_request()])
    assert completion.text == "A"
    assert endpoint.seen[0].path == f"/v1/chat/completions?token={TOKEN}&version=2"
    assert endpoint.seen[0].headers["authorization"].startswith("Basic ")
    assert judge.settings["base_url"] == endpoint.url


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        "Incorrect API key provided: sk-made****90c2.",
        f"header Authorization: Bearer {KEY}",
        "see https://user:pass@host/path?key=abcdef for more",
    ],
)
def test_what_looks_like_a_credential_is_hidden(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shown = endpoint().secrets.hide_in_message(text)
    assert not any(part in shown for part in ("made", "90c2", "pass", "abcdef", "user"))


def test_a_secret_is_hidden_before_a_text_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "plain-key-" + "x" * 200
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert "plain-key" not in endpoint().secrets.hide_in_message("." * 280 + key)
    assert key not in repr(endpoint())


@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_a_server_that_tells_the_key_does_not_make_us_tell_it(
    serve: Serve,
    backend: Open,
    status: int,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_LOG", "debug")
    server = serve(refuses(status, f"the key {KEY} and the token {TOKEN} are wrong", {"X-Key": KEY}))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}?token={TOKEN}")
    with caplog.at_level(logging.DEBUG):
        said = told(backend())
    said += caplog.text + repr(backend().settings)
    assert "[hidden]" in said
    assert not any(secret in said for secret in SECRETS)


def told(judge: OpenAIBackend) -> str:
    """Return all that a run says, down to the errors behind its errors."""
    try:
        return repr(list(judge.judge([chat_request(item_id=f"q{i}") for i in range(9)])))
    except ModelError as error:
        behind = (error.__cause__, error.__context__)
        return "".join(traceback.format_exception(error)) + "".join(map(repr, behind))


@pytest.mark.parametrize(
    "answer",
    [
        refuses(401, f"no such key: {KEY}"),
        refuses(500, f"while using {KEY}"),
        refuses(400, f"{KEY} cannot do that"),
        Answer(body=KEY.encode(), kind="text/plain"),
        says("A"),
    ],
)
def test_no_command_leaves_the_key_anywhere(
    serve: Serve, judge_process: Judge, folder: Path, answer: Answer
) -> None:
    serve(answer)
    two_files(folder, ["Paris."], ["Rome."])
    done = judge_process(
        "pair", "a.jsonl", "b.jsonl", "--model", "openai:org/judge", "-v", OPENAI_LOG="debug"
    )
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    everything = written + done.out.encode() + done.err.encode()
    assert len(written) > 500
    assert KEY.encode() not in everything
    assert "Traceback" not in done.err


def test_without_the_client_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    for opening in (lambda: open_tokenizer(Path("m")).__enter__(), lambda: open_backend(Path("m"))):
        with pytest.raises(ModelError, match=r"pip install 'judgecli\[openai\]'"):
            opening()
