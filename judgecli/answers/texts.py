"""Values of a row to texts: ids, answers, instructions, references. What no rule covers is an error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Number

_KEPT = ("category", "subcategory", "cluster", "group", "source", "dataset", "language")
_N_KEPT_CHARACTERS = 200
_N_EXACT_DIGITS = 15


class UnreadableValueError(Exception):
    """Say why a value cannot be taken as text; the caller adds where it stands."""


def id_text(value: Any) -> str | None:
    """Return an id as text: whole numbers and texts; anything else is no id."""
    if isinstance(value, Number):
        return str(value) if value.lstrip("-").isdigit() else None
    if isinstance(value, str):
        return value.strip() or None
    return None


def scalar_text(value: Any) -> str | None:
    """Return a text as it is, a number or boolean as its JSON text, null as None.

    Raises:
        UnreadableValueError: NaN, a list or an object.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number) and not value.is_finite:
        raise UnreadableValueError(f"is {value}, which is not JSON")
    if isinstance(value, str):
        return str(value)
    kind = "a list" if isinstance(value, list) else "an object"
    raise UnreadableValueError(f"is {kind}, not a text")


def answer_text(value: Any) -> str:
    """Return an answer; of a conversation the last message, which must be the assistant's."""
    if not is_conversation(value):
        return scalar_text(value) or ""
    if value[-1]["role"] != "assistant":
        raise UnreadableValueError("is a conversation that does not end with the assistant")
    return content_text(value[-1]["content"])


def instruction_text(value: Any) -> str | None:
    """Return what was asked; a conversation of several messages becomes a transcript. Blank is None."""
    text = _transcript(value) if value == [] or is_conversation(value) else scalar_text(value)
    return text if text and text.strip() else None


def _transcript(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the messages up to the last that is not the assistant's: its reply is not a question."""
    asked = list(messages)
    while asked and asked[-1]["role"] == "assistant":
        asked.pop()
    turns = [(str(message["role"]), content_text(message["content"])) for message in asked]
    if len(turns) == 1:
        return turns[0][1]
    return "\n\n".join(f"{role.capitalize()}: {content}" for role, content in turns)


def reference_text(value: Any) -> str | None:
    """Return a reference: a text, `{"text": ...}`, or a list of one. Blank is None."""
    if isinstance(value, Mapping) and "text" in value:
        return reference_text(value["text"])
    if isinstance(value, list) and len(value) > 1 and not is_conversation(value):
        raise UnreadableValueError(f"is a list of {len(value)} texts; name one, like reference[0]")
    if isinstance(value, list) and not is_conversation(value):
        return reference_text(value[0]) if value else None
    text = answer_text(value)
    return text if text.strip() else None


def is_conversation(value: Any) -> bool:
    """Whether a value is a list of chat messages."""
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(message, Mapping) and {"role", "content"} <= message.keys() for message in value)
    )


def content_text(content: Any) -> str:
    """Return a message's text: a string, or the text parts of a list of parts."""
    if not isinstance(content, list):
        return scalar_text(content) or ""
    if not all(isinstance(part, Mapping) and isinstance(part.get("text"), str) for part in content):
        raise UnreadableValueError("holds parts that are not text")
    return "".join(part["text"] for part in content)


def kept_metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small fields of a row that analyses group by."""
    scalars = {name: _small_scalar(row.get(name)) for name in _KEPT}
    kept: dict[str, Any] = {name: value for name, value in scalars.items() if value is not None}
    annotators = row.get("annotators")
    if isinstance(annotators, list) and all(isinstance(label, str) for label in annotators):
        kept["annotators"] = [str(label) for label in annotators]
    return kept


def _small_scalar(value: Any) -> str | int | float | bool | None:
    """Return a short text, a number or a boolean; None for what is not worth keeping."""
    if isinstance(value, Number):
        return _python_number(value)
    if isinstance(value, str):
        return value if 0 < len(value) <= _N_KEPT_CHARACTERS else None
    return value if isinstance(value, bool) else None


def _python_number(number: Number) -> int | float | str | None:
    if not number.is_finite:
        return None
    if len(number) > _N_EXACT_DIGITS:
        return str(number)
    if number.lstrip("-").isdigit():
        return int(number)
    return float(number) if math.isfinite(float(number)) else None
