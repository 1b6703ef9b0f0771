"""Arena-Hard answers, current form: the assistant's `content` is an object, the user's a text.

{"uid": "u1", "model": "model-a", "messages": [{"role": "user", "content": "2+2?"},
 {"role": "assistant", "content": {"answer": "4"}}]}
"""

from judgecli.answers.layout import Format, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "messages[-1].content.answer")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("uid", "question_id"),
        Role.INSTRUCTION: ("messages[:-1]",),
        Role.RESPONSE: ("messages[-1].content.answer",),
        Role.MODEL: ("model", "model_id"),
    },
)
