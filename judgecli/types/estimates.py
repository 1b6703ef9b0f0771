"""Nouns of the analysis: numbers with their intervals, and the summary a report shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with its interval and the method that gave it; `value` None where n gives none."""

    name: str
    value: float | None
    n: int
    method: str
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
