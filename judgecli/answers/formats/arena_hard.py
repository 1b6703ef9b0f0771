"""Arena-Hard answers, current form: the assistant's `content` is an object, the user's a text.

{"uid": "u1", "model": "model-a", "messages": [{"role": "user", "content": "2+2?"},
 {"role": "assistant", "content": {"answer": "4"}}]}
"""

from judgecli.answers.layout import Format, Holds, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "messages[-1].content.answer")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("uid", "question_id"),
        # what precedes an answer in another field, where the user names one
        Role.INSTRUCTION: ("messages",),
        Role.RESPONSE: ("messages",),
        Role.MODEL: ("model", "model_id"),
    },
    holds=Holds.MESSAGES,
)
