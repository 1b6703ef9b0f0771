"""AlpacaEval `model_outputs.json`: no ids, rows are joined by their instruction.

[{"instruction": "Name a prime below 5.", "output": "3", "generator": "model-a", "dataset": "made_up"}]
"""

from judgecli.answers.layout import Format, Role, Value, has


def _claims(value: Value) -> bool:
    return has(value, "instruction", "output", "generator") and not has(value, "id")


FORMAT = Format(
    claims=_claims,
    roles={
        Role.INSTRUCTION: ("instruction",),
        Role.INPUT: ("input",),
        Role.RESPONSE: ("output",),
        Role.MODEL: ("generator",),
        Role.REFERENCE: ("reference",),
    },
)
