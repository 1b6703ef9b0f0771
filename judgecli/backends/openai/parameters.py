"""The parameters of a call, and what is left out or renamed for a server that refuses one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from judgecli.backends.openai.messages import Api, Asked
from judgecli.backends.openai.trouble import Trouble

SEED = 0
TOP_LOGPROBS = 20  # the most that OpenAI's chat interface and vLLM give
_FEWER_LOGPROBS = 5  # the most that OpenAI's completions interface gives
_THINKING_TOKENS = 8192
_MAX_STOPS = 4
_DROPPED = ("temperature", "seed", "stop", "stream_options")
_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|too (large|long)|maximum.{0,20}tokens", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call that is wanted: greedy, up to `max_tokens`, to the first of the `stop` texts."""

    asked: Asked
    max_tokens: int
    stop: tuple[str, ...] = ()
    wants_logprobs: bool = False
    streams: bool = False


class Parameters:
    """Turns calls into what a server takes, and remembers for all threads what it refused."""

    def __init__(self, model: str) -> None:
        """Take the model's name; begin with everything that is wanted."""
        self._model = model
        self._lock = Lock()
        self._dropped: set[str] = set()
        self._max_tokens_name = "max_tokens"
        self._n_thinking = 0
        self.n_logprobs = TOP_LOGPROBS

    def body(self, call: Call) -> dict[str, Any]:
        """Return a call's parameters."""
        asked = call.asked
        body: dict[str, Any] = {"model": self._model, "temperature": 0, "seed": SEED}
        if asked.api is Api.CHAT:
            body["messages"] = list(asked.messages)
        else:
            body["prompt"] = asked.text
        if call.streams:
            body["stream"] = True
        # a server stops at blanks before the first word too, so those are looked for in the text only
        stop = [text for text in call.stop if text.strip()][:_MAX_STOPS]
        if stop:
            body["stop"] = stop
        with self._lock:
            name = self._max_tokens_name if asked.api is Api.CHAT else "max_tokens"
            body[name] = call.max_tokens + self._n_thinking
            if call.wants_logprobs and self.n_logprobs:
                body |= _logprobs(asked.api, self.n_logprobs)
            return {key: value for key, value in body.items() if key not in self._dropped}

    def adapt(self, trouble: Trouble, body: Mapping[str, Any]) -> bool:
        """Leave out or rename what a server complains about; return whether another try makes sense.

        Each parameter changes once, so there is an end. Several threads may hear the same complaint.
        """
        # the model's context is named together with max_tokens, which is not at fault
        if trouble.status not in {400, 422, 500, 501} or _TOO_LONG.search(trouble.details):
            return False
        with self._lock:
            if _names(trouble, "max_completion_tokens") and "max_tokens" in body and "messages" in body:
                self._max_tokens_name = "max_completion_tokens"
                return True
            if "logprobs" in body and _names(trouble, "logprobs", "top_logprobs"):
                self._ask_for_fewer(body)
                return True
            refused = {name for name in _DROPPED if name in body and _quotes(trouble, name)}
            self._dropped |= refused
            return bool(refused)

    def _ask_for_fewer(self, body: Mapping[str, Any]) -> None:
        n_asked = body.get("top_logprobs", body["logprobs"])
        fewer = _FEWER_LOGPROBS if n_asked > _FEWER_LOGPROBS else 0
        self.n_logprobs = min(self.n_logprobs, fewer)

    def allow_thinking(self, body: Mapping[str, Any], call: Call) -> bool:
        """Give a model that thinks before it replies the room for that; return whether that is new."""
        with self._lock:
            self._n_thinking = _THINKING_TOKENS
            budget = body.get("max_tokens", body.get("max_completion_tokens", 0))
            return bool(budget == call.max_tokens)


def _logprobs(api: Api, n: int) -> dict[str, Any]:
    return {"logprobs": True, "top_logprobs": n} if api is Api.CHAT else {"logprobs": n}


def _names(trouble: Trouble, *names: str) -> bool:
    return any(re.search(rf"\b{name}\b", trouble.details) for name in names)


def _quotes(trouble: Trouble, name: str) -> bool:
    """Whether a complaint names a parameter: `stop` and `seed` are words too, so in quotation marks."""
    return re.search(rf"[\"'`]{name}[\"'`]", trouble.details) is not None
