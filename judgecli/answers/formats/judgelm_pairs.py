"""JudgeLM judge samples: one row holds both answers.

{"question_id": 0, "question_body": "2+2?", "answer1_body": "4", "answer2_body": "5",
 "answer1_model_id": "model-a", "answer2_model_id": "model-b"}
"""

from judgecli.answers.layout import Format, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "answer1_body", "answer2_body")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id",),
        Role.INSTRUCTION: ("question_body",),
        Role.RESPONSE_A: ("answer1_body",),
        Role.RESPONSE_B: ("answer2_body",),
        Role.MODEL_A: ("answer1_model_id",),
        Role.MODEL_B: ("answer2_model_id",),
        Role.REFERENCE: ("reference",),
    },
)
