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


def _claims(value: Value) -> bool:
    spoken = has(value, "messages[-1].role", "messages[-1].content")
    elsewhere = any(has(value, name) for name in RESPONSE_NAMES)
    return spoken and not elsewhere and not isinstance(look_up(value, "messages[-1].content"), dict)


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
)
