"""Keeping credentials out of whatever is shown or kept, even where a server tells them."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

_HIDDEN = "[hidden]"
_MAX_READ, _MAX_MESSAGE = 10_000, 300
_SHORTEST = 4  # in a message; a shorter one would black out half of every sentence
_BEGINNING, _BEGINNING_IN_MESSAGE = 12, 8  # of a key, in characters
_SHORTEST_IN_TEXT, _LONGEST_WORD = 6, 15
_LONGEST_TOKEN = 4096  # of a bearer that is not ours; looking for longer ones takes too long in hostile texts
_ONE_WORD = re.compile(r"[^\W\d_]+|[\W\d_]+")  # or no letter at all
_PATTERNS = (
    (re.compile(r"\bsk-[^\s\"'<>,;)]+"), _HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',;]+"), rf"\1 {_HIDDEN}"),
    (re.compile(r"(?<=://)[^\s/@\"']+@"), ""),
    (re.compile(r"(https?://[^\s?#\"']+)\?[^\s\"']*"), r"\1"),
)
_ALLOWED = r"[A-Za-z0-9._~+/=-]"
# with a digit: the bearer of responsibilities is none
_BEARER = re.compile(rf"(?i)(bearer)\s+(?={_ALLOWED}*[0-9]){_ALLOWED}{{16,}}")
_BEGUN_BEARER = re.compile(rf"(?i)(?:bearer\s*{_ALLOWED}*|b(?:e(?:a(?:re?)?)?)?)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """A key, of which no beginning is told either, and other credentials. All may be empty.

    `telling` are those of them that can be nothing else, so that they are hidden in any text.
    """

    key: str = field(default="", repr=False)
    others: tuple[str, ...] = field(default=(), repr=False)
    telling: Secrets | None = field(default=None, repr=False)

    @classmethod
    def of(cls, key: str, others: Iterable[str]) -> Secrets:
        """Return secrets in every way in which they may be spelled."""
        spelled = {way for one in others for way in _spellings(one)} | set(_spellings(key)[1:])
        all_others = tuple(sorted(one for one in spelled if len(one) >= _SHORTEST))
        telling = cls(key=key if _is_telling(key) else "", others=tuple(filter(_is_telling, all_others)))
        return cls(key=key if len(key) >= _SHORTEST else "", others=all_others, telling=telling)

    def hide_in_message(self, text: str) -> str:
        """Return a text as one short line without anything that is or looks like a credential."""
        text = _hide(text, self, _BEGINNING_IN_MESSAGE)[:_MAX_READ]
        for pattern, instead in _PATTERNS:
            text = pattern.sub(instead, text)
        words = " ".join(text.split())
        shown = "".join(one if one.isprintable() else "\ufffd" for one in words[: _MAX_MESSAGE + 1])
        return shown if len(shown) <= _MAX_MESSAGE else f"{shown[:_MAX_MESSAGE]}..."

    def hide_in_text(self, text: str) -> str:
        """Return what a judge wrote without secrets, and otherwise as it is.

        Those that could as well be a word, a number or a date (`EMPTY`, `2024-10-21`) stay: hiding them would
        change what was written.
        """
        if len(text) < _SHORTEST_IN_TEXT:
            return text
        shown = _hide(text, self.telling, _BEGINNING) if self.telling else text
        return _BEARER.sub(rf"\1 {_HIDDEN}", shown)

    def safe_until(self, text: str) -> int:
        """Return the character up to which a text can be shown: what follows may turn out to be a secret."""
        begun = _BEGUN_BEARER.search(text, max(len(text) - _LONGEST_TOKEN, 0))
        at = begun.start() if begun else len(text)
        spans = [found.span() for found in _BEARER.finditer(text)]
        if self.telling is not None:
            secrets = (self.telling.key, *self.telling.others)
            at = min([at, *(len(text) - _n_begun(text, one) for one in secrets)])
            spans += _spans(text, self.telling, _BEGINNING)
        for start, end in sorted(spans, reverse=True):
            at = start if start < at < end else at
        return at


class PieceCleaner:
    """Hides secrets in a text that comes in pieces; what may turn out to be one is held back."""

    def __init__(self, secrets: Secrets) -> None:
        """Take the secrets."""
        self._secrets = secrets
        self._held = ""

    def more(self, text: str) -> str:
        """Take the next piece; return what can be shown."""
        self._held += text
        at = self._secrets.safe_until(self._held)
        shown, self._held = self._held[:at], self._held[at:]
        return self._secrets.hide_in_text(shown)

    def rest(self) -> str:
        """Return what was held back at the end."""
        held, self._held = self._held, ""
        return self._secrets.hide_in_text(held)


def _hide(text: str, secrets: Secrets, n_begun: int) -> str:
    shown, end = [], 0
    for start, stop in sorted(_spans(text, secrets, n_begun)):
        if start >= end:
            shown += [text[end:start], _HIDDEN]
        end = max(end, stop)
    return "".join([*shown, text[end:]])


def _spans(text: str, secrets: Secrets, n_begun: int) -> Iterator[tuple[int, int]]:
    """Yield where secrets stand in a text, and where so many of the key's first characters do."""
    for secret, n_least in [*((one, len(one)) for one in secrets.others), (secrets.key, n_begun)]:
        begin = secret[:n_least]
        at = text.find(begin) if begin else -1
        while at >= 0:
            yield at, at + _n_same(secret, text[at : at + len(secret)])
            at = text.find(begin, at + 1)


def _n_same(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    differing = (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))


def _n_begun(text: str, secret: str) -> int:
    """Return how many characters at a text's end are the first ones of a secret."""
    return next((n for n in range(min(len(secret), len(text)), 0, -1) if text.endswith(secret[:n])), 0)


def _is_telling(secret: str) -> bool:
    """Whether a secret can be nothing else, so that it may be hidden in any text."""
    if len(secret) < _SHORTEST_IN_TEXT:
        return False
    return len(secret) > _LONGEST_WORD or _ONE_WORD.fullmatch(secret) is None


def _spellings(secret: str) -> list[str]:
    basic = b64encode(secret.encode("utf-8", "replace")).decode() if ":" in secret else secret
    return [secret, secret.strip(), quote(secret, safe="", errors="replace"), unquote(secret), basic]
