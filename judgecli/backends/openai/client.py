"""The `openai` client, asked once a call: retries, counts and sentences are this backend's own."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Callable, Generator, Mapping
from typing import Any

from judgecli.backends.openai.complaint import parameters_of, remedy_of, retry_after_s, words_of
from judgecli.backends.openai.environment import API_KEY, BASE_URL, Endpoint
from judgecli.backends.openai.http import EndlessError, RedirectError, open_http_client, within
from judgecli.backends.openai.messages import Api, well_formed
from judgecli.backends.openai.reply import Piece, Reply, read_piece, read_reply
from judgecli.backends.openai.secrecy import PieceCleaner
from judgecli.backends.openai.trouble import Remedy, Trouble
from judgecli.errors import ModelError

_INSTALL = "judges behind an endpoint need the openai package; run: pip install 'judgecli[openai]'"
_MAX_DETAILS = 500  # of an answer that is no JSON; one may quote the whole prompt
_LOGGERS = ("openai", "httpx", "httpcore", "httpx2", "httpcore2")


def check_installed() -> None:
    """Refuse to go on without the client.

    Raises:
        ModelError: it is not installed.
    """
    if importlib.util.find_spec("openai") is None:
        raise ModelError(_INSTALL)


def _quieten() -> None:
    """Keep OPENAI_LOG from writing addresses and, in older clients, prompts to stderr."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(max(logger.level, logging.WARNING))


class Client:
    """Makes single calls; what goes wrong comes back as a value."""

    def __init__(self, endpoint: Endpoint, model: str, *, timeout_s: float) -> None:
        """Open a client for an endpoint; nothing is sent yet.

        Raises:
            ModelError: the openai package is not installed, or the environment's proxy or certificates cannot
                be used.
        """
        check_installed()
        import openai  # noqa: PLC0415 - an extra, and half a second to import

        _quieten()
        self._headers = {} if endpoint.key else {"Authorization": openai.Omit()}
        self._openai = openai
        self._endpoint = endpoint
        self._model = model
        self._timeout_s = timeout_s
        self._client = openai.OpenAI(
            base_url=endpoint.url,
            api_key=endpoint.key or "none",
            default_query=dict(endpoint.query),
            http_client=open_http_client(openai, timeout_s),
            max_retries=0,
        )

    def ask(self, api: Api, body: Mapping[str, Any]) -> Reply | Trouble:
        """Make one call."""
        create = self._interface(api).with_raw_response.create
        content = self._made(lambda: create(**body, extra_headers=self._headers).content)
        if isinstance(content, Trouble):
            return content
        try:
            return read_reply(content, api, self._endpoint.secrets.hide_in_text)
        except ValueError as error:
            return self._passing(f"replied with {error}")

    def stream(self, api: Api, body: Mapping[str, Any]) -> Generator[Piece] | Trouble:
        """Begin a call that streams; the iterator yields pieces, with why the text ended in the last one."""
        create = self._interface(api).create
        events = self._made(lambda: create(**body, extra_headers=self._headers))
        return events if isinstance(events, Trouble) else self._pieces(api, events)

    def _made(self, call: Callable[[], Any]) -> Any:
        try:
            return within(self._timeout_s, call)
        except Exception as error:  # noqa: BLE001 - what clients raise of hostile replies is no fixed set
            return self._trouble(error)

    def _pieces(self, api: Api, events: Any) -> Generator[Piece]:
        """Yield what comes.

        Raises:
            ModelError: the stream breaks off, or is no stream of texts.
        """
        cleaner = PieceCleaner(self._endpoint.secrets)
        broken = "broke off in the middle of the answer"
        try:
            with events:
                for event in events:
                    text, ended = read_piece(event, api)
                    shown = cleaner.more(well_formed(text))
                    if ended is not None:
                        yield shown + cleaner.rest(), ended
                        return
                    yield shown, None
        except Exception as error:  # noqa: BLE001 - as above
            own = _own_error(error)
            broken = f"gave a reply that {own}" if isinstance(own, EndlessError) else broken
        yield cleaner.rest(), None
        # outside the handling of the client's exception, which holds the request
        raise ModelError(f"{self._passing(broken).message}; ask again")

    def _interface(self, api: Api) -> Any:
        return self._client.chat.completions if api is Api.CHAT else self._client.completions

    def _trouble(self, error: Exception) -> Trouble:
        openai, own = self._openai, _own_error(error)
        if isinstance(own, RedirectError):
            return self._redirect(own)
        if isinstance(own, EndlessError):
            return Trouble(message=f"{self._endpoint.shown_url} gave a reply that {own}", remedy=Remedy.LATER)
        if isinstance(error, openai.APIStatusError):
            return self._refusal(error)
        if isinstance(error, openai.APITimeoutError):
            return self._passing(f"did not answer within {self._timeout_s:g} s")
        if isinstance(error, openai.APIConnectionError):
            return self._passing(f"cannot be reached or broke off ({self._shown(error.__cause__ or error)})")
        return self._passing(f"cannot be asked ({self._shown(error)})")

    def _shown(self, error: BaseException) -> str:
        return self._endpoint.secrets.hide_in_message(str(error)) or type(error).__name__

    def _passing(self, what: str) -> Trouble:
        return Trouble(message=f"{self._endpoint.shown_url} {what}", remedy=Remedy.TRY_AGAIN)

    def _redirect(self, error: RedirectError) -> Trouble:
        place = self._endpoint.redirect(error.location) if error.location else "nowhere"
        message = f"{self._endpoint.shown_url} answered {error.status}, a redirect to {place}"
        way_out = f"none is followed, so set {BASE_URL} to where the endpoint is"
        return Trouble(message=f"{message}; {way_out}", remedy=Remedy.USER, status=error.status)

    def _refusal(self, error: Any) -> Trouble:
        status, body = error.status_code, error.response.text
        secrets, words = self._endpoint.secrets, words_of(error.body)
        said = secrets.hide_in_message(words or body)
        message = f"{self._endpoint.shown_url} answered {status}{f' ({said})' if said else ''}"
        remedy = remedy_of(status, body)
        if remedy is Remedy.USER:
            message += f"; {self._way_out(status)}"
        return Trouble(
            message=message,
            remedy=remedy,
            status=status,
            details=secrets.hide_in_text(f"{words or body[:_MAX_DETAILS]} {parameters_of(error.body)}"),
            retry_after_s=retry_after_s(error.response.headers),
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


def _own_error(error: Exception) -> BaseException | None:
    """Return an error of the HTTP client's bounds, which older clients wrap in their own."""
    both = (error, error.__cause__)
    return next((one for one in both if isinstance(one, RedirectError | EndlessError)), None)
