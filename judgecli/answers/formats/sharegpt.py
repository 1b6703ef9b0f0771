"""ShareGPT rows: a conversation of `human` and `gpt`, of which the last answer is judged.

{"id": "s1", "conversations": [{"from": "human", "value": "2+2?"}, {"from": "gpt", "value": "4"}]}
"""

from typing import Any

from judgecli.answers.layout import ID_NAMES, MODEL_NAMES, REFERENCE_NAMES, Format, Holds, Role, Value
from judgecli.answers.turns import after_system

_CONVERSATIONS = "conversations"
_ROLES = {
    "human": "user",
    "gpt": "assistant",
    "chatgpt": "assistant",
    "bard": "assistant",
    "bing": "assistant",
    "model": "assistant",
}


def _claims(value: Value) -> bool:
    return isinstance(value.get(_CONVERSATIONS), list)


def _prepare(value: Value) -> Value:
    """Put the conversation in the terms of chat messages, where it is one, after a `system` beside it."""
    said = value.get(_CONVERSATIONS)
    if not isinstance(said, list) or not all(isinstance(one, dict) for one in said):
        return value
    messages = [_message(one) for one in said]
    return {**value, _CONVERSATIONS: after_system(value.get("system"), messages)}


def _message(said: dict[str, Any]) -> dict[str, Any]:
    if not {"from", "value"} <= said.keys():
        return said
    speaker = str(said["from"])
    return {**said, "role": _ROLES.get(speaker, speaker), "content": said["value"]}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        # what precedes an answer in another field, where the user names one
        Role.INSTRUCTION: (_CONVERSATIONS,),
        Role.RESPONSE: (_CONVERSATIONS,),
        Role.REFERENCE: REFERENCE_NAMES,
        Role.MODEL: MODEL_NAMES,
    },
    holds=Holds.MESSAGES,
    prepare=_prepare,
)
