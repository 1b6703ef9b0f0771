"""promptfoo results (`-o results.json`): one object with an answer for each test, provider and prompt.

{"results": {"version": 3, "results": [{"testIdx": 0, "vars": {"question": "2+2?"}, "prompt": {"label": "p"},
 "provider": {"id": "model-a"}, "response": {"output": "4"}}]}}

`results.json#model-a` chooses by provider or by the prompt's label; `results.json#model-a#p` by both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.files import CHOICE
from judgecli.answers.layout import INSTRUCTION_NAMES, REFERENCE_NAMES, Format, Part, Role, Roles, Value
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import failures_said, grouped, message_of, text_at, without_failures
from judgecli.answers.texts import UnreadableValueError, json_text
from judgecli.answers.wording import listed, shown
from judgecli.errors import DataError

_RESULTS = "results.results"
_OUTPUT = "response.output"
_PROVIDER = "provider.id"
_COLUMN = "provider and prompt"
_QUESTIONS = tuple(f"vars.{name}" for name in INSTRUCTION_NAMES if name != "messages")
_RENDERED = "prompt.raw"


@dataclass(frozen=True, slots=True)
class _Column:
    """What a set of answers was given by: a provider with one of the prompts."""

    provider: str
    prompt: str


def _claims(value: Value) -> bool:
    return isinstance(look_up(value, _RESULTS), list)


def _unfold(value: Value) -> list[Value]:
    rows = look_up(value, _RESULTS)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableValueError(f"{_RESULTS} is not a list of objects, as it is in promptfoo's results")
    return rows


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    names = _names(dict.fromkeys(map(_column, rows)))
    columns = grouped(rows, lambda row: names[_column(row)])
    wanted = list(columns) if choice is None else [_chosen(names, rows, choice, file)]
    has_several = len(names) > 1
    return [_part(file, columns[name], name if has_several else None) for name in wanted]


def _part(file: str, rows: Sequence[Row], name: str | None) -> Part:
    kept, failed, reasons = without_failures(rows, "testIdx", _failure)
    where = file if name is None else f"{file}{CHOICE}{name}"
    named = [_with_column(row, name) for row in kept]
    notes = failures_said(where, len(rows), reasons, "test")
    return Part(rows=named, name=name, failed=tuple(failed), notes=notes)


def _with_column(row: Row, name: str | None) -> Row:
    """Return a row that names its model as its part is called, where prompts tell parts apart too."""
    if name is None or name == text_at(row, _PROVIDER):
        return row
    return Row({**row.value, _COLUMN: name}, row.source, row.index, row.repaired)


def _column(row: Row) -> _Column:
    provider = row.value.get("provider")
    named = str(provider) if isinstance(provider, str) else text_at(row, _PROVIDER)
    label = text_at(row, "prompt.label") or f"prompt {text_at(row, 'promptIdx') or '0'}"
    return _Column(named or "provider", shown(label))


def _names(columns: Mapping[_Column, Any]) -> dict[_Column, str]:
    """Return what columns are called: by what tells them apart, provider, prompt or both."""
    n_providers, n_prompts = (len({getattr(c, name) for c in columns}) for name in ("provider", "prompt"))
    if n_prompts == 1:
        return {column: column.provider for column in columns}
    if n_providers == 1:
        return {column: column.prompt for column in columns}
    return {column: f"{column.provider}{CHOICE}{column.prompt}" for column in columns}


def _chosen(names: Mapping[_Column, str], rows: Sequence[Row], choice: str, file: str) -> str:
    """Return the one column that a choice fits: its name, its provider's id or label, or its prompt's."""
    labels = {(text_at(row, "provider.label"), names[_column(row)]) for row in rows}
    fitting = dict.fromkeys(
        name for column, name in names.items() if choice in (name, column.provider, column.prompt)
    ) or dict.fromkeys(name for label, name in labels if label == choice)
    if len(fitting) != 1:
        what = f"fits {listed(fitting)}" if fitting else "is neither a provider nor a prompt's label"
        there = listed(names.values(), 12)
        raise DataError(f"{file}{CHOICE}{shown(choice)}: {shown(choice)} {what}; choose one of {there}")
    return next(iter(fitting))


def _failure(row: Row) -> str | None:
    """Return why a test has no answer; an answer that failed promptfoo's own assertions is one."""
    output = look_up(row.value, _OUTPUT)
    if output is not MISSING and output is not None:
        return None
    errors = (row.value.get("error"), look_up(row.value, "response.error"))
    return next((said for error in errors if (said := message_of(error))), "no output")


def _prepare(value: Value) -> Value:
    """Put an output that is an object or a list as its JSON text."""
    output = look_up(value, _OUTPUT)
    if not isinstance(output, dict | list):
        return value
    return {**value, _OUTPUT: json_text(output)}


def _narrow(value: Value) -> Roles:
    """Ask what the one variable of a test holds, whatever it is called."""
    variables = value.get("vars")
    if not isinstance(variables, Mapping) or len(variables) != 1:
        return {}
    return {Role.INSTRUCTION: (f"vars.{next(iter(variables))}", _RENDERED)}


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("testIdx",),
        Role.INSTRUCTION: (*_QUESTIONS, _RENDERED),
        Role.RESPONSE: (_OUTPUT,),
        Role.REFERENCE: tuple(f"vars.{name}" for name in REFERENCE_NAMES),
        Role.MODEL: (_COLUMN, _PROVIDER, "provider"),
        Role.FINISH_REASON: ("response.finishReason",),
    },
    prepare=_prepare,
    narrow=_narrow,
    unfold=_unfold,
    arrange=_arrange,
)
