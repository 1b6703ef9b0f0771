"""A request to the judge, and the one or two calls that answer it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from judgecli.backends.openai.caller import Caller
from judgecli.backends.openai.distribution import (
    FirstVerdict,
    distribution_at,
    first_verdict,
    label_at,
)
from judgecli.backends.openai.messages import Api, Asked, take_apart
from judgecli.backends.openai.parameters import Call
from judgecli.backends.openai.reply import Reply
from judgecli.errors import CallsSpentError
from judgecli.types import Completion, Distribution, Grammar, LabelsGrammar, Request, VerdictPlace

VERDICT_TOKENS = 32  # "Assistant 1: 8.5" and the like for two, on two lines, takes up to 20


@dataclass(slots=True)
class _Answer:
    """What is known of an answer so far, and what it cost."""

    request: Request
    started_s: float = field(default_factory=time.perf_counter)
    n_calls: int = 0
    n_prompt_tokens: int = 0
    n_completion_tokens: int = 0

    def finished(
        self,
        text: str,
        finish_reason: str,
        *,
        distribution: Distribution | None = None,
        error: str | None = None,
    ) -> Completion:
        return Completion(
            request=self.request,
            text=text,
            distribution=distribution,
            finish_reason=finish_reason,
            n_prompt_tokens=self.n_prompt_tokens,
            n_completion_tokens=self.n_completion_tokens,
            elapsed_s=time.perf_counter() - self.started_s,
            n_calls=self.n_calls,
            error=error,
        )


def answer(request: Request, caller: Caller, halted: Event) -> Completion:
    """Ask the endpoint about one request.

    Raises:
        CallsSpentError: not even its first call is allowed any more.
        ModelError: no call can succeed.
        HaltedError: the run ends meanwhile.
    """
    so_far, asked = _Answer(request), take_apart(request.prompt)
    is_first = request.place is VerdictPlace.FIRST
    if request.place is not VerdictPlace.LAST:
        asked = asked.for_verdict(is_alone=not (is_first and request.n_reason_tokens))
    n_tokens = request.n_reason_tokens + (VERDICT_TOKENS if is_first else 0)
    wants_logprobs = request.place is not VerdictPlace.IN_TEXT and not request.conclusion
    reply = _ask(so_far, asked, n_tokens, caller, halted, wants_logprobs=wants_logprobs)
    if isinstance(reply, str):
        return so_far.finished("", "error", error=reply)
    text, finish_reason = cut_at_stop(reply, request.stop)
    if request.place is VerdictPlace.LAST:
        if request.conclusion:
            return _concluded(so_far, asked, text, finish_reason, caller, halted)
        return so_far.finished(text, finish_reason, distribution=_last_distribution(reply, text, request))
    found = _found(asked, reply, text, request.grammar)
    distribution = _distribution(reply, found, request.grammar)
    return so_far.finished(found.text, finish_reason, distribution=distribution)


def _ask(
    so_far: _Answer, asked: Asked, max_tokens: int, caller: Caller, halted: Event, *, wants_logprobs: bool
) -> Reply | str:
    """Make a call and count it; return the reply, or why there is none."""
    request = so_far.request
    is_labelled = isinstance(request.grammar, LabelsGrammar)
    call = Call(
        asked=asked,
        max_tokens=max_tokens,
        stop=request.stop,
        wants_logprobs=wants_logprobs and is_labelled,
    )
    outcome = caller.ask(call, halted)
    so_far.n_calls += outcome.n_calls
    if outcome.reply is None:
        return outcome.error or "the endpoint gave no reply"
    so_far.n_prompt_tokens += outcome.reply.n_prompt_tokens
    so_far.n_completion_tokens += outcome.reply.n_completion_tokens
    return outcome.reply


def _concluded(
    so_far: _Answer, asked: Asked, reasons: str, reasons_ended: str, caller: Caller, halted: Event
) -> Completion:
    """Ask for the verdict after the reasons: with a further call that begins it."""
    request = so_far.request
    reasons = reasons.strip() if asked.api is Api.CHAT else reasons
    question = asked.concluded(reasons, request.conclusion)
    try:
        reply = _ask(so_far, question, VERDICT_TOKENS, caller, halted, wants_logprobs=True)
    except CallsSpentError as error:
        return so_far.finished(reasons, "error", error=str(error))
    if isinstance(reply, str):
        return so_far.finished(reasons, "error", error=reply)
    found = _found(question, reply, reply.text, request.grammar)
    distribution = _distribution(reply, found, request.grammar)
    line, goes_on, _ = found.text.lstrip().partition("\n")
    if found.label is not None:
        line, goes_on = found.label.strip(), "\n"
    elif question.api is Api.CHAT and not found.is_verdict:
        # `A. It is right` does not complete the sentence, and must not be read as if it did
        line = f"\n{line}"
    ended = reasons_ended if distribution is not None else "stop" if goes_on else reply.finish_reason
    return so_far.finished(reasons + request.conclusion + line, ended, distribution=distribution)


def _found(asked: Asked, reply: Reply, text: str, grammar: Grammar) -> FirstVerdict:
    """Return the verdict that a reply begins with; a text that goes on from a prompt stays as it is."""
    if asked.api is Api.CHAT:
        return first_verdict(text, grammar, begun=asked.begun, start=reply.n_thought)
    return replace(first_verdict(text, grammar, goes_on=True), text=text)


def _distribution(reply: Reply, found: FirstVerdict, grammar: Grammar) -> Distribution | None:
    if found.label is None or not isinstance(grammar, LabelsGrammar):
        return None
    return distribution_at(reply.text, reply.tokens, found.at, found.label, grammar)


def _last_distribution(reply: Reply, text: str, request: Request) -> Distribution | None:
    at = request.locate(text) if request.locate is not None else None
    if at is None or not isinstance(request.grammar, LabelsGrammar):
        return None
    label = label_at(text, at, request.grammar)
    return None if label is None else distribution_at(reply.text, reply.tokens, at, label, request.grammar)


def cut_at_stop(reply: Reply, stop: Sequence[str]) -> tuple[str, str]:
    """Return a reply's text before the first stop text, and why it ends; blanks before words are no stop."""
    text = reply.text
    n_blank = len(text) - len(text.lstrip())
    found = (text.find(one, 0 if one.strip() else n_blank) for one in stop)
    at = min((place for place in found if place >= 0), default=None)
    return (text, reply.finish_reason) if at is None else (text[:at], "stop")
