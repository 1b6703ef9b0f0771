"""Chatbot Arena battles: two conversations in a row, and who won.

{"question_id": "q1", "model_a": "m1", "model_b": "m2", "winner": "model_a", "turn": 1,
 "conversation_a": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "4"}],
 "conversation_b": [{"role": "user", "content": "2+2?"}, {"role": "assistant", "content": "5"}]}
"""

from judgecli.answers.layout import GOLD_NAMES, ID_NAMES, Format, Holds, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "conversation_a", "conversation_b")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id", *ID_NAMES),
        # what precedes an answer in another field, where the user names one
        Role.INSTRUCTION: ("conversation_a",),
        Role.RESPONSE_A: ("conversation_a",),
        Role.RESPONSE_B: ("conversation_b",),
        Role.MODEL_A: ("model_a",),
        Role.MODEL_B: ("model_b",),
        Role.GOLD: ("winner", *(name for name in GOLD_NAMES if name != "winner")),
    },
    holds=Holds.MESSAGES,
)
