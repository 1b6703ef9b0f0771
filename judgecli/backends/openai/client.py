"""The `openai` client, asked once a call: retries, counts and sentences are this backend's own."""

from __future__ import annotations

import importlib.util
import logging
import math
import re
import sys
from collections.abc import Generator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from judgecli.backends.openai.environment import API_KEY, BASE_URL, Endpoint
from judgecli.backends.openai.messages import Api
from judgecli.backends.openai.reply import Reply, read_reply
from judgecli.backends.openai.trouble import Remedy, Trouble
from judgecli.errors import ModelError

_INSTALL = "judges behind an endpoint need the openai package; run: pip install 'judgecli[openai]'"
_CONNECT_S = 10.0
_MAX_DETAILS = 500  # of an answer that is no JSON; one may quote the whole prompt
# A request for which another moment may be a better one.
_PASSING = frozenset({408, 409, 425, 429})
_LOGGERS = ("openai", "httpx", "httpcore", "httpx2", "httpcore2")


Piece = tuple[str, str | None]  # of a text, with why it ended where it is the last


def check_installed() -> None:
    """Refuse to go on without the client.

    Raises:
        ModelError: it is not installed.
    """
    if importlib.util.find_spec("openai") is None:
        raise ModelError(_INSTALL)


class Client:
    """Makes single calls; what goes wrong comes back as a value."""

    def __init__(self, endpoint: Endpoint, model: str, *, timeout_s: float) -> None:
        """Open a client for an endpoint; nothing is sent yet.

        Raises:
            ModelError: the openai package is not installed.
        """
        check_installed()
        import openai  # noqa: PLC0415 - an extra, and half a second to import

        for (
            name
        ) in _LOGGERS:  # OPENAI_LOG would have addresses and, in older clients, prompts written to stderr
            logger = logging.getLogger(name)
            logger.setLevel(max(logger.level, logging.WARNING))
        self._headers = {} if endpoint.key else {"Authorization": openai.Omit()}
        self._openai = openai
        # clients before 3.0 let a stream's break come through as what they are built on raises it
        transport = sys.modules.get("httpx")
        self._errors = (
            openai.OpenAIError,
            ValueError,
            OSError,
            *((transport.HTTPError,) if transport else ()),
        )
        self._endpoint = endpoint
        self._model = model
        self._timeout_s = timeout_s
        self._client = openai.OpenAI(
            base_url=endpoint.url,
            api_key=endpoint.key or "none",
            default_query=dict(endpoint.query),
            timeout=openai.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S)),
            max_retries=0,
        )

    def ask(self, api: Api, body: Mapping[str, Any]) -> Reply | Trouble:
        """Make one call."""
        try:
            content = (
                self._interface(api).with_raw_response.create(**body, extra_headers=self._headers).content
            )
        except self._errors as error:
            return self._trouble(error)
        try:
            return read_reply(content, api)
        except ValueError as error:
            return self._passing(f"replied with {error}")

    def stream(self, api: Api, body: Mapping[str, Any]) -> Generator[Piece] | Trouble:
        """Begin a call that streams; the iterator yields pieces, with why the text ended in the last one."""
        try:
            return self._pieces(api, self._interface(api).create(**body, extra_headers=self._headers))
        except self._errors as error:
            return self._trouble(error)

    def _pieces(self, api: Api, events: Any) -> Generator[Piece]:
        """Yield what comes.

        Raises:
            ModelError: the stream breaks off.
        """
        broken = self._passing("broke off in the middle of the answer")
        with suppress(*self._errors, AttributeError), events:
            for event in events:
                for choice in (event.choices or ())[:1]:
                    text = choice.delta.content if api is Api.CHAT else choice.text
                    yield text or "", choice.finish_reason
                    if choice.finish_reason is not None:
                        return
        # outside the handling of the client's exception, which holds the request
        raise ModelError(f"{broken.message}; ask again")

    def _interface(self, api: Api) -> Any:
        return self._client.chat.completions if api is Api.CHAT else self._client.completions

    def _trouble(self, error: Exception) -> Trouble:
        openai = self._openai
        if isinstance(error, openai.APIStatusError):
            return self._refusal(error)
        if isinstance(error, openai.APITimeoutError):
            return self._passing(f"did not answer within {self._timeout_s:g} s")
        if isinstance(error, openai.APIConnectionError):
            cause = self._endpoint.redacted(str(error.__cause__ or error))
            return self._passing(f"cannot be reached or broke off ({cause})")
        return self._passing(f"cannot be asked ({self._endpoint.redacted(str(error))})")

    def _passing(self, what: str) -> Trouble:
        return Trouble(message=f"{self._endpoint.shown_url} {what}", remedy=Remedy.TRY_AGAIN)

    def _refusal(self, error: Any) -> Trouble:
        status, body = error.status_code, error.response.text
        said = self._endpoint.redacted(_complaint(error.body) or body)
        message = f"{self._endpoint.shown_url} answered {status}{f' ({said})' if said else ''}"
        remedy = _remedy(status, body)
        if remedy is Remedy.USER:
            message += f"; {self._way_out(status)}"
        return Trouble(
            message=message,
            remedy=remedy,
            status=status,
            details=f"{_complaint(error.body) or body[:_MAX_DETAILS]} {_parameters(error.body)}",
            retry_after_s=_retry_after_s(error.response.headers),
        )

    def _way_out(self, status: int) -> str:
        if status == 404:
            there = f"see which models {self._endpoint.shown_url}/models lists"
            return f"{there}, and that {BASE_URL} ends as its server wants it, mostly with /v1"
        if status in {401, 403}:
            return f"check {API_KEY}" if self._endpoint.key else f"set {API_KEY}"
        if status == 400:
            return f"check the model's name, {self._model!r}"
        return "its account has nothing left to spend"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _remedy(status: int, body: str) -> Remedy:
    is_unpaid = status == 402 or (status == 429 and "insufficient_quota" in body)
    if status in {401, 403, 404} or is_unpaid or (status == 400 and "model_not_found" in body):
        return Remedy.USER
    return Remedy.TRY_AGAIN if status in _PASSING or status >= 500 else Remedy.NEXT


def _complaint(body: object) -> str:
    """Return what a server says in words, whichever of the usual places it says it in."""
    if not isinstance(body, Mapping):
        return ""
    inner, detail = body.get("error"), body.get("detail")
    first = detail[0] if isinstance(detail, list) and detail else None
    said = (
        body.get("message"),
        inner.get("message") if isinstance(inner, Mapping) else inner,
        first.get("msg") if isinstance(first, Mapping) else detail,
    )
    return next((one for one in said if isinstance(one, str)), "")


def _parameters(body: object) -> str:
    """Return the names of the parameters that a server complains about, in quotation marks."""
    if not isinstance(body, Mapping):
        return ""
    inner, detail = body.get("error"), body.get("detail")
    names = [one.get("param") for one in (body, inner) if isinstance(one, Mapping)]
    for one in detail if isinstance(detail, list) else ():
        names += one.get("loc", ()) if isinstance(one, Mapping) else ()
    return " ".join(f"'{name}'" for name in names if isinstance(name, str))


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, given as a number or as a date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", value):
        return float(value)
    with suppress(ValueError, TypeError):
        seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    return None
