"""Outputs of OpenAI's Batch API and of vLLM's `run-batch`, in any order; the batch's input has the questions.

{"custom_id": "q1", "response": {"status_code": 200, "body": {"model": "model-a", "choices":
 [{"message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}]}}, "error": null}

A request that failed has no answer, as if its row were not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.layout import Format, Part, Role, Value, has
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import (
    failures_said,
    message_of,
    nothing_to_choose,
    one_set,
    without_failures,
)

_BODY = "response.body"
_CONTENT = f"{_BODY}.choices[0].message.content"
_OUTPUT = f"{_BODY}.output"  # of the Responses API
_OUTPUT_TEXT = f"{_OUTPUT} (text)"


def _claims(value: Value) -> bool:
    response = value.get("response", "")
    failed = response is None and has(value, "error")
    return has(value, "custom_id") and (isinstance(response, dict) or failed)


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    if choice is not None:
        raise nothing_to_choose(file, one_set("openai-batch"), choice)
    kept, failed, reasons = without_failures(rows, "custom_id", lambda row: _failure(row.value))
    return [Part(rows=kept, failed=tuple(failed), notes=failures_said(file, len(rows), reasons, "request"))]


def _failure(value: Value) -> str | None:
    """Return why a request has no answer; None where it has one."""
    status = look_up(value, "response.status_code")
    body = look_up(value, _BODY)
    bad_status = status is not MISSING and status is not None and str(status) != "200"
    if not value.get("error") and not bad_status and isinstance(body, Mapping) and not body.get("error"):
        return None
    told = [message_of(value.get("error"))]
    if isinstance(body, Mapping):
        told.append(message_of(body.get("error")))
    told.append(f"status {status}" if bad_status else "no response")
    return next(text for text in told if text)


def _prepare(value: Value) -> Value:
    """Put where an answer is looked for a refusal, and the text of the Responses API's output."""
    refusal = look_up(value, f"{_BODY}.choices[0].message.refusal")
    if look_up(value, _CONTENT) is None and isinstance(refusal, str):
        return {**value, _CONTENT: refusal}
    output = look_up(value, _OUTPUT)
    return {**value, _OUTPUT_TEXT: _texts_of(output)} if isinstance(output, list) else value


def _texts_of(output: Sequence[Any]) -> str:
    messages = [one for one in output if isinstance(one, Mapping) and one.get("type") == "message"]
    contents = [one.get("content") for one in messages]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    texts = [part.get("text", part.get("refusal")) for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str))


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("custom_id",),
        Role.RESPONSE: (_CONTENT, f"{_BODY}.choices[0].text", _OUTPUT_TEXT),
        Role.MODEL: (f"{_BODY}.model",),
        Role.FINISH_REASON: (f"{_BODY}.choices[0].finish_reason", f"{_BODY}.incomplete_details.reason"),
    },
    prepare=_prepare,
    arrange=_arrange,
)
