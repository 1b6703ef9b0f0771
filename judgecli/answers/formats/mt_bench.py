"""MT-bench answers (FastChat): questions are beside them or in a file of their own; an answer for each turn.

{"question_id": 81, "model_id": "model-a", "choices": [{"index": 0, "turns": ["First", "Second"]}]}
"""

from judgecli.answers.layout import QUESTION_NAMES, Format, Holds, Role, Value, has
from judgecli.answers.paths import look_up


def _claims(value: Value) -> bool:
    turns = look_up(value, "choices[0].turns")
    return isinstance(turns, list) and not has(value, "choices[0].turns[0].content")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id", "uid", "id"),
        Role.INSTRUCTION: QUESTION_NAMES,
        Role.RESPONSE: ("choices[0].turns",),
        Role.MODEL: ("model_id", "model"),
    },
    holds=Holds.TURNS,
    asked_apart=True,
)
