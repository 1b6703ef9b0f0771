"""Completions as JSON and back, every value checked: the file may have been written by anybody."""

from __future__ import annotations

import json
import math
from typing import Any

from judgecli.types import Completion, Distribution, Grammar, Request

_ROUNDING = 1e-6  # by how much a probability may exceed 1
_PLAIN = ("text", "finish_reason", "n_prompt_tokens", "n_completion_tokens")


def completion_text(completion: Completion) -> str:
    """Return what is kept of a completion: not how long it took, nor what its prompt was.

    Raises:
        ValueError: a probability is no number.
    """
    kept = {name: getattr(completion, name) for name in _PLAIN}
    distribution = completion.distribution
    if distribution is not None:
        kept["distribution"] = {
            "p": dict(distribution.p),
            "greedy": distribution.greedy,
            "p_unopened": distribution.p_unopened,
            "preferred": list(distribution.preferred),
        }
    return json.dumps(kept, allow_nan=False)


def read_completion_text(text: str, request: Request) -> Completion:
    """Return a kept completion as the answer to a request.

    Raises:
        ValueError: it is none, or speaks of verdicts that the request's grammar has not.
    """
    try:
        row = _checked(json.loads(text), dict)
        return Completion(
            request=request,
            distribution=_distribution(row.get("distribution"), request.grammar),
            cached=True,
            text=_checked(row["text"], str),
            finish_reason=_checked(row["finish_reason"], str),
            n_prompt_tokens=_count(row["n_prompt_tokens"]),
            n_completion_tokens=_count(row["n_completion_tokens"]),
        )
    except (LookupError, RecursionError) as error:
        raise ValueError(f"not a completion: {error}") from error


def _distribution(row: Any, grammar: Grammar) -> Distribution | None:
    if row is None:
        return None
    p = _checked(row, dict)["p"]
    text, p_text = _checked(row["preferred"], list)
    for verdict in (*_checked(p, dict), _checked(row["greedy"], str)):
        grammar.reading(verdict)
    return Distribution(
        p={verdict: _probability(value) for verdict, value in p.items()},
        greedy=row["greedy"],
        p_unopened=_probability(row["p_unopened"]),
        preferred=(_checked(text, str), _probability(p_text)),
    )


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{value!r:.40} is no {kind.__name__}")
    return value


def _count(value: Any) -> int:
    n: int = _checked(value, int)
    if n < 0:
        raise ValueError(f"{n} is no count")
    return n


def _probability(value: Any) -> float:
    if type(value) not in {int, float} or not (math.isfinite(value) and 0 <= value <= 1 + _ROUNDING):
        raise ValueError(f"{value!r:.40} is no probability")
    return float(value)
