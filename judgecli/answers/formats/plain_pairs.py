"""Plain rows that hold two answers: `answer_a`/`answer_b`, `output_1`/`output_2` and the like.

LLMBar rows (`label` 1 or 2) are among them.

    {"id": "q1", "question": "2+2?", "answer_a": "4", "answer_b": "5", "gold": "a"}
"""

from judgecli.answers.layout import (
    GOLD_NAMES,
    ID_NAMES,
    INSTRUCTION_NAMES,
    REFERENCE_NAMES,
    Format,
    Role,
    Roles,
    Value,
    has,
)

_NAMES_A = ("answer_a", "response_a", "output_a", "output_1", "answer_1", "response_1", "answer1")
_NAMES_B = ("answer_b", "response_b", "output_b", "output_2", "answer_2", "response_2", "answer2")


_MODELS_A = ("model_a", "model_1", "generator_1")
_MODELS_B = ("model_b", "model_2", "generator_2")


def _claims(value: Value) -> bool:
    if has(value, "output_1", "output_2", "preference"):  # AlpacaEval's
        return False
    return any(has(value, a, b) for a, b in zip(_NAMES_A, _NAMES_B, strict=True))


def _narrow(value: Value) -> Roles:
    """Keep to names of one family: of `answer_1`, `answer_2` and `answer_b` the last is no second answer."""
    return {
        **_of_one_family(value, (Role.RESPONSE_A, Role.RESPONSE_B), (_NAMES_A, _NAMES_B)),
        **_of_one_family(value, (Role.MODEL_A, Role.MODEL_B), (_MODELS_A, _MODELS_B)),
    }


def _of_one_family(value: Value, roles: tuple[Role, Role], names: tuple[tuple[str, ...], ...]) -> Roles:
    both = next((pair for pair in zip(*names, strict=True) if has(value, *pair)), None)
    return {} if both is None else {role: (name,) for role, name in zip(roles, both, strict=True)}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ID_NAMES,
        Role.INSTRUCTION: INSTRUCTION_NAMES,
        Role.INPUT: ("input",),
        Role.RESPONSE_A: _NAMES_A,
        Role.RESPONSE_B: _NAMES_B,
        Role.MODEL_A: _MODELS_A,
        Role.MODEL_B: _MODELS_B,
        # `gold` says who is better in a file of pairs
        Role.REFERENCE: tuple(name for name in REFERENCE_NAMES if name != "gold"),
        Role.GOLD: GOLD_NAMES,
    },
    narrow=_narrow,
)
