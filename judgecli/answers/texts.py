"""Values of a row to texts: ids, answers, instructions, references. What no rule covers is an error."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from judgecli.answers.containers import Number

_KEPT = (
    "category",
    "subcategory",
    "cluster",
    "group",
    "source",
    "dataset",
    "language",
    "bias",
    "imagename",
)
_LISTS_KEPT = ("annotators", "capability")
_IMAGES = ("imagename", "image", "images", "image_path", "image_url")
_MESSAGES = ("messages", "conversations", "prompt")
_INSTEAD = ("tool_calls", "function_call", "refusal")  # what a message may hold where it has no content
_THOUGHTS = ("thinking", "redacted_thinking", "reasoning")  # parts that are no answer yet
IMAGE = "image"
_N_KEPT_CHARACTERS = 200
_N_EXACT_DIGITS = 15
_N_LEVELS = 4  # of objects in a row whose fields are kept; more is no field that anyone groups by


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
    if isinstance(value, bytes):
        raise UnreadableValueError(f"is {len(value):,} bytes that are not UTF-8 text")
    kind = "a list" if isinstance(value, list) else "an object"
    raise UnreadableValueError(f"is {kind}, not a text")


def answer_text(value: Any) -> str | None:
    """Return an answer: what `scalar_text` does, and the text of a list of a message's parts.

    Raises:
        UnreadableValueError: NaN, an object, or a list of something else.
    """
    is_parts = isinstance(value, list) and all(isinstance(one, Mapping) and "type" in one for one in value)
    return content_text(value) if is_parts and value else scalar_text(value)


def instruction_text(value: Any) -> str | None:
    """Return what was asked. Blank is None."""
    text = scalar_text(value)
    return text if text and text.strip() else None


def reference_texts(value: Any, path: str, *, any_of: bool, by_turn: bool) -> tuple[str | None, ...]:
    """Return references as `reference_text` does: one, or one for each turn of a list.

    Raises:
        UnreadableValueError: one of them is no text.
    """
    if not by_turn:
        return (reference_text(value, path, any_of=any_of),)
    return tuple(reference_text(one, f"{path}[{index}]", any_of=any_of) for index, one in enumerate(value))


def reference_text(value: Any, path: str = "reference", *, any_of: bool = False) -> str | None:
    """Return a reference: a text, `{"text": ...}`, `{"content": ...}`, or a list of one. Blank is None.

    `path` is the field it stands in. With `any_of` a list has right answers any of which will do.

    Raises:
        UnreadableValueError: it is none of these.
    """
    for name in ("text", "content"):
        if isinstance(value, Mapping) and name in value:
            return reference_text(value[name], f"{path}.{name}", any_of=any_of)
    if any_of:
        value = alternatives(value)
    if isinstance(value, list) and len(value) > 1:
        raise UnreadableValueError(f"is a list of {len(value)} texts; name one, like {path}[0]")
    if isinstance(value, list):
        return reference_text(value[0], f"{path}[0]", any_of=any_of) if value else None
    text = scalar_text(value) or ""
    return text if text.strip() else None


def json_text(value: Any) -> str:
    """Return a value as JSON on one line, its numbers as they were written."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{json_text(str(key))}: {json_text(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(json_text, value))}]"
    return str(value) if isinstance(value, Number) else json.dumps(value, ensure_ascii=False)


