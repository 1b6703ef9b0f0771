"""Logs of OpenAI evals: a line that specifies the run, then events, of which `sampling` ones are answers.

{"run_id": "r", "event_id": 1, "sample_id": "sums.dev.0", "type": "sampling",
 "data": {"prompt": [{"role": "user", "content": "2+2?"}], "sampled": ["4"]}}

Where a sample was drawn several times (a model that grades draws too) the first is judged. What a `match`
event expected is the reference.
"""

from __future__ import annotations

from collections.abc import Sequence

from judgecli.answers.containers import Row
from judgecli.answers.layout import Format, Part, Role, Value, has
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import grouped, nothing_to_choose, one_set, several_said, text_at
from judgecli.answers.texts import alternatives
from judgecli.answers.wording import counted
from judgecli.errors import DataError

_ID = "sample_id"
_EXPECTED = "data.expected"
_SAMPLED = "data.sampled"
_MODEL = "spec.completion_fns[0]"


def _claims(value: Value) -> bool:
    return list(value) == ["spec"] or has(value, "run_id", "event_id", "type")


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    if choice is not None:
        raise nothing_to_choose(file, one_set("openai-evals"), choice)
    drawn = grouped(
        (row for row in rows if row.value.get("type") == "sampling"), lambda row: text_at(row, _ID)
    )
    if not drawn:
        raise DataError(f"{file}: an OpenAI evals log without sampling events, which hold the answers")
    model = next((row.value for row in rows if has(row.value, _MODEL)), {})
    expected = {text_at(row, _ID): look_up(row.value, _EXPECTED) for row in rows if has(row.value, _EXPECTED)}
    firsts = [_with(events[0], expected, look_up(model, _MODEL)) for events in drawn.values()]
    n_more = sum(len(events) > 1 for events in drawn.values())
    more = f"{file}: {counted(n_more, 'sample')} drawn more than once; the first answer to each is judged"
    n_several = sum(has(row.value, f"{_SAMPLED}[1]") for row in firsts)
    several = several_said(file, n_several, f"{_SAMPLED}[0]")
    return [Part(rows=firsts, notes=(*((more,) if n_more else ()), *several))]


def _with(row: Row, expected: Value, model: object) -> Row:
    """Return an event with what is said of its sample and of the run elsewhere."""
    reference = expected.get(text_at(row, _ID), MISSING)
    added = {_EXPECTED: alternatives(reference), _MODEL: model}
    value = {**row.value, **{name: one for name, one in added.items() if one is not MISSING}}
    return Row(value, row.source, row.index, row.repaired)


def _prepare(value: Value) -> Value:
    """Put the first of several texts that were drawn at once."""
    sampled = look_up(value, _SAMPLED)
    return {**value, _SAMPLED: sampled[0]} if isinstance(sampled, list) and sampled else value


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: (_ID,),
        Role.INSTRUCTION: ("data.prompt",),
        Role.RESPONSE: (_SAMPLED,),
        Role.REFERENCE: (_EXPECTED,),
        Role.MODEL: (_MODEL, "data.model"),
    },
    prepare=_prepare,
    arrange=_arrange,
)
