"""What is said of the answers of one model, and of the judge's probabilities, whatever was judged."""

from __future__ import annotations

from judgecli.reports.wording.rows import breakdown, percent
from judgecli.types import Estimate, Side


def incomplete(side: Side) -> str | None:
    """Say how many answers hold nothing or stop early: `1 empty, 2 cut off`; None where none does."""
    kinds = [
        ("empty", side.n_empty - side.n_thinking_only),
        ("only thinking", side.n_thinking_only),
        ("cut off", side.n_cut_off),
    ]
    return breakdown((kind, n) for kind, n in kinds if n) or None


def mass_phrases(mass: Estimate, p_unopened: Estimate, *, judge: str = "the judge") -> tuple[str | None, ...]:
    """Say how much of a judge's probability is on verdicts; nothing where it gives no probabilities."""
    if mass.value is None:
        return ()
    opened = p_unopened.value
    return (
        f"{percent(mass.value)} of {judge}'s probability is on verdicts (n={mass.n:,})",
        None if opened is None else f"{percent(opened)} not followed to the end",
    )


def side_phrases(side: Side) -> tuple[str | None, ...]:
    """Say which model's answers these are, and from which file."""
    if side.model is None:
        return (side.file or "unnamed",)
    return side.model, f"from {side.file}" if side.file else None
