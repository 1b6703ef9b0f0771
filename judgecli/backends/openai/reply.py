"""What an endpoint replied, read from its JSON: strict about what is needed, indifferent to all else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from judgecli.backends.openai.messages import Api, well_formed

Piece = tuple[str, str | None]  # of a text, with why it ended where it is the last
_MAX_TOKENS = 10_000_000  # no reply has more, whatever its server counted
_ROUNDING = 0.01  # servers may round log-probabilities to two decimals
_THOUGHT = re.compile(r"\s*<think>.*?</think>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token that was written, and the most probable ones at its place with their probabilities.

    Each stands there once. `is_possible` is False where they add up to more than 1, so that they are none.
    """

    text: str
    top: tuple[tuple[str, float], ...]
    is_possible: bool = True

    @classmethod
    def of(cls, text: str, p: Mapping[str, float]) -> Token:
        """Return a token with the probabilities of its place; what rounding adds to 1 is taken away again."""
        total = math.fsum(p.values())
        is_possible = total <= 1 + _ROUNDING
        scale = 1 / total if is_possible and total > 1 else 1.0
        return cls(
            text=text, top=tuple((one, scale * p_one) for one, p_one in p.items()), is_possible=is_possible
        )

    @property
    def p(self) -> float:
        """The probability of the written token, 0 where the server does not say."""
        return next((p for text, p in self.top if text == self.text), 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A written text. `tokens` are its own, with what comes before and after; empty where none are given.

    `n_thought` is the beginning of it that is thinking, in characters; `only_thought` says that the budget
    ended before anything else. `n_prompt_tokens` and `n_completion_tokens` are what the endpoint counted,
    0 where it does not say or counted what cannot be.
    """

    text: str
    finish_reason: str = "stop"
    tokens: tuple[Token, ...] = ()
    n_thought: int = 0
    only_thought: bool = False
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0


def read_reply(content: bytes, api: Api, clean: Callable[[str], str] = str) -> Reply:
    """Read the body of an endpoint's answer; `clean` takes out of its texts what is not to be kept.

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
    text, usage = clean(well_formed(text)), body.get("usage")
    ended = choice.get("finish_reason")
    thought = _THOUGHT.match(text)
    return Reply(
        text=text,
        finish_reason=_reason(ended),
        tokens=tuple(_tokens(choice.get("logprobs"), clean)),
        n_thought=thought.end() if thought else 0,
        only_thought=ended == "length" and _only_thought(choice, text, usage),
        n_prompt_tokens=_count(usage, "prompt_tokens"),
        n_completion_tokens=_count(usage, "completion_tokens"),
    )


def read_piece(event: Any, api: Api) -> Piece:
    """Read a piece of a text that a client has made of what came; most have no reason why the text ended.

    Raises:
        ValueError: it is no piece of a text.
    """
    choices = getattr(event, "choices", None) or ()
    if not isinstance(choices, list | tuple):
        raise ValueError("no choices")  # noqa: TRY004 - a reply's fault, not a caller's
    choice = choices[0] if choices else None
    text = getattr(getattr(choice, "delta", None), "content", None) if api is Api.CHAT else None
    text = getattr(choice, "text", None) if api is Api.COMPLETIONS else text
    if not isinstance(text, str | None):
        raise ValueError("a choice without a text")  # noqa: TRY004
    ended = getattr(choice, "finish_reason", None)
    return text or "", _reason(ended) if ended else None


def _reason(ended: Any) -> str:
    return ended if ended in ("length", "content_filter") else "stop"


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
    return value if type(value) is int and 0 <= value <= _MAX_TOKENS else 0


def _tokens(logprobs: Any, clean: Callable[[str], str]) -> Iterator[Token]:
    """Yield tokens from either interface's form; none where it is not as documented."""
    for text, logprob, top in _rows(logprobs):
        p: dict[str, float] = {}
        for spelled, value in top:
            if isinstance(spelled, str):
                one = clean(well_formed(spelled))
                p[one] = max(_p(value), p.get(one, 0.0))
        written = clean(well_formed(text)) if isinstance(text, str) else ""
        yield Token.of(written, {written: _p(logprob), **p})


def _rows(logprobs: Any) -> Iterator[tuple[Any, Any, Iterable[tuple[Any, Any]]]]:
    """Yield each place's written token, its logarithmic probability, and the same of the most probable."""
    if not isinstance(logprobs, Mapping):
        return
    if isinstance(logprobs.get("content"), list):
        for row in logprobs["content"]:
            if isinstance(row, Mapping):
                tops = row.get("top_logprobs")
                top = [one for one in tops if isinstance(one, Mapping)] if isinstance(tops, list) else []
                pairs = ((one.get("token"), one.get("logprob")) for one in top)
                yield row.get("token"), row.get("logprob"), pairs
        return
    texts, chosen, tops = (logprobs.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if isinstance(texts, list) and isinstance(chosen, list) and isinstance(tops, list):
        for text, logprob, top in zip(texts, chosen, tops, strict=False):
            yield text, logprob, top.items() if isinstance(top, Mapping) else ()


def _p(logprob: Any) -> float:
    """Return a probability; 0 for what is no number (servers write null or -9999 for the improbable).

    Infinite for what is the logarithm of none.
    """
    if type(logprob) not in {int, float} or (type(logprob) is float and math.isnan(logprob)):
        return 0.0
    if logprob > 0:
        return 1.0 if logprob <= _ROUNDING else math.inf
    return math.exp(max(logprob, -1000))
