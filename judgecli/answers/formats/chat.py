"""Chat rows: the last message is the answer, what comes before it the conversation it belongs to.

{"id": "q1", "messages": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]}
"""

from judgecli.answers.layout import (
    FINISH_REASON_NAMES,
    ID_NAMES,
    MODEL_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Format,
    Holds,
    Role,
    Value,
    has,
)
from judgecli.answers.paths import look_up
from judgecli.answers.texts import is_conversation
from judgecli.answers.turns import after_system


def _claims(value: Value) -> bool:
    spoken = is_conversation([look_up(value, "messages[-1]")])
    elsewhere = any(has(value, name) for name in RESPONSE_NAMES)
    return spoken and not elsewhere and not isinstance(look_up(value, "messages[-1].content"), dict)


def _prepare(value: Value) -> Value:
    """Put a `system` beside the messages before them, where there are any."""
    if "messages" not in value:
        return value
    return {**value, "messages": after_system(value.get("system"), value.get("messages"))}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        # what precedes an answer in another field, where the user names one
        Role.INSTRUCTION: ("messages",),
        Role.RESPONSE: ("messages",),
        Role.REFERENCE: REFERENCE_NAMES,
        Role.MODEL: MODEL_NAMES,
        Role.FINISH_REASON: FINISH_REASON_NAMES,
    },
    holds=Holds.MESSAGES,
    prepare=_prepare,
)
