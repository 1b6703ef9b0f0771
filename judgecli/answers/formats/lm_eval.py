r"""lm-eval-harness samples (`--log_samples`): a row for each document and filter.

{"doc_id": 0, "doc": {"question": "2+2?"}, "target": "4", "filter": "strict-match",
 "arguments": {"gen_args_0": {"arg_0": "Q: 2+2?\nA:", "arg_1": {"until": ["Q:"]}}},
 "resps": [["The answer is 4."]], "filtered_resps": ["4"]}

The answer is what the model wrote (`resps`). `samples.jsonl#strict-match` reads what a filter left of it. A
prompt that is a chat is logged as JSON in a list, and asked as one text, its examples included. Models with
templates of their own were sent different texts of one document: `doc_hash` says that it is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.label_values import is_number
from judgecli.answers.layout import Format, Part, Role, Value, has
from judgecli.answers.loaded import Document
from judgecli.answers.paths import look_up
from judgecli.answers.sorting_out import chosen, grouped, text_at
from judgecli.answers.texts import UnreadableValueError, alternatives
from judgecli.answers.turns import chat_of, questions_of, transcript
from judgecli.answers.wording import listed
from judgecli.errors import DataError

_FILTERED = ("filtered_resps[0][0]", "filtered_resps[0]")
_PROMPTS = ("arguments.gen_args_0.arg_0", "arguments[0][0]")
_CONTINUATIONS = ("arguments.gen_args_0.arg_1", "arguments[0][1]")
_IS_GREEDY = ("true", "false")


def _claims(value: Value) -> bool:
    return has(value, "resps") and (has(value, "doc_id") or has(value, "filtered_resps"))


def _prepare(value: Value) -> Value:
    """Put several right answers as one reference, and a prompt that is a chat as its text."""
    prepared = {**value}
    if "target" in value:
        prepared["target"] = alternatives(value["target"])
    for path in _PROMPTS:
        sent = look_up(value, path)
        alone = sent[0] if isinstance(sent, list) and len(sent) == 1 else sent
        messages = chat_of(alone)
        if alone is not sent or messages is not None:
            prepared[path] = alone if messages is None else _chat_text(messages, alone)
    return prepared


def _document(value: Value) -> Document | None:
    key = value.get("doc_hash")
    return Document(str(key)) if isinstance(key, str) else None


def _chat_text(messages: Sequence[Mapping[str, Any]], logged: str) -> str | None:
    """Return a chat as one text; as it was logged where its messages hold more than text and images."""
    try:
        return transcript(questions_of(messages, with_tools=True))
    except UnreadableValueError:
        return logged


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    _refuse_likelihoods(rows)
    filters = grouped(rows, lambda row: text_at(row, "filter") or "none")
    name = chosen(filters, choice, "filter", file)
    notes = _said(file, filters, name, choice)
    layout = None if choice is None else _filtered(filters[name])
    return [Part(rows=filters[name], notes=tuple(notes), layout=layout)]


def _filtered(rows: Sequence[Row]) -> Format:
    """Return the layout that reads what a filter left: a text, or a list of as many as were sampled."""
    is_list = isinstance(look_up(rows[0].value, "filtered_resps[0]"), list)
    return replace(FORMAT, roles={**FORMAT.roles, Role.RESPONSE: _FILTERED[:1] if is_list else _FILTERED[1:]})


def _refuse_likelihoods(rows: Sequence[Row]) -> None:
    row = next((row for row in rows if _is_likelihood(row.value)), None)
    if row is not None:
        raise DataError(
            f"{row.where}: log-likelihoods of given answers, not texts that a model wrote; give the samples "
            "of a task with output_type generate_until"
        )


def _is_likelihood(value: Value) -> bool:
    first = look_up(value, "resps[0]")
    if any(isinstance(look_up(value, path), str) for path in _CONTINUATIONS):
        return True
    if not isinstance(first, list) or not first:
        return False
    # what a generation is to end with is always logged; a text that is only rated has nothing beside it
    is_rated = has(value, "arguments") and not any(has(value, path) for path in _CONTINUATIONS)
    if is_rated and is_number(str(first[0])):
        return True
    return isinstance(first[0], list) or (len(first) == 2 and str(first[1]).lower() in _IS_GREEDY)


def _said(file: str, filters: Mapping[str, Any], name: str, choice: str | None) -> list[str]:
    if choice is not None:
        return [f"{file}: answers are what the filter {name} left of what the model wrote (filtered_resps)"]
    if len(filters) == 1:
        return []
    others = [other for other in filters if other != name]
    read = f"{file}: rows of {len(filters)} filters; those of {name} are read, not those of {listed(others)}"
    return [f"{read}; answers are what the model wrote, and {file}#{name} reads what the filter left of it"]


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("doc_id",),
        Role.INSTRUCTION: _PROMPTS,
        Role.RESPONSE: ("resps[0][0]",),
        Role.REFERENCE: ("target",),
    },
    document=_document,
    prepare=_prepare,
    arrange=_arrange,
)
