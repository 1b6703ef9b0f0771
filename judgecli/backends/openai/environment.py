"""Where the endpoint is and with which key it is asked, and how to keep the key out of every message."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit, urlunsplit

from judgecli.errors import ModelError

BASE_URL, API_KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
_DEFAULT_URL = "https://api.openai.com/v1"
_HIDDEN = "[hidden]"
_SHORTEST_SECRET = 4  # a shorter one would black out half of every sentence
_MAX_MESSAGE = 300
_PATTERNS = (
    (re.compile(r"\bsk-[^\s\"'<>,;)]+"), _HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;]+"), rf"\1 {_HIDDEN}"),
    (re.compile(r"(?<=://)[^\s/@\"']+@"), ""),
    (re.compile(r"(https?://[^\s?#\"']+)\?[^\s\"']*"), r"\1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint. `shown_url` has neither credentials nor a query."""

    url: str = field(repr=False)
    shown_url: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str = field(default="", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def redacted(self, text: str) -> str:
        """Return a text as one short line without anything that is or looks like a credential."""
        for secret in self.secrets:
            text = text.replace(secret, _HIDDEN)
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        words = " ".join(text.split())
        return words if len(words) <= _MAX_MESSAGE else f"{words[:_MAX_MESSAGE]}..."


def shown_url() -> str:
    """Return the endpoint's address without credentials and query.

    Raises:
        ModelError: OPENAI_BASE_URL is no address.
    """
    return _shown(_address())


def endpoint() -> Endpoint:
    """Return the endpoint that the environment names.

    Raises:
        ModelError: OPENAI_BASE_URL is no address, or there is no key for the default one.
    """
    address, key = _address(), os.environ.get(API_KEY, "").strip()
    if not key and not os.environ.get(BASE_URL, "").strip():
        message = f"{API_KEY} is not set, and {_shown(address)} needs a key"
        raise ModelError(f"{message}; set it, or name another endpoint with {BASE_URL}")
    if not (key.isascii() and key.isprintable()):
        raise ModelError(f"{API_KEY} has characters that no key has; set it anew")
    query = dict(parse_qsl(address.query, keep_blank_values=True))
    credentials = [address.username or "", address.password or ""]
    return Endpoint(
        url=urlunsplit(address._replace(query="", fragment="")),
        shown_url=_shown(address),
        query=query,
        key=key,
        secrets=_spellings([key, *credentials, *query.values()]),
    )


def _spellings(secrets: Iterable[str]) -> tuple[str, ...]:
    """Return secrets as they may be spelled, the longest first, so that no end of one is left."""
    spelled = {way for secret in secrets for way in (secret, quote(secret, safe=""), secret.strip())}
    return tuple(sorted((one for one in spelled if len(one) >= _SHORTEST_SECRET), key=len, reverse=True))


def _address() -> SplitResult:
    try:
        address = urlsplit(os.environ.get(BASE_URL, "").strip() or _DEFAULT_URL)
        is_address = address.scheme in {"http", "https"} and bool(address.hostname) and address.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ModelError(f"{BASE_URL} is no address; set it to one such as http://localhost:8000/v1")
    return address


def _shown(address: SplitResult) -> str:
    return urlunsplit((address.scheme, address.netloc.rpartition("@")[2], address.path, "", ""))
