"""The HTTP client below the `openai` client: it follows no redirect and reads no reply without end."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from functools import partial
from threading import Thread
from typing import Any, TypeVar

from judgecli.errors import ModelError

LONGEST_REPLY = 16 * 2**20  # bytes, as sent and as unpacked
TIMES_SILENCE = 10  # how often the longest silence a whole reply may take
_CONNECT_S = 10.0
_DEADLINE = "judgecli.deadline_s"
# These unpack to a thousand times their size at most, a piece at a time; others, or one in another, to more.
_ENCODINGS = frozenset({"", "identity", "gzip", "deflate"})
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")

T = TypeVar("T")


class RedirectError(Exception):
    """A reply that points elsewhere."""

    def __init__(self, status: int, location: str) -> None:
        """Take the HTTP status and the Location header, "" without one."""
        super().__init__(status)
        self.status = status
        self.location = location


class EndlessError(Exception):
    """A reply that takes too long or is too large; the text says which."""


def open_http_client(openai: Any, timeout_s: float) -> Any:
    """Return the client on which the package `openai` is built, with proxies and certificates as set.

    Raises:
        ModelError: the environment names a proxy or certificates that cannot be used.
    """
    try:
        return openai.DefaultHttpxClient(
            follow_redirects=False,
            timeout=openai.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
            headers={"Accept-Encoding": "gzip, deflate"},
            event_hooks={"request": [partial(_begin, timeout_s)], "response": [partial(_check, timeout_s)]},
        )
    except ImportError:
        message = f"{_named(_PROXIES)}: a SOCKS proxy needs the socksio package; run: pip install socksio"
    except OSError:
        message = f"{_named(_CERTIFICATES)}: no certificates can be read there; correct or unset it"
    except Exception:  # noqa: BLE001 - a broken address is refused by errors of several kinds
        message = f"{_named(_PROXIES)}: no proxy can be used as named there; correct or unset it"
    # outside the handling of the error, which spells the proxy's password
    raise ModelError(message)


def _named(names: Iterable[str]) -> str:
    """Return those of the variables that are set; a system may have settings for proxies of its own too."""
    there = [one for name in names for one in (name, name.lower()) if os.environ.get(one)]
    return ", ".join(dict.fromkeys(there)) or "the system's settings"


def _begin(timeout_s: float, request: Any) -> None:
    request.extensions[_DEADLINE] = time.monotonic() + TIMES_SILENCE * timeout_s


def _check(timeout_s: float, response: Any) -> None:
    """Refuse a reply by its headers, or set bounds to its body.

    Raises:
        RedirectError: it points elsewhere.
        EndlessError: it is packed so that nobody knows its size.
    """
    if 300 <= response.status_code < 400:
        raise RedirectError(response.status_code, response.headers.get("location", ""))
    if response.headers.get("content-encoding", "").strip().lower() not in _ENCODINGS:
        raise EndlessError("is packed in a way that was not asked for")
    response.encoding = "utf-8"  # not what its headers say, which may be any of Python's codecs
    for name in ("iter_raw", "iter_bytes"):  # as sent, and as unpacked
        setattr(response, name, partial(_bounded, getattr(response, name), timeout_s, response))


def _bounded(
    read: Callable[..., Iterator[bytes]], timeout_s: float, response: Any, *args: Any
) -> Iterator[bytes]:
    """Yield a body as it comes.

    Raises:
        EndlessError: it takes too long or is too large.
    """
    n_bytes = 0
    for chunk in read(*args):
        n_bytes += len(chunk)
        if n_bytes > LONGEST_REPLY:
            raise EndlessError(f"is longer than {LONGEST_REPLY // 2**20} MB")
        if time.monotonic() > response.request.extensions[_DEADLINE]:
            raise EndlessError(_too_long(timeout_s))
        yield chunk


def _too_long(timeout_s: float) -> str:
    return f"took longer than {TIMES_SILENCE * timeout_s:g} s, {TIMES_SILENCE} times the longest silence"


def within(timeout_s: float, make: Callable[[], T]) -> T:
    """Return what a call gives, as long as it does so in time.

    The bounds of a body do not hold for what comes before it: headers that come byte by byte are no silence.

    Raises:
        EndlessError: it takes too long; a thread is left waiting for it.
    """
    future: Future[T] = Future()
    Thread(target=_fill, args=(future, make), daemon=True).start()
    try:
        return future.result(TIMES_SILENCE * timeout_s)
    except TimeoutError:
        if future.done():
            raise
    raise EndlessError(_too_long(timeout_s))


def _fill(future: Future[T], make: Callable[[], T]) -> None:
    try:
        future.set_result(make())
    except BaseException as error:  # noqa: BLE001 - it is raised again where the result is taken
        future.set_exception(error)
