"""Chat rows: the answer is the last message, the instruction what comes before it.

{"id": "q1", "messages": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}]}
"""

from judgecli.answers.layout import (
    FINISH_REASON_NAMES,
    ID_NAMES,
    MODEL_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Format,
    Role,
    Value,
    has,
)
from judgecli.answers.paths import look_up


def _claims(value: Value) -> bool:
    answered = look_up(value, "messages[-1].role") == "assistant"
    elsewhere = any(has(value, name) for name in RESPONSE_NAMES)
    return answered and not elsewhere and not isinstance(look_up(value, "messages[-1].content"), dict)


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: ("messages[:-1]",),
        Role.RESPONSE: ("messages[-1].content",),
        Role.REFERENCE: REFERENCE_NAMES,
        Role.MODEL: MODEL_NAMES,
        Role.FINISH_REASON: FINISH_REASON_NAMES,
    },
)
