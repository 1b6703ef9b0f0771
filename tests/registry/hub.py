"""A hub on loopback, with the endpoints that huggingface_hub calls, and the ways in which a hub says no.

Large files are answered as the real hub does: a redirect that carries the file's hash, size and commit,
to another host that knows nothing of tokens.
"""

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

COMMIT = "a1" * 20


@dataclass
class Repo:
    """A repository: its files at one commit, and who may read it."""

    files: dict[str, bytes]
    commit: str = COMMIT
    access: str = "public"  # or private, gated
    in_git: bool = False


@dataclass
class Seen:
    """A request that arrived."""

    method: str
    path: str
    token: str | None
    range: str | None
    sent_bytes: int = 0


@dataclass
class FakeHub:
    """What is served, how it misbehaves, and what was asked."""

    repos: dict[str, Repo] = field(default_factory=dict)
    readers: set[str] = field(default_factory=set)  # tokens that may read gated and private repositories
    tokens: set[str] = field(default_factory=set)  # tokens of accounts without such access
    cuts: list[int] = field(default_factory=list)  # one a download: close the connection after so many bytes
    statuses: list[int] = field(default_factory=list)  # one a download: answer with this status instead
    stated_sha256: dict[str, str] = field(default_factory=dict)  # path -> a hash that is not the file's
    ignores_range: bool = False
    seen: list[Seen] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def downloads(self) -> list[Seen]:
        """The requests for the bytes of a file, in order."""
        return [seen for seen in self.seen if seen.method == "GET" and seen.path.startswith("/cdn/")]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.respond()

    def do_GET(self) -> None:
        self.respond()

    def respond(self) -> None:
        path = unquote(urlsplit(self.path).path)
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ") or None
        self.seen = Seen(self.command, path, token, self.headers["Range"])
        self.hub.seen.append(self.seen)
        if path.startswith("/cdn/"):
            self.send_file(*path.removeprefix("/cdn/").split("//"))
        elif path.startswith("/api/models/"):
            repo, _, rest = path.removeprefix("/api/models/").partition("/tree/")
            if self.allowed(repo, token, rest):
                self.send_tree(self.hub.repos[repo])
        else:
            repo, _, rest = path.removeprefix("/").partition("/resolve/")
            if self.allowed(repo, token, rest.partition("/")[0]):
                self.send_description(repo, rest.partition("/")[2])

    def allowed(self, name: str, token: str | None, revision: str) -> bool:
        hub, repo = self.hub, self.hub.repos.get(name)
        if token and token not in hub.tokens | hub.readers:
            # A careless server: it repeats what it was sent.
            self.refuse(401, None, f"Invalid credentials in Authorization header: Bearer {token}")
        elif repo is None or (repo.access == "private" and token not in hub.readers):
            self.refuse(404 if token else 401, "RepoNotFound", f"Repository not found for {token}")
        elif repo.access == "gated" and token not in hub.readers:
            self.refuse(403 if token else 401, "GatedRepo", "Access to this model is restricted")
        elif revision not in {"main", repo.commit}:
            self.refuse(404, "RevisionNotFound", "Invalid rev id")
        else:
            return True
        return False

    def refuse(self, status: int, code: str | None, message: str) -> None:
        body = json.dumps({"error": message}).encode()
        headers = {"X-Error-Code": code} if code else {}
        self.answer(status, body, {**headers, "X-Error-Message": message, "Content-Type": "application/json"})

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(key, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_tree(self, repo: Repo) -> None:
        rows = [
            {"type": "file", "path": path, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
            for path, data in repo.files.items()
        ]
        self.answer(200, json.dumps(rows).encode(), {"Content-Type": "application/json"})

    def send_description(self, name: str, path: str) -> None:
        repo = self.hub.repos[name]
        data = repo.files.get(path)
        if data is None:
            self.refuse(404, "EntryNotFound", "Entry not found")
            return
        etag = hashlib.sha1(data).hexdigest() if repo.in_git else hashlib.sha256(data).hexdigest()
        headers = {
            "X-Repo-Commit": repo.commit,
            "X-Linked-Etag": f'"{self.hub.stated_sha256.get(path, etag)}"',
            "X-Linked-Size": str(len(data)),
            "Location": f"http://localhost:{self.hub.port}/cdn/{name}//{path}",
        }
        self.answer(302, b"", headers)

    def send_file(self, name: str, path: str) -> None:
        hub, data = self.hub, self.hub.repos[name].files[path]
        if hub.statuses and (status := hub.statuses.pop(0)) != 200:
            self.refuse(status, None, "not now")
            return
        begin = int(self.seen.range.removeprefix("bytes=").removesuffix("-")) if self.seen.range else 0
        begin = 0 if hub.ignores_range else begin
        headers = {"Content-Range": f"bytes {begin}-{len(data) - 1}/{len(data)}"} if begin else {}
        body = data[begin:]
        cut = hub.cuts.pop(0) if hub.cuts else len(body)
        self.answer(206 if begin else 200, b"", headers | {"Content-Length": str(len(body))})
        self.wfile.write(body[:cut])
        self.seen.sent_bytes = len(body[:cut])
        self.close_connection = cut < len(body)


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Empty caches in a folder of the test, and no token: neither home nor hub is touched."""
    from huggingface_hub import constants

    for name in (
        "HF_TOKEN",
        "HUGGING_FACE_HUB_TOKEN",
        "HF_HUB_OFFLINE",
        "HUGGINGFACE_HUB_CACHE",
        "HF_ENDPOINT",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hf cache ü"))
    monkeypatch.setenv("JUDGE_CACHE_DIR", str(tmp_path / "judge cache"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no token"))
    return tmp_path


@pytest.fixture
def hub(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running hub that HF_ENDPOINT points at."""
    from huggingface_hub.utils import close_session

    from judgecli.registry import transfer

    fake = FakeHub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": fake}))
    server.daemon_threads = True
    fake.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", fake.url)
    monkeypatch.setattr(transfer, "RETRY_WAIT_S", 0.0)
    yield fake
    close_session()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Forbid connections; the list holds the addresses that were tried all the same."""
    tried: list[object] = []

    def refuse(_: socket.socket, address: object) -> None:
        tried.append(address)
        raise OSError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    return tried
