"""The price of an endpoint's tokens, which a run file keeps once it was named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def keep_prices(header: dict[str, Any], earlier: Mapping[str, Any]) -> None:
    """Put the prices of an earlier header of the same run into one that names none.

    Calls of both are in the run file, and the report counts all of them.
    """
    _keep(header, earlier)
    second, before = header.get("escalation", {}), earlier.get("escalation")
    if second and isinstance(before, Mapping) and second["key"] == before.get("key"):
        _keep(second, before)


def _keep(header: dict[str, Any], earlier: Mapping[str, Any]) -> None:
    settings, before = header.get("backend"), earlier.get("backend")
    if isinstance(settings, dict) and isinstance(before, Mapping) and before.get("price"):
        header["backend"] = {**settings, "price": settings.get("price") or before["price"]}
