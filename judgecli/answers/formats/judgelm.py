"""JudgeLM answer files: the question travels with the answer.

{"question_id": 0, "question_body": "2+2?", "model": "model-a", "text": "4", "scores": {}}
"""

from judgecli.answers.layout import Format, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "question_body", "text") and not has(value, "answer1_body")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id",),
        Role.INSTRUCTION: ("question_body",),
        Role.RESPONSE: ("text",),
        Role.MODEL: ("model", "model_id"),
        Role.REFERENCE: ("reference",),
    },
)
