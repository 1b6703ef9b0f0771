"""Proxies and certificates that the environment names wrongly are one sentence, without credentials."""

import os
import sys
from pathlib import Path

import pytest

from judgecli.backends.openai import open_backend
from judgecli.errors import ModelError
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import KEY, chat_request, says
from tests.conftest import Judge
from tests.judging import two_files

PASSWORD = "hunter2-made-up"
NOT_USABLE = "no proxy can be used as named there; correct or unset it"


@pytest.fixture(autouse=True)
def only_what_a_test_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


def refused() -> ModelError:
    with pytest.raises(ModelError) as error:
        open_backend(Path("m"))
    assert (error.value.__cause__, error.value.__context__) == (None, None)
    return error.value


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("HTTP_PROXY", f"http://me:{PASSWORD}@127.0.0.1:port"),
        ("ALL_PROXY", f"gopher://me:{PASSWORD}@127.0.0.1:1"),
        ("https_proxy", f"http://me:hunter2/{PASSWORD}@127.0.0.1:1"),
        ("HTTP_PROXY", "://"),
        ("HTTP_PROXY", "http://[::1"),
    ],
)
def test_a_broken_address_of_a_proxy(name: str, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, address)
    if os.name == "nt":  # names of variables have one case there
        name = name.upper()
    assert str(refused()) == f"{name}: {NOT_USABLE}"


def test_a_socks_proxy_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)
    monkeypatch.setenv("ALL_PROXY", f"socks5://me:{PASSWORD}@127.0.0.1:1")
    message = "a SOCKS proxy needs the socksio package; run: pip install socksio"
    assert str(refused()) == f"ALL_PROXY: {message}"


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_are_none(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "certificates.pem"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    assert str(refused()) == "SSL_CERT_FILE: no certificates can be read there; correct or unset it"


def test_a_command_ends_with_the_sentence_and_the_code_of_a_missing_judge(
    serve: Serve, judge_process: Judge, folder: Path
) -> None:
    endpoint = serve(says("A"))
    two_files(folder, ["Paris."], ["Rome."])
    command = ("pair", "a.jsonl", "b.jsonl", "--model", "openai:org/judge", "-v")
    done = judge_process(*command, HTTP_PROXY=f"gopher://me:{PASSWORD}@127.0.0.1:1")
    assert done.code == 4
    assert done.sentence == f"HTTP_PROXY: {NOT_USABLE}"
    assert PASSWORD not in done.out + done.err
    assert endpoint.seen == []


def test_a_proxy_that_tells_its_password_does_not_make_us_tell_it(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = serve(says(f"A\nvia me:{PASSWORD} for {KEY}"))
    monkeypatch.setenv("OPENAI_BASE_URL", "http://judge.example/v1")
    monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("http://", f"http://me:{PASSWORD}@"))
    with open_backend(Path("m")) as backend:
        [completion] = backend.judge([chat_request()])
    assert proxy.seen[0].path == "http://judge.example/v1/chat/completions"
    assert completion.text == "A\nvia [hidden] for [hidden]"
