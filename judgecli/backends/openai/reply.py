"""What an endpoint replied, read from its JSON: strict about what is needed, indifferent to all else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.backends.openai.messages import Api, well_formed

_THOUGHT = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token that was written, and the most probable ones at its place with their probabilities."""

    text: str
    top: tuple[tuple[str, float], ...]

    @property
    def p(self) -> float:
        """The probability of the written token, 0 where the server does not say."""
        return next((p for text, p in self.top if text == self.text), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A written text. `tokens` are its own, with what comes before and after; empty where none are given.

    `n_thought` is the beginning of it that is thinking, in characters; `only_thought` says that the budget
    ended before anything else. `n_prompt_tokens` and `n_completion_tokens` are what the endpoint counted.
    """

    text: str
    finish_reason: str = "stop"
    tokens: tuple[Token, ...] = ()
    n_thought: int = 0
    only_thought: bool = False
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0


def read_reply(content: bytes, api: Api) -> Reply:
    """Read the body of an endpoint's answer.

    Raises:
        ValueError: it is no JSON, or has no choice with a text.
    """
    try:
        body = json.loads(content.decode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("JSON that is nested too deeply") from error
    except ValueError as error:
        raise ValueError("no JSON") from error
    choice = _first_choice(body)
    text = _chat_text(choice) if api is Api.CHAT else choice.get("text")
    if not isinstance(text, str):
        raise ValueError("a choice without a text")  # noqa: TRY004 - a reply's fault, not a caller's
    usage = body.get("usage")
    ended = choice.get("finish_reason")
    thought = _THOUGHT.match(text)
    return Reply(
        text=well_formed(text),
        finish_reason=ended if ended in {"length", "content_filter"} else "stop",
        tokens=tuple(_tokens(choice.get("logprobs"))),
        n_thought=thought.end() if thought else 0,
        only_thought=ended == "length" and _only_thought(choice, text, usage),
        n_prompt_tokens=_count(usage, "prompt_tokens"),
        n_completion_tokens=_count(usage, "completion_tokens"),
    )


def _first_choice(body: Any) -> Mapping[str, Any]:
    choices = body.get("choices") if isinstance(body, Mapping) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ValueError("no choices")
    return choices[0]


def _chat_text(choice: Mapping[str, Any]) -> Any:
    message = choice.get("message")
    if not isinstance(message, Mapping):
        return None
    content = message.get("content")
    return (message.get("refusal") or "") if content is None else content


def _only_thought(choice: Mapping[str, Any], text: str, usage: Any) -> bool:
    """Whether a model that thinks before it replies did not come to its reply."""
    if text.lstrip().startswith("<think>"):
        return "</think>" not in text
    message = choice.get("message")
    names = ("reasoning_content", "reasoning")
    told = isinstance(message, Mapping) and any(message.get(name) for name in names)
    details = usage.get("completion_tokens_details") if isinstance(usage, Mapping) else None
    return not text.strip() and (told or _count(details, "reasoning_tokens") > 0)


def _count(counts: Any, name: str) -> int:
    value = counts.get(name) if isinstance(counts, Mapping) else None
    return value if isinstance(value, int) and value >= 0 else 0


def _tokens(logprobs: Any) -> Iterator[Token]:
    """Yield tokens from either interface's form; none where it is not as documented."""
    if not isinstance(logprobs, Mapping):
        return
    if isinstance(logprobs.get("content"), list):
        rows = [row for row in logprobs["content"] if isinstance(row, Mapping)]
        for row in rows:
            tops = row.get("top_logprobs")
            top = [(one.get("token"), one.get("logprob")) for one in tops or () if isinstance(one, Mapping)]
            yield _token(row.get("token"), row.get("logprob"), top)
        return
    texts, chosen, tops = (logprobs.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if isinstance(texts, list) and isinstance(chosen, list) and isinstance(tops, list):
        for text, logprob, top in zip(texts, chosen, tops, strict=False):
            yield _token(text, logprob, list(top.items()) if isinstance(top, Mapping) else [])


def _token(text: Any, logprob: Any, top: Sequence[tuple[Any, Any]]) -> Token:
    text = text if isinstance(text, str) else ""
    known = [(one, _p(value)) for one, value in top if isinstance(one, str)]
    if all(one != text for one, _ in known):
        known.append((text, _p(logprob)))
    return Token(text=text, top=tuple(known))


def _p(logprob: Any) -> float:
    """Return a probability; 0 for what is no number (servers write null or -9999 for the improbable)."""
    if not isinstance(logprob, int | float) or math.isnan(logprob):
        return 0.0
    return math.exp(min(logprob, 0.0))
