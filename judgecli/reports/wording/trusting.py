"""What is said of trust in verdicts: what a calibration guarantees, and where nothing does."""

from __future__ import annotations

from judgecli.types import Caution, CautionKind


def guarantee(threshold: float, agree: float, confidence: float) -> tuple[str, str]:
    """Return what a certified threshold promises, no more: of cases like the labelled ones, on average."""
    which = f"verdicts at confidence {threshold:g} or more"
    return (
        f"with {share(confidence)} confidence over the labels drawn",
        f"{which} agree with people in at least {share(agree)} of cases like these",
    )


def nothing_certified(agree: float, confidence: float) -> str:
    """Say that no threshold has the guarantee that was asked for."""
    return f"none: no threshold is certified for {share(agree)} agreement with {share(confidence)} confidence"


def share(asked: float) -> str:
    """Write a share that was asked for, as it was: `80%`, `92.5%`."""
    return f"{100 * asked:g}%"


def trust_lines(caution: Caution) -> tuple[str, ...]:
    """Return the sentence of a warning about trust; () for others."""
    if caution.kind is CautionKind.NOTHING_CERTIFIED:
        return ("nothing is certified: every verdict of this judge is doubtful.",)
    return ()
