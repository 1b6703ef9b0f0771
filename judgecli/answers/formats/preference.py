"""Preference sets: `chosen` and `rejected`, as texts or as lists of messages, with or without a prompt.

    {"prompt": "2+2?", "chosen": "4", "rejected": "5"}

The preferred answer always comes first, so seats are drawn. Without a prompt it is what both begin with.
Where it ends with `Assistant:`, the blank after that is no part of the answers.
"""

import re
from collections.abc import Sequence
from typing import Any

from judgecli.answers.layout import GOLD_NAMES, ID_NAMES, REFERENCE_NAMES, Format, Role, Value, has
from judgecli.answers.texts import is_conversation
from judgecli.answers.turns import after_system

_PROMPT_NAMES = ("prompt", "question", "instruction", "query", "input")
_SPEAKER_AT_END = re.compile(r"\b(Assistant|Human):\Z")
_LAST_SPEAKER = re.compile(r".*\bAssistant:", re.DOTALL)


def _claims(value: Value) -> bool:
    return has(value, "chosen", "rejected")


def _prepare(value: Value) -> Value:
    """Split the prompt off both answers where the row has none of its own."""
    if not has(value, "chosen", "rejected"):
        return value  # the missing one is named where its field is looked for
    chosen, rejected = value["chosen"], value["rejected"]
    own = [value[name] for name in _PROMPT_NAMES if name in value]
    if own:
        return _without_blanks(value, own[0])
    if isinstance(chosen, str) and isinstance(rejected, str):
        n = _n_prompt_characters(chosen[: _n_alike(chosen, rejected)])
        prompt: Any = chosen[:n].strip()
    elif isinstance(chosen, list) and isinstance(rejected, list):
        n = _n_alike(chosen[:-1], rejected[:-1])  # the last message is the answer, even where both agree
        prompt = chosen[:n]
    else:
        return value
    split = {**value, "prompt": prompt, "chosen": chosen[n:], "rejected": rejected[n:]}
    return _without_blanks(split, prompt)


def _with_system(value: Value) -> Value:
    """Put a `system` beside prompt and answers before what the user says, wherever that stands."""
    prepared = _prepare(value)
    asking = [name for name in _PROMPT_NAMES if name in prepared][:1]
    whole = [name for name in ("chosen", "rejected") if _asks(prepared.get(name))]
    system = prepared.get("system")
    return {**prepared, **{name: after_system(system, prepared[name]) for name in (*asking, *whole)}}


def _asks(answer: Any) -> bool:
    return is_conversation(answer) and answer[0]["role"] != "assistant"


def _without_blanks(value: Value, prompt: Any) -> Value:
    """Take the one blank off both answers that stands between them and the prompt's last `Assistant:`."""
    if not isinstance(prompt, str) or not _SPEAKER_AT_END.search(prompt):
        return value
    both = {name: value[name] for name in ("chosen", "rejected") if isinstance(value[name], str)}
    return {**value, **{name: answer.removeprefix(" ") for name, answer in both.items()}}


def _n_alike(chosen: Sequence[Any], rejected: Sequence[Any]) -> int:
    """Return how many characters, or messages, both begin with."""
    alike = (n for n, (x, y) in enumerate(zip(chosen, rejected, strict=False)) if x != y)
    return next(alike, min(len(chosen), len(rejected)))


def _n_prompt_characters(prefix: str) -> int:
    """Cut where the last speaker's turn begins, else after the last whole line: answers may begin alike."""
    speaker = _LAST_SPEAKER.match(prefix)
    return speaker.end() if speaker else prefix.rfind("\n") + 1


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("prompt_id", *ID_NAMES),
        Role.INSTRUCTION: _PROMPT_NAMES,
        Role.INPUT: ("input",),
        Role.RESPONSE_A: ("chosen",),
        Role.RESPONSE_B: ("rejected",),
        Role.MODEL_A: ("chosen_model", "chosen-model"),
        Role.MODEL_B: ("rejected_model", "rejected-model"),
        Role.REFERENCE: tuple(name for name in REFERENCE_NAMES if name not in GOLD_NAMES),
    },
    prepare=_with_system,
    one_sided=True,
)
