"""OffsetBias's EvalBiasBench: pairs by the type of bias that the worse answer appeals to.

    {"length bias": [{"bias": "length bias", "instruction": "2+2?", "response1": "4",
                      "response2": "It is 5, for a great many reasons.", "label": 1}]}

The good answer always comes first, so seats are drawn. The type of bias is kept, to split by.
"""

from judgecli.answers.layout import ID_NAMES, Format, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "bias", "response1", "response2")


def _prepare(value: Value) -> Value:
    """Put the good answer first where a row says that it is the second."""
    if str(value.get("label")) != "2" or not has(value, "response1", "response2"):
        return value
    return {**value, "response1": value["response2"], "response2": value["response1"]}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: ("instruction",),
        Role.INPUT: ("input",),
        Role.RESPONSE_A: ("response1",),
        Role.RESPONSE_B: ("response2",),
        Role.REFERENCE: ("reference",),
    },
    prepare=_prepare,
    one_sided=True,
)