def alternatives(value: Any) -> Any:
    """Return a list of right answers as one reference, `4 or four`; what is no list of texts as it is."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return value
    return " or ".join(str(one) for one in value) or None


def is_conversation(value: Any) -> bool:
    """Whether a value is a list of chat messages; one that calls a tool need not have content."""
    return (
        isinstance(value, list)
        and len(value) > 0
        and all(isinstance(message, Mapping) and _is_message(message) for message in value)
    )


def _is_message(value: Mapping[str, Any]) -> bool:
    return "role" in value and any(name in value for name in ("content", *_INSTEAD))


def message_text(message: Mapping[str, Any]) -> str:
    """Return what a message says; "" where it only calls a tool."""
    return content_text(message.get("content")) or scalar_text(message.get("refusal")) or ""


def content_text(content: Any) -> str:
    """Return a message's text: a string, `{"answer": ...}`, or a list of parts.

    An image among the parts stands as `[image]` on a line of its own, for no judge here sees it, and so do
    `[tool call]` and `[tool result]`. Thinking is left out.
    """
    if isinstance(content, Mapping) and "answer" in content:
        content = content["answer"]
    if not isinstance(content, list):
        return scalar_text(content) or ""
    text = "".join(map(_part_text, content))
    return text.strip("\n") if any(map(_name_of, content)) else text


def _part_text(part: Any) -> str:
    if isinstance(part, str) and not isinstance(part, Number):
        return part
    if isinstance(part, Mapping) and part.get("type") in _THOUGHTS:
        return ""
    for name in ("text", "refusal"):
        if isinstance(part, Mapping) and isinstance(part.get(name), str):
            return str(part[name])
    if name := _name_of(part):
        return f"\n[{name}]\n"
    raise UnreadableValueError("holds parts that are neither text nor images nor calls of tools")


def _name_of(part: Any) -> str:
    """Return what stands for a part that is no text; "" for one that is, or that nothing stands for."""
    if is_image(part):
        return "image"
    if is_tool_result(part):
        return "tool result"
    is_call = isinstance(part, Mapping) and "tool" in str(part.get("type")) and "text" not in part
    return "tool call" if is_call else ""


def is_tool_result(part: Any) -> bool:
    """Whether a part of a message is what a tool said."""
    return isinstance(part, Mapping) and re.fullmatch(r".*tool.*result", str(part.get("type"))) is not None


def is_image(part: Any) -> bool:
    """Whether a part of a message is an image."""
    return isinstance(part, Mapping) and "image" in str(part.get("type")) and "text" not in part


def kept_metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small fields of a row that analyses group by."""
    kept = small_scalars({name: row.get(name) for name in _KEPT})
    for name in _LISTS_KEPT:
        labels = row.get(name)
        if isinstance(labels, list) and all(isinstance(label, str) for label in labels):
            kept[name] = [str(label) for label in labels]
    if "imagename" not in kept and _has_image(row):
        kept[IMAGE] = True
    return kept


def small_scalars(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the short texts, numbers and booleans of a row."""
    scalars = {str(name): _small_scalar(value) for name, value in row.items()}
    return {name: value for name, value in scalars.items() if value is not None}


def nested_scalars(row: Mapping[str, Any], n_levels: int = _N_LEVELS) -> dict[str, Any]:
    """Return what `small_scalars` does, and the same of the objects in a row, named as `metadata.topic`."""
    found = small_scalars(row)
    for name, value in row.items() if n_levels else ():
        if isinstance(value, Mapping):
            inner = nested_scalars(value, n_levels - 1)
            found = {**{f"{name}.{key}": one for key, one in inner.items()}, **found}
    return found


def named_value(value: Any) -> str | int | float | bool | None:
    """Return what a field that the user named holds, to group by; None for nothing. A list is one text.

    Raises:
        UnreadableValueError: it is an object, or a list of something else than texts and numbers.
    """
    if isinstance(value, Number):
        return _python_number(value)
    if isinstance(value, list):
        if not all(isinstance(one, str) for one in value):
            raise UnreadableValueError("is a list of something else than texts")
        return ", ".join(map(str, value)) or None
    if isinstance(value, Mapping):
        raise UnreadableValueError("is an object, with fields of its own")
    if isinstance(value, bytes):
        raise UnreadableValueError(f"is {len(value):,} bytes that are not UTF-8 text")
    return value if isinstance(value, bool) else str(value) if value else None


def has_image(metadata: Mapping[str, Any]) -> bool:
    """Whether what was kept of a row says that there is an image."""
    return "imagename" in metadata or IMAGE in metadata


def _has_image(row: Mapping[str, Any]) -> bool:
    if any(row.get(name) for name in _IMAGES):
        return True
    lists = [row[name] for name in _MESSAGES if is_conversation(row.get(name))]
    contents = [message.get("content") for messages in lists for message in messages]
    return any(is_image(part) for content in contents if isinstance(content, list) for part in content)


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
