"""Endpoints on loopback: one that does as it is told, however badly, and requests to send to it."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from typing import Any

from judgecli.backends.openai.messages import TEMPLATE
from judgecli.backends.openai.pacing import Patience
from judgecli.errors import ModelError
from judgecli.prompts.chat_template import wrap_in_template
from judgecli.types import Completion, LabelsGrammar, Order, Piece, Prompt, Request, Seat

KEY = "sk-made-up-4f1d7a90c2"
QUICK = Patience(first_wait_s=0.01, longest_wait_s=0.02, n_tries=4, n_first_tries=3)
LABELS = LabelsGrammar(labels={"A": Seat.FIRST, "B": Seat.SECOND, "tie": Seat.TIE})
BEGUN = 'Between "A", "B" and "tie", I choose "'


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the endpoint does with one call.

    `cut` breaks the connection before the body's last bytes, `silent_s` waits before anything is sent.
    `goes_on` sends the body again and again, with waits of `every_s`; `interim` begins with that many bytes
    of a header, one every `every_s`.
    """

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int = 0
    silent_s: float = 0.0
    goes_on: bool = False
    interim: int = 0
    every_s: float = 0.0
    kind: str = "application/json"


def as_json(value: Any, **more: Any) -> Answer:
    return Answer(body=json.dumps(value).encode(), **more)


def says(text: str | None, logprobs: Any = None, *, finish_reason: str = "stop", **more: Any) -> Answer:
    """A chat's reply, as servers give it."""
    message = {"role": "assistant", "content": text, **more}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason, "logprobs": logprobs}
    return as_json({"choices": [choice], "usage": {"prompt_tokens": 40, "completion_tokens": 2}})


def writes_on(text: str, logprobs: Any = None, finish_reason: str = "length") -> Answer:
    """A completion's text."""
    choice = {"index": 0, "text": text, "finish_reason": finish_reason, "logprobs": logprobs}
    return as_json({"choices": [choice], "usage": {"prompt_tokens": 30, "completion_tokens": 4}})


def refuses(status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any) -> Answer:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}
    return as_json({"error": error}, status=status, headers=headers or {})


def streams(*texts: str, finish_reason: str | None = "stop", cut: int = 0) -> Answer:
    """A chat's reply in pieces; without a reason to finish it just stops coming."""
    deltas: list[tuple[str, str | None]] = [(text, None) for text in texts]
    if finish_reason:
        deltas.append(("", finish_reason))
    events = [
        {
            "object": "chat.completion.chunk",
            "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": why}],
        }
        for text, why in deltas
    ]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events] + (
        ["data: [DONE]\n\n"] if finish_reason else []
    )
    return Answer(body="".join(lines).encode(), kind="text/event-stream", cut=cut)


def logprobs(*places: Mapping[str, float]) -> dict[str, Any]:
    """A chat's token probabilities; the first token of each place is the written one."""
    rows = []
    for place in places:
        top = [{"token": token, "logprob": log(p), "bytes": None} for token, p in place.items()]
        rows.append({**top[0], "top_logprobs": top})
    return {"content": rows}


@dataclass(frozen=True)
class Seen:
    """A call as it arrived; the names of headers in small letters."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def last_message(self) -> str:
        return str(self.body["messages"][-1]["content"])


class Endpoint(ThreadingHTTPServer):
    """Answers the n-th call with what `plan` returns for it, and remembers what it was asked."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, plan: Callable[[int, dict[str, Any]], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.plan = plan
        self.seen: list[Seen] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_: object) -> None:
        """Say nothing about clients that gave up waiting."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            n = len(self.server.seen)
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.seen.append(Seen(self.path, headers, body))
        answer = self.server.plan(n, body)
        time.sleep(answer.silent_s)
        self.close_connection = bool(answer.cut or answer.goes_on)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        if not answer.goes_on:
            self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.interim:
            self.flush_headers()
            self._trickle(b"X-More: " + b"x" * answer.interim + b"\r\n", answer.every_s)
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) - answer.cut])
        while answer.goes_on:
            time.sleep(answer.every_s)
            self.wfile.write(answer.body)
        if answer.cut:
            self.wfile.flush()
            self.connection.close()

    def _trickle(self, content: bytes, every_s: float) -> None:
        for n in range(len(content)):
            time.sleep(every_s)
            self.wfile.write(content[n : n + 1])

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def serving(plan: Callable[[int, dict[str, Any]], Answer]) -> Iterator[Endpoint]:
    with Endpoint(plan) as endpoint:
        thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield endpoint
        endpoint.shutdown()


def chat_prompt(words: str = "Which is better?", *, system: str = "Judge.", begun: str = BEGUN) -> Prompt:
    return Prompt(pieces=wrap_in_template(TEMPLATE, system, [Piece(text=words)], begun))


def chat_request(
    words: str = "Which is better?", *, item_id: str = "q1", begun: str = BEGUN, **more: Any
) -> Request:
    more = {"grammar": LABELS, "order": Order.AB, **more}
    return Request.of(chat_prompt(words, begun=begun), item_id=item_id, **more)


def text_request(words: str = "Which is better?", **more: Any) -> Request:
    more = {"grammar": LABELS, "order": Order.AB, "item_id": "q1", **more}
    return Request.of(Prompt(pieces=(Piece(text=words),)), **more)


def until_refused(completions: Iterator[Completion]) -> tuple[list[Completion], str]:
    """Return what came back before the run was refused, and the sentence that says why."""
    done: list[Completion] = []
    try:
        for one in completions:
            done.append(one)  # noqa: PERF402 - what came before the error is kept
    except ModelError as error:
        return done, str(error)
    raise AssertionError(f"nothing was refused, {len(done)} came back")
