"""Plain rows, whatever the usual names of their fields: what is read where no other format claims.

{"id": "q1", "question": "2+2?", "answer": "4"}
"""

from judgecli.answers.layout import (
    FINISH_REASON_NAMES,
    ID_NAMES,
    INSTRUCTION_NAMES,
    MODEL_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Format,
    Role,
    Value,
)


def _claims(_: Value) -> bool:
    return False


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: INSTRUCTION_NAMES,
        Role.INPUT: ("input",),
        Role.RESPONSE: RESPONSE_NAMES,
        Role.REFERENCE: REFERENCE_NAMES,
        Role.MODEL: MODEL_NAMES,
        Role.FINISH_REASON: FINISH_REASON_NAMES,
    },
)
