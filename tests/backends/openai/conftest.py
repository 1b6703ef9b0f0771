"""Endpoints for tests: made-up ones, and llama-cpp-python's own server with the demo weights."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.types import EngineOptions
from tests.backends.openai.endpoints import KEY, QUICK, Answer, Endpoint, serving
from tests.places import demo_weights

Serve = Callable[..., Endpoint]
_NAMES = tuple(
    f"OPENAI_{name}" for name in ("API_KEY", "BASE_URL", "CUSTOM_HEADERS", "LOG", "ORG_ID", "PROJECT_ID")
)
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(autouse=True)
def no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*_NAMES, *_PROXIES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Start an endpoint that gives these answers one after the other, the last one for ever after.

    A function of the call's number and body gives them too. The environment then names it, with a key.
    """
    with ExitStack() as stack:

        def start(*answers: Answer | Callable[[int, dict[str, Any]], Answer]) -> Endpoint:
            def plan(n: int, body: dict[str, Any]) -> Answer:
                answer = answers[min(n, len(answers) - 1)]
                return answer if isinstance(answer, Answer) else answer(n, body)

            endpoint = stack.enter_context(serving(plan))
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            return endpoint

        yield start


@pytest.fixture
def backend() -> Iterator[Callable[..., OpenAIBackend]]:
    """Open the backend for the endpoint that the environment names, with little patience."""
    with ExitStack() as stack:

        def open_one(model: str = "org/judge", **engine: Any) -> OpenAIBackend:
            options = EngineOptions(**{"timeout_s": 5, **engine})
            return stack.enter_context(OpenAIBackend(Path(model), engine=options, patience=QUICK))

        yield open_one


@pytest.fixture(scope="session")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of llama-cpp-python's own server with the demo weights, which tells probabilities."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("fastapi")
    weights, port = demo_weights(), _free_port()
    starter = Path(__file__).with_name("start_llama_server.py")
    options = ["--n_ctx", "4096", "--logits_all", "true", "--n_threads", "1", "--n_threads_batch", "1"]
    command = [
        sys.executable,
        str(starter),
        "--model",
        str(weights),
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen([*command, *options], stdout=stream, stderr=subprocess.STDOUT)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(port, process, log)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            pytest.fail(f"the server ended: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("the server does not answer")
