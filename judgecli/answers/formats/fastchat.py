"""The older FastChat answers: `text` is the answer, questions are in a file of their own.

LLaVA's answers are such rows, with the question beside the answer as `prompt`.

{"question_id": 1, "answer_id": "x1", "model_id": "model-a", "text": "Make a list."}
"""

from judgecli.answers.layout import QUESTION_NAMES, Format, Role, Value, has


def _claims(value: Value) -> bool:
    named = has(value, "answer_id") or has(value, "model_id")
    return named and has(value, "question_id", "text") and not has(value, "question_body")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id",),
        Role.INSTRUCTION: QUESTION_NAMES,
        Role.RESPONSE: ("text",),
        Role.MODEL: ("model_id",),
    },
    asked_apart=True,
)
