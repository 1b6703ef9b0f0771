"""A text that is shown while an endpoint writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from threading import Event

from judgecli.backends.openai.caller import Caller
from judgecli.backends.openai.messages import take_apart
from judgecli.backends.openai.parameters import Call
from judgecli.types import Prompt, WrittenPiece


def write(prompt: Prompt, caller: Caller, *, max_tokens: int, stop: Sequence[str]) -> Iterator[WrittenPiece]:
    """Yield an endpoint's answer to a prompt as it comes, and last how it ended.

    Raises:
        CallsSpentError: no call is left.
        ModelError: the endpoint cannot be asked, or breaks off in the middle.
    """
    call = Call(asked=take_apart(prompt), max_tokens=max_tokens, stop=tuple(stop), streams=True)
    shown, ended = StoppedText(stop), "length"
    with closing(caller.stream(call, Event())) as pieces:
        for text, finish_reason in pieces:
            more = shown.more(text)
            if more:
                yield WrittenPiece(text=more)
            if shown.has_stopped:
                break
            ended = finish_reason or ended
    rest = shown.rest()
    yield WrittenPiece(
        text=rest, finish_reason="length" if ended == "length" and not shown.has_stopped else "stop"
    )


class StoppedText:
    """A growing text up to the first stop text; what may turn out to begin one is held back."""

    def __init__(self, stop: Sequence[str]) -> None:
        """Take the texts before which it ends; blanks are none before its first word."""
        self._stop = tuple(stop)
        self._held = ""
        self._has_words = False
        self.has_stopped = False

    def more(self, text: str) -> str:
        """Take the next piece; return what can be shown."""
        self._held += text
        n_blank = 0 if self._has_words else len(self._held) - len(self._held.lstrip())
        found = (self._held.find(one, 0 if one.strip() else n_blank) for one in self._stop)
        at = min((place for place in found if place >= 0), default=None)
        if at is None:
            at = len(self._held) - max((_n_begun(self._held, one) for one in self._stop), default=0)
        else:
            self.has_stopped = True
        shown, self._held = self._held[:at], self._held[at:]
        self._has_words = self._has_words or bool(shown.strip())
        return shown

    def rest(self) -> str:
        """Return what was held back at the end."""
        return "" if self.has_stopped else self._held


def _n_begun(text: str, stop: str) -> int:
    lengths = range(min(len(stop) - 1, len(text)), 0, -1)
    return next((n for n in lengths if text.endswith(stop[:n])), 0)
