"""Logs of inspect, `.json` or `.eval` (a ZIP archive): one object with samples.

{"version": 2, "status": "success", "eval": {"task": "sums", "model": "model-a"}, "samples":
 [{"id": 1, "epoch": 1, "input": "2+2?", "target": "4", "output": {"completion": "4"}}]}

Of several epochs the first is judged: answers to one question are no independent items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.layout import Format, Part, Role, Value, has
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import (
    chosen,
    failures_said,
    grouped,
    message_of,
    several_said,
    text_at,
    without_failures,
)
from judgecli.answers.texts import UnreadableValueError, alternatives
from judgecli.answers.wording import counted, listed

_COMPLETION = "output.completion"
_ATTACHMENT = "attachment://"


def _claims(value: Value) -> bool:
    return isinstance(value.get("eval"), dict) and (has(value, "samples") or has(value, "version", "status"))


def _unfold(value: Value) -> list[Value]:
    samples = value.get("samples")
    if not isinstance(samples, list) or not all(isinstance(sample, dict) for sample in samples):
        raise UnreadableValueError("an inspect log without samples; give one that was written with them")
    model = look_up(value, "eval.model")
    named = {} if model is MISSING else {"eval.model": model}
    return [{**sample, **named} for sample in samples]


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    epochs = grouped(rows, lambda row: text_at(row, "epoch") or "1")
    name = chosen(epochs, choice, "epoch", file)
    kept, failed, reasons = without_failures(epochs[name], "id", _failure)
    n_several = sum(has(row.value, "output.choices[1]") for row in kept)
    notes = [
        *failures_said(file, len(epochs[name]), reasons, "sample"),
        *several_said(file, n_several, _COMPLETION),
    ]
    if len(epochs) > 1 and choice is None:
        others = [other for other in epochs if other != name]
        notes.append(
            f"{file}: {counted(len(epochs), 'epoch')}; epoch {name} is judged, left out are {listed(others)} "
            f"({file}#{others[0]} judges another)"
        )
    return [Part(rows=kept, failed=tuple(failed), notes=tuple(notes))]


def _failure(row: Row) -> str | None:
    """Return why a sample has no answer: it was ended by an error before the model gave one."""
    error = row.value.get("error")
    completion = look_up(row.value, _COMPLETION)
    if completion is MISSING:
        return message_of(error) or "no output"
    return message_of(error) or "an error" if error and not completion else None


def _prepare(value: Value) -> Value:
    kept = value.get("attachments")
    attachments = kept if isinstance(kept, Mapping) else {}
    prepared = {**value}
    for path in ("input", _COMPLETION):
        found = look_up(value, path)
        if found is not MISSING:
            prepared[path] = _resolved(found, attachments)
    if "target" in value:
        prepared["target"] = alternatives(value["target"])
    return prepared


def _resolved(value: Any, attachments: Mapping[str, Any]) -> Any:
    """Return a value with the texts that are stored beside it, as long ones may be, in their places."""
    if isinstance(value, str):
        return attachments.get(value.removeprefix(_ATTACHMENT), value) if _ATTACHMENT in value else value
    if isinstance(value, list):
        return [_resolved(inner, attachments) for inner in value]
    if isinstance(value, Mapping):
        return {name: _resolved(inner, attachments) for name, inner in value.items()}
    return value


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("id",),
        Role.INSTRUCTION: ("input",),
        Role.RESPONSE: (_COMPLETION,),
        Role.REFERENCE: ("target",),
        Role.MODEL: ("eval.model", "output.model"),
        Role.FINISH_REASON: ("output.choices[0].stop_reason", "output.stop_reason"),
    },
    prepare=_prepare,
    unfold=_unfold,
    arrange=_arrange,
)
