"""HELM runs: `scenario_state.json`, or the run's folder with that, or with the two short files.

{"adapter_spec": {"model": "model-a"}, "request_states": [{"instance": {"id": "id1",
 "input": {"text": "2+2?"}, "references": [{"output": {"text": "4"}, "tags": ["correct"]}]},
 "train_trial_index": 0, "result": {"success": true, "completions": [{"text": "4"}]}}]}

The short files are `instances.json` and `display_predictions.json`, joined by `instance_id`.
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
    text_at,
    without_failures,
)
from judgecli.answers.texts import UnreadableValueError, alternatives
from judgecli.answers.wording import counted, listed

_STATES = "request_states"
_INSTANCES, _PREDICTIONS = "instances", "display_predictions"
_TEXT = "result.completions[0].text"
_PREDICTED = "predicted_text"
_MODEL = "adapter_spec.model"
_CORRECT = "references (correct)"
_ID = "instance.id"


def _claims(value: Value) -> bool:
    return has(value, _STATES) or has(value, _INSTANCES, _PREDICTIONS)


def _unfold(value: Value) -> list[Value]:
    model = _first(value, (_MODEL, f"run_spec.{_MODEL}"))
    named = {} if model is None else {_MODEL: model}
    if _STATES in value:
        rows = _objects(value[_STATES], _STATES)
    else:
        rows = list(_joined(_objects(value.get(_INSTANCES), _INSTANCES), value.get(_PREDICTIONS)))
    return [{**named, **row} for row in rows]


def _objects(rows: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableValueError(f"{name} is not a list of objects, as it is in a HELM run")
    return rows


def _joined(instances: Sequence[Value], predictions: Any) -> list[dict[str, Any]]:
    by_key = {_key(one, one.get("id")): one for one in instances}
    found = _objects(predictions, _PREDICTIONS)
    return [
        {"instance": by_key.get(_key(one, one.get("instance_id")), {"id": one.get("instance_id")}), **one}
        for one in found
    ]


def _key(value: Value, instance_id: Any) -> tuple[str, str]:
    """Return what tells instances apart: a perturbed one has the id of the one it was made from."""
    return str(instance_id), str(value.get("perturbation") or "")


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    plain = [row for row in rows if not _is_perturbed(row.value)]
    trials = grouped(plain or rows, lambda row: text_at(row, "train_trial_index") or "0")
    name = chosen(trials, choice, "trial", file)
    kept, failed, reasons = without_failures(trials[name], _ID, _failure)
    notes = [*failures_said(file, len(trials[name]), reasons, "request")]
    if len(plain) not in {0, len(rows)}:
        notes.append(f"{file}: {counted(len(rows) - len(plain), 'perturbed instance')} left out")
    if len(trials) > 1 and choice is None:
        others = [other for other in trials if other != name]
        notes.append(
            f"{file}: {counted(len(trials), 'trial')}; trial {name} is judged, left out are {listed(others)} "
            f"({file}#{others[0]} judges another)"
        )
    return [Part(rows=kept, failed=tuple(failed), notes=tuple(notes))]


def _is_perturbed(value: Value) -> bool:
    paths = ("perturbation", "instance.perturbation")
    return any(isinstance(look_up(value, path), Mapping) for path in paths)


def _failure(row: Row) -> str | None:
    """Return why a request has no answer; None where it has one."""
    if _PREDICTED in row.value:
        return None
    result = row.value.get("result")
    has_text = look_up(row.value, _TEXT) is not MISSING
    if isinstance(result, Mapping) and result.get("success") is not False and has_text:
        return None
    return message_of(result.get("error")) if isinstance(result, Mapping) else "no result"


def _prepare(value: Value) -> Value:
    references = look_up(value, "instance.references")
    if not isinstance(references, list):
        return value
    right = [one for one in references if isinstance(one, Mapping) and "correct" in (one.get("tags") or ())]
    texts = [look_up(one, "output.text") for one in right]
    return {**value, _CORRECT: alternatives([text for text in texts if isinstance(text, str)])}


def _first(value: Value, paths: Sequence[str]) -> Any:
    found = (look_up(value, path) for path in paths)
    return next((one for one in found if one is not MISSING), None)


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: (_ID,),
        Role.INSTRUCTION: ("instance.input.text", "instance.input.messages", "request.prompt"),
        Role.RESPONSE: (_TEXT, _PREDICTED),
        Role.REFERENCE: (_CORRECT,),
        Role.MODEL: (_MODEL, "request.model"),
        Role.FINISH_REASON: ("result.completions[0].finish_reason.reason",),
    },
    prepare=_prepare,
    unfold=_unfold,
    arrange=_arrange,
)
