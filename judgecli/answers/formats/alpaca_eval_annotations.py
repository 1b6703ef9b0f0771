"""AlpacaEval's `annotations.json`: both answers, and which of them an annotator, mostly a model, preferred.

[{"instruction": "2+2?", "output_1": "5", "generator_1": "base", "output_2": "4", "generator_2": "model-a",
  "annotator": "x", "preference": 2.0}]

A preference is 1 for the first, 2 for the second, between them where it is weighted; 0 and 1.5 are ties.
"""

from judgecli.answers.label_values import score_of
from judgecli.answers.layout import ID_NAMES, Format, Role, Value, has

_PREFERENCE = "preference"
_PREFERRED = "preference (as a winner)"
_TIES = (0.0, 1.5)


def _claims(value: Value) -> bool:
    return has(value, "output_1", "output_2", _PREFERENCE)


def _prepare(value: Value) -> Value:
    """Add who is preferred in words that other labels have; one that is null or no preference stays out."""
    written = value.get(_PREFERENCE)
    preference = score_of(str(written)) if isinstance(written, str) else None
    if preference is None or not (preference == 0 or 1 <= preference <= 2):
        return {**value, _PREFERRED: None if written is None else str(written)}
    winner = "tie" if preference in _TIES else "A" if preference < 1.5 else "B"
    return {**value, _PREFERRED: winner}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: ("instruction",),
        Role.INPUT: ("input",),
        Role.RESPONSE_A: ("output_1",),
        Role.RESPONSE_B: ("output_2",),
        Role.MODEL_A: ("generator_1",),
        Role.MODEL_B: ("generator_2",),
        Role.REFERENCE: ("reference",),
        Role.GOLD: (_PREFERRED,),
    },
    prepare=_prepare,
)
