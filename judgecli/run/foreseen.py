"""What a judge behind an endpoint will be asked, known before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judgecli.run.execution import PreparedRun, open_requests
from judgecli.run.planning import PlannedRequest
from judgecli.types import VerdictPlace

_TOKENS_A_WORD = 4 / 3  # of English, words and signs counted; other languages and code take more
_VERDICT_TOKENS = 32  # that a verdict may take where it is asked for by itself
_PER_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """What asking a judge takes, if every call has a reply at once.

    `n_calls` and `n_words`, of the prompts, are None for a judge on this machine. `cost` is a rough guess, in
    the unit of the price, and rather high: as much is written as may be. None without a price.
    """

    judge: str
    n_judgments: int
    n_calls: int | None = None
    n_words: int | None = None
    cost: float | None = None


def is_endpoint(settings: object) -> bool:
    """Whether a header's part on the backend is of a judge behind an endpoint."""
    return isinstance(settings, dict) and settings.get("device") == "endpoint"


def foresee(run: PreparedRun, requests: Sequence[PlannedRequest]) -> Foreseen:
    """Return what asking the run's own judge these requests takes."""
    return _foreseen(run, run.header["model"]["name"], run.header["backend"], requests)


def foresee_escalation(run: PreparedRun) -> Foreseen | None:
    """Return what asking the stronger judge takes at most, if all is doubtful; None without one."""
    second = run.second
    if second is None:
        return None
    known = run.existing.judgments if run.existing else {}
    left = open_requests(second.plan.requests, known, retry=run.options.retry, judge=second.key)
    return _foreseen(run, second.name, run.header["escalation"]["backend"], left)


def _foreseen(run: PreparedRun, judge: str, settings: object, requests: Sequence[PlannedRequest]) -> Foreseen:
    if not is_endpoint(settings):
        return Foreseen(judge=judge, n_judgments=len(requests))
    return Foreseen(
        judge=judge,
        n_judgments=len(requests),
        n_calls=sum(_n_calls(one) for one in requests),
        n_words=sum(one.n_tokens for one in requests),
        cost=_cost(requests, run.options.engine.price),
    )


def _n_calls(one: PlannedRequest) -> int:
    """Return the calls of a request: reasons, and the verdict in a further turn, are two."""
    return 2 if one.request.place is VerdictPlace.LAST and one.request.conclusion else 1


def _cost(requests: Iterable[PlannedRequest], price: Sequence[float]) -> float | None:
    if len(price) != 2:
        return None
    n_read, n_written = 0.0, 0
    for one in requests:
        n_text, n_calls = one.request.n_reason_tokens, _n_calls(one)
        n_prompt = one.n_tokens * _TOKENS_A_WORD
        n_read += n_prompt if n_calls == 1 else 2 * n_prompt + n_text  # the reasons are sent again
        is_apart = one.request.place is VerdictPlace.FIRST or n_calls > 1
        n_written += n_text + (_VERDICT_TOKENS if is_apart else 0)
    return (n_read * price[0] + n_written * price[1]) / _PER_MILLION
