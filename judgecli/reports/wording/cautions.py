"""Warnings that runs of every mode may carry, and what failed, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from judgecli.reports.wording.rows import MAX_ID, breakdown, clean, percent, plural, shortened
from judgecli.reports.wording.trusting import trust_lines
from judgecli.types import Caution, CautionKind, DecidedBy, Failure, Judgment, Verdict

MAX_FAILURES_LISTED = 3
_MAX_DETAIL = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How many items of a run came to what, and what they are called: `noun` one, `results` what they get.

    `n_answers` is how many answers of an item a rule looks at.
    """

    noun: str
    results: str
    n_items: int
    n_open: int
    failures: Mapping[Failure, int] = field(default_factory=dict)
    without_judge: Mapping[DecidedBy, int] = field(default_factory=dict)
    n_answers: int = 2


def caution_lines(caution: Caution, judged: Judged, *, on_failures: str = "") -> tuple[str, ...]:
    """Return a warning's sentences, `on_failures` ending the one about failures; () for a mode's own."""
    value, limit = caution.value or 0.0, caution.limit or 0.0
    lines: tuple[str, ...] = ()
    match caution.kind:
        case CautionKind.SCRIPTED_JUDGE:
            lines = ("scripted judge: the verdicts come from rules, not from a model.",)
        case CautionKind.DEMO_JUDGE:
            lines = ("demo judge, at chance: it means nothing. A real one: judge pull judgelm-7b",)
        case CautionKind.PARTIAL:
            lines = (
                f"partial run: {int(value):,} of {plural(judged.n_items, judged.noun)} not judged yet;",
                "the same command resumes.",
            )
        case CautionKind.OFF_PROTOCOL:
            lines = ("off protocol: this judge was fine-tuned on other prompts than these.",)
        case CautionKind.MANY_FAILURES:
            lines = (f"{percent(value)} of {judged.noun}s failed (over {limit:.0%}){on_failures}.",)
        case CautionKind.WITHOUT_JUDGE:
            lines = (
                f"{percent(value)} of the {judged.results} come from rules, not from the judge:",
                f"{ruled(judged)}.",
            )
        case CautionKind.LOW_MASS:
            whose = f"{clean(caution.name or 'the judge')}'s"
            lines = (
                f"only {percent(value)} of {whose} probability is on verdicts:",
                "it does not know this prompt.",
            )
        case CautionKind.FEW_PAIRS | CautionKind.FEW_ITEMS:
            few = plural(int(value), judged.noun)
            lines = (f"only {few} (under {limit:.0f}): take the result as a hint.",)
        case CautionKind.FEW_LABELS:
            lines = (few_labels(caution, judged.noun, "the result"),)
    return lines or trust_lines(caution)


def few_labels(caution: Caution, noun: str, hint: str) -> str:
    """Say that few items have labels, and what to take as a hint."""
    few = plural(int(caution.value or 0), f"labelled {noun}")
    return f"only {few} (under {caution.limit or 0:.0f}): take {hint} as a hint."


def ruled(judged: Judged, meanings: Mapping[DecidedBy, str] | None = None) -> str:
    """Write what rules decided, a meaning in brackets: `2 equal answers (tie), 1 empty answer`."""
    meanings = meanings or {}
    return breakdown(
        (_rule(rule, n, judged.n_answers) + (f" ({meanings[rule]})" if rule in meanings else ""), n)
        for rule, n in judged.without_judge.items()
    )


def _rule(rule: DecidedBy, n: int, n_answers: int) -> str:
    if rule is DecidedBy.BOTH_EMPTY and n_answers > 2:
        return "all empty"
    return f"{rule}s" if n > 1 and rule.endswith("answer") else str(rule)


def failures(judged: Judged) -> str:
    """Write the failures out of all items: `1 of 2 unreadable`, `3 of 80: 2 unreadable, 1 too long`."""
    kinds = [(failure_name(failure), n) for failure, n in judged.failures.items()]
    of_all = f"{sum(judged.failures.values()):,} of {judged.n_items:,}"
    return f"{of_all} {kinds[0][0]}" if len(kinds) == 1 else f"{of_all}: {breakdown(kinds)}"


def failure_name(failure: str) -> str:
    """Return a failure in words: `too long`."""
    return failure.replace("_", " ")


def why_nothing(judged: Judged) -> str:
    """Say why a run has no result."""
    if not judged.n_items:
        return f"no {judged.noun}s"
    failed = failures(judged) if judged.failures else None
    still_open = f"{judged.n_open:,} of {judged.n_items:,} not judged yet" if judged.n_open else None
    return "; ".join(filter(None, (failed, still_open)))


def failed(outcomes: Iterable[Judgment | Verdict]) -> list[str]:
    """Return a line an item that failed: which, how, and its detail."""
    return [failed_one(one) for one in outcomes if one.failure is not None]


def failed_one(one: Judgment | Verdict) -> str:
    """Say which item failed, how, and its detail: `q7: unreadable (no two scores)`."""
    detail = f" ({shortened(one.detail, _MAX_DETAIL)})" if one.detail else ""
    return f"{shortened(one.item_id, MAX_ID)}: {failure_name(one.failure or '')}{detail}"
