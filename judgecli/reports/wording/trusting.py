"""What is said of trust in verdicts: better than a baseline or not, guaranteed by a calibration or not."""

from __future__ import annotations

from collections.abc import Sequence

from judgecli.reports.wording.rows import bare
from judgecli.types import Baseline, BaselineKind, Caution, CautionKind, Estimate

NAMING = {
    BaselineKind.LONGER: "naming the longer answer",
    BaselineKind.FIRST_SEAT: "naming the first seat",
    BaselineKind.MAJORITY: "always naming the commonest label",
}
_NOT_A_JUDGE = "a judge that is no better than that is not a judge."
_MORE_LABELS = "label more pairs to tell."


def not_better(baseline: Baseline) -> str:
    """Say that a judge is not better than a baseline: not so measured, or better and not shown to be."""
    shown = baseline.advantage.value
    return "not shown to be better than" if shown is not None and shown > 0 else "not better than"


def baseline_lines(
    caution: Caution,
    cautions: Sequence[Caution],
    baselines: Sequence[Baseline],
    *,
    accuracy: Estimate | None,
    no_interval: str | None = None,
) -> tuple[str, ...]:
    """Return the sentences of a warning about a baseline, one of those in `cautions`.

    The last of those that say the same adds what follows from it. `accuracy` is the judge's, `no_interval`
    why nothing can be shown.
    """
    known = {one.kind.value: one for one in baselines}
    baseline = known.get(caution.name or "")
    if baseline is None:
        return (_NOT_A_JUDGE,)
    own = f"{bare(accuracy)} right, and " if accuracy else ""
    said = f"{not_better(baseline)} {NAMING[baseline.kind]}: {own}{bare(baseline.accuracy)} that way"
    named = [known[one.name] for one in cautions if one.kind is CautionKind.NOT_BETTER and one.name in known]
    if baseline is not [one for one in named if not_better(one) == not_better(baseline)][-1]:
        return (f"{said}.",)
    is_measured = (baseline.advantage.value or 0.0) <= 0
    return f"{said};", _NOT_A_JUDGE if is_measured else f"{no_interval}." if no_interval else _MORE_LABELS


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
