"""JudgeLM judge samples: one row holds both answers, or more of them.

{"question_id": 0, "question_body": "2+2?", "answer1_body": "4", "answer2_body": "5",
 "answer1_model_id": "model-a", "answer2_model_id": "model-b"}

`samples.jsonl#answer3` reads the third answer of each row alone, so that a file of three can be ranked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from judgecli.answers.containers import Row
from judgecli.answers.layout import Format, Part, Role, Value, has
from judgecli.answers.sorting_out import chosen

_BODY = re.compile(r"(answer[0-9]+)_body")


def _claims(value: Value) -> bool:
    return has(value, "answer1_body", "answer2_body")


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    if choice is None:
        return [Part(rows=rows)]
    bodies = (match for name in rows[0].value if (match := _BODY.fullmatch(name)))
    name = chosen({match[1]: rows for match in bodies}, choice, "answer", rows[0].source.file)
    shared = {role: FORMAT.roles[role] for role in (Role.ID, Role.INSTRUCTION, Role.REFERENCE)}
    of_one = {Role.RESPONSE: (f"{name}_body",), Role.MODEL: (f"{name}_model_id",)}
    return [Part(rows=rows, layout=replace(FORMAT, roles={**shared, **of_one}, arrange=None))]


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("question_id",),
        Role.INSTRUCTION: ("question_body",),
        Role.RESPONSE_A: ("answer1_body",),
        Role.RESPONSE_B: ("answer2_body",),
        Role.MODEL_A: ("answer1_model_id",),
        Role.MODEL_B: ("answer2_model_id",),
        Role.REFERENCE: ("reference",),
    },
    arrange=_arrange,
)
