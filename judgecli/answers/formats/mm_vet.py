"""MM-Vet rows with the right answer beside the model's; JudgeLM's multimodal samples are such rows.

{"question_id": 0, "imagename": "v1_0.png", "question": "What is x?", "answer": "-1<AND>-5",
 "capability": ["ocr", "math"], "answer1_body": "x = -1"}

`answer` is the reference, not the answer to judge; its `<AND>` and `<OR>` stay as they are.
"""

from judgecli.answers.layout import ID_NAMES, MODEL_NAMES, RESPONSE_NAMES, Format, Role, Value, has

_ANSWERS = ("answer1_body", *(name for name in RESPONSE_NAMES if name != "answer"))
_OF_MM_VET = ("imagename", "capability")


def _claims(value: Value) -> bool:
    asked = has(value, "question", "answer", *_OF_MM_VET) and not has(value, "answer2_body")
    return asked and any(has(value, name) for name in _ANSWERS)


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: ("question",),
        Role.RESPONSE: _ANSWERS,
        Role.REFERENCE: ("answer",),
        Role.MODEL: ("answer1_model_id", *MODEL_NAMES),
    },
)
