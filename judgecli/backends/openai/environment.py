"""Where the endpoint is and with which key it is asked, and how to keep the key out of every message."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies

from judgecli.backends.openai.secrecy import Secrets
from judgecli.errors import ModelError

BASE_URL, API_KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"
_DEFAULT_URL = "https://api.openai.com/v1"
_HEADERS = "OPENAI_CUSTOM_HEADERS"  # `Name: value`, one a line; the client sends them along
_SECRET_HEADER = re.compile(r"(?i)auth|cookie|credential|key|passw|secret|session|token")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint. `shown_url` has neither credentials nor a query."""

    url: str = field(repr=False)
    shown_url: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    key: str = field(default="", repr=False)
    secrets: Secrets = field(default=Secrets(), repr=False)

    def redirect(self, location: str) -> str:
        """Return where a redirect of the endpoint leads to, without credentials and query."""
        try:
            address = urlsplit(urljoin(self.url, location))
            place = _shown(address) if address.hostname else ""
        except ValueError:
            place = ""
        return self.secrets.hide_in_message(place) or "an address that is none"


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
    userinfo = address.netloc.rpartition("@")[0]
    others = [*_parts(userinfo), *query.values(), *_headers(), *_proxies()]
    return Endpoint(
        url=urlunsplit(address._replace(query="", fragment="")),
        shown_url=_shown(address),
        query=query,
        key=key,
        secrets=Secrets.of(key, others),
    )


def _parts(userinfo: str) -> list[str]:
    """Return a user's name and password, and both together."""
    name, _, password = userinfo.partition(":")
    return [userinfo, name, password]


def _headers() -> Iterator[str]:
    """Yield what those custom headers hold that are for credentials."""
    for line in os.environ.get(_HEADERS, "").split("\n"):
        name, _, value = line.partition(":")
        if _SECRET_HEADER.search(name):
            yield from (value.strip(), value.split()[-1] if value.strip() else "")


def _proxies() -> Iterator[str]:
    """Yield the credentials in the addresses of proxies, however broken those are."""
    for address in getproxies().values():
        before, _, _ = address.rpartition("@")
        yield from _parts(before.partition("://")[2] or before)


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
