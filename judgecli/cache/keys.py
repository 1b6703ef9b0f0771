"""What a completion is kept under: all that was asked, of what, and nothing else."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from judgecli.types import Grammar, ReadingRule, Request


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedJudge:
    """A judge as far as it decides what comes back. `settings` holds its weights, engine and sampling.

    `identity` is the SHA-256 of the weights, or the address of the endpoint; `name` is for people only.
    """

    name: str
    identity: str
    settings: tuple[tuple[str, Any], ...]


def completion_key(judge: AskedJudge, request: Request, rule: ReadingRule) -> bytes:
    """Return the SHA-256 over a judge and all of a request that changes the answer.

    `rule` matters where it says at which place of the written text the verdict's probabilities are read.
    """
    locating = None
    if request.locate is not None:
        locating = [rule.reader, rule.pattern, rule.begun, rule.own_words]
    asked = [
        judge.settings,
        request.prompt_hash,
        _described(request.grammar),
        request.place,
        request.n_reason_tokens,
        request.stop,
        request.conclusion,
        locating,
    ]
    return hashlib.sha256(json.dumps(asked, default=str).encode()).digest()


def _described(grammar: Grammar) -> list[Any]:
    # in the order in which labels are listed: it decides between equals
    fields = asdict(grammar) if is_dataclass(grammar) and not isinstance(grammar, type) else repr(grammar)
    return [type(grammar).__name__, fields]
