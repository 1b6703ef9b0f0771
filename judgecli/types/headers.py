"""Looking into a run header, which somebody may have edited: what is not as it should be counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCRIPTED = "scripted"  # what a header calls the backend that answers by rules


def header_part(header: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return a table of a header, empty where it is absent."""
    value = header.get(key)
    return value if isinstance(value, Mapping) else {}


def recorded_judge(header: Mapping[str, Any]) -> str | None:
    """Return what a header, or its part on the stronger judge, calls its judge; None where it says none."""
    name = header_part(header, "model").get("name")
    return name if isinstance(name, str) else None
