"""Arena-Hard answers, first form: like MT-bench, but each turn is an object.

{"question_id": "u1", "model_id": "model-a", "choices": [{"index": 0, "turns": [{"content": "4"}]}]}
"""

from judgecli.answers.layout import QUESTION_NAMES, Format, Holds, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "choices[0].turns[0].content")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id", "uid"),
        Role.INSTRUCTION: QUESTION_NAMES,
        Role.RESPONSE: ("choices[0].turns",),
        Role.MODEL: ("model_id", "model"),
    },
    holds=Holds.TURNS,
    asked_apart=True,
)
