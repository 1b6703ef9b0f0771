"""No redirect is followed: prompts, keys and headers go to the endpoint that the user named, or nowhere."""

from collections.abc import Callable

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.errors import ModelError
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import KEY, Answer, chat_prompt, chat_request, says, serving

Open = Callable[..., OpenAIBackend]


def points_to(location: str | None, status: int = 307) -> Answer:
    return Answer(body=b"moved", status=status, headers={} if location is None else {"Location": location})


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_another_host_gets_nothing(
    serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Token: gate-9931-made-up")
    with serving(lambda _n, _body: says("A")) as elsewhere:
        host = elsewhere.url.removeprefix("http://")
        endpoint = serve(points_to(f"http://me:hunter2@{host}/chat/completions?sig=s3cret#x", status))
        with pytest.raises(ModelError) as refused:
            list(backend(parallel=1).judge([chat_request(item_id=f"q{i}") for i in range(9)]))
        assert elsewhere.seen == []
    assert len(endpoint.seen) == 1
    assert str(refused.value) == (
        f"{endpoint.url} answered {status}, a redirect to http://{host}/chat/completions; "
        "none is followed, so set OPENAI_BASE_URL to where the endpoint is"
    )


def test_a_stream_is_not_redirected_either(serve: Serve, backend: Open) -> None:
    with serving(lambda _n, _body: says("A")) as elsewhere:
        serve(points_to(elsewhere.url))
        with pytest.raises(ModelError, match="answered 307, a redirect to http"):
            list(backend().write(chat_prompt(), max_tokens=9))
        assert elsewhere.seen == []


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("/v1/other", "http://127.0.0.1:{port}/v1/other"),
        ("//other.example/v1?a=b", "http://other.example/v1"),
        (f"https://other.example/{KEY}/v1", "https://other.example/[hidden]/v1"),
        ("javascript:alert(1)", "an address that is none"),
        ("http://[::1", "an address that is none"),
        ("http://host:99999999/\x7f", "http://host:99999999/\ufffd"),
        ("", "nowhere"),
        (None, "nowhere"),
    ],
)
def test_where_it_leads_is_said_without_secrets(
    serve: Serve, backend: Open, location: str | None, shown: str
) -> None:
    endpoint = serve(points_to(location, 302))
    with pytest.raises(ModelError) as refused:
        list(backend().judge([chat_request()]))
    words = f"answered 302, a redirect to {shown.format(port=endpoint.server_port)}; none is followed"
    assert words in str(refused.value)
    assert len(endpoint.seen) == 1
