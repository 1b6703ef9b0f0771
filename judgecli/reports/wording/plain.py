"""Values as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """Turn mappings, sequences, enums and paths into JSON's own; numbers that are not finite into null."""
    match value:
        case bool() | int() | None:
            return value
        case float():
            return value if isfinite(value) else None
        case str():
            return str(value)
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case Sequence():
            return [plain(item) for item in value]
    return str(value)
