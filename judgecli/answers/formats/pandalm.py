"""PandaLM test sets: pairs with three human labels; some answers are the JSON literal `true`.

    [{"idx": 0, "cmp_key": "model-a_model-b", "instruction": "Add the numbers.", "input": "2 and 2",
      "response1": "4", "response2": "5", "annotator1": 1, "annotator2": 1, "annotator3": 0}]

Labels: 0 tie, 1 `response1`, 2 `response2`.
"""

from judgecli.answers.label_values import majority_of
from judgecli.answers.layout import GOLD_NAMES, Format, Role, Value, has

_LABELS = {"0": "tie", "1": "A", "2": "B"}
_ANNOTATORS = (("annotator1", "annotator2", "annotator3"), ("label_0", "label_1", "label_2"))
_MAJORITY = "majority of annotators"
_MODELS = ("cmp_key (first)", "cmp_key (second)")


def _claims(value: Value) -> bool:
    return has(value, "response1", "response2") and not has(value, "bias")


def _prepare(value: Value) -> Value:
    """Add the annotators' labels in the tool's own terms, their majority, and both models' names."""
    names = str(value.get("cmp_key", "")).split("_")
    models = dict(zip(_MODELS, names, strict=True)) if len(names) == 2 else {}
    labels = _labels(value)
    majority = majority_of(labels)
    gold = {_MAJORITY: majority} if majority else {}
    return {**value, **models, **gold, **({"annotators": labels} if labels else {})}


def _labels(value: Value) -> list[str]:
    for names in _ANNOTATORS:
        labels = [_LABELS.get(str(value.get(name))) for name in names]
        if None not in labels:
            return [label for label in labels if label is not None]
    return []


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("idx", "index", "id"),
        Role.INSTRUCTION: ("instruction",),
        Role.INPUT: ("input",),
        Role.RESPONSE_A: ("response1",),
        Role.RESPONSE_B: ("response2",),
        Role.MODEL_A: _MODELS[:1],
        Role.MODEL_B: _MODELS[1:],
        Role.REFERENCE: ("reference", "reference_response"),
        Role.GOLD: (_MAJORITY, *GOLD_NAMES),
    },
    prepare=_prepare,
)
