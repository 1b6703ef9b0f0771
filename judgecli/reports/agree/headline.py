"""The first sentence of a report on agreement, and its warnings."""

from __future__ import annotations

from collections.abc import Sequence

from judgecli.reports.wording import Headline
from judgecli.reports.wording.cautions import Judged, caution_lines, why_nothing
from judgecli.reports.wording.rows import clean, coefficient, hundredths, percent, plural, with_interval
from judgecli.reports.wording.setup import file_name, judge_name
from judgecli.reports.wording.trusting import NAMING, baseline_lines, not_better
from judgecli.types import (
    Agreement,
    AgreementSummary,
    Baseline,
    Caution,
    CautionKind,
    Estimate,
    LabelKind,
    RunRecord,
)


def headline(record: RunRecord, summary: AgreementSummary) -> Headline:
    """Say how far judge and people agree, and whether that is more than a baseline does, in one sentence."""
    judge, labels = judge_name(record.header), clean(file_name(summary.labels_file) or "the labels")
    if summary.scores is not None:
        correlation = _correlation(summary.scores.spearman, summary)
        return Headline(subject=f"{judge} against {labels}", result=correlation)
    leading = lead(summary)
    if leading is None or leading.accuracy.value is None:
        return Headline(subject=f"no agreement with {labels} to measure", result=_why_nothing(summary))
    pairs = plural(leading.n, noun(summary))
    subject = (
        f"{judge} agrees with {labels} on {with_interval(leading.accuracy)} of {pairs}"
        f"{_kappa(leading.kappa)}{' (failures as ties)' if summary.leads_with_ties else ''}"
    )
    return Headline(subject=subject, result=_against_baselines(summary))


def lead(summary: AgreementSummary) -> Agreement | None:
    """Return the agreement that the reader asked for: without the failures, or each of them a tie."""
    return summary.failures_as_ties if summary.leads_with_ties else summary.agreement


def noun(summary: AgreementSummary) -> str:
    """Return what one item is."""
    return "answer" if summary.kind is LabelKind.SCORES else "pair"


def _correlation(rho: Estimate, summary: AgreementSummary) -> str:
    if rho.value is None:
        return f"no agreement to measure, {rho.method}"
    return f"rank correlation {coefficient(rho)} over {plural(rho.n, noun(summary))}"


def _kappa(kappa: Estimate) -> str:
    return "" if kappa.value is None else f", kappa {hundredths(kappa.value)}"


def _why_nothing(summary: AgreementSummary) -> str:
    failed_or_open = why_nothing(judged(summary))
    return failed_or_open if summary.compared.n_failed else f"no {noun(summary)} has a label and a verdict"


def judged(summary: AgreementSummary) -> Judged:
    """Return the counts of labelled items as the words that all reports share want them."""
    compared = summary.compared
    return Judged(
        noun=noun(summary),
        results="verdicts",
        n_items=compared.n + compared.n_failed + compared.n_without_verdict,
        n_open=compared.n_without_verdict,
        failures=compared.failures,
    )


def _against_baselines(summary: AgreementSummary) -> str:
    worst = unbeaten(summary)
    if worst is not None:
        is_unknown = worst.advantage.low is None and (worst.advantage.value or 0.0) > 0
        why = summary.compared.no_interval if is_unknown else None
        return f"{not_better(worst)} {NAMING[worst.kind]}{f', {why}' if why else ''}"
    return "better than every baseline" if summary.baselines else ""


def unbeaten(summary: AgreementSummary) -> Baseline | None:
    """Return the baseline that the judge is warned not to be better than; None where there is none."""
    names = [one.name for one in summary.cautions if one.kind is CautionKind.NOT_BETTER]
    named: Sequence[Baseline] = [one for one in summary.baselines if one.kind in names]
    return max(named, key=lambda one: one.accuracy.value or 0.0, default=None)


def cautions(summary: AgreementSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def _caution(caution: Caution, summary: AgreementSummary) -> tuple[str, ...]:
    value, limit = caution.value or 0.0, caution.limit or 0.0
    match caution.kind:
        case CautionKind.NOT_BETTER:
            # baselines are over the items with a verdict, however the failures are counted in the headline
            return baseline_lines(
                caution,
                summary.cautions,
                summary.baselines,
                accuracy=summary.agreement.accuracy if summary.agreement else None,
                no_interval=summary.compared.no_interval,
            )
        case CautionKind.NOT_CORRELATED if summary.scores:
            return _about_correlation(summary.scores.spearman, summary.compared.no_interval)
        case CautionKind.SHARED_INSTRUCTIONS:
            return (
                f"{plural(summary.compared.n, noun(summary))}, but {plural(int(value), 'instruction')}:",
                "intervals are too narrow where items share one; use --group instruction.",
            )
        case CautionKind.ONE_ORDER:
            return ("one order only: position bias is in these numbers, unmeasured.",)
        case CautionKind.LOW_CONSISTENCY:
            return (
                f"the judge agrees with itself on {percent(value)} of pairs (under {limit:.0%}):",
                "it cannot agree more with people.",
            )
    return caution_lines(caution, judged(summary))


def _about_correlation(rho: Estimate, no_interval: str | None) -> tuple[str, ...]:
    if (rho.value or 0.0) <= 0:
        return ("the judge's scores do not go with people's:", f"rank correlation {coefficient(rho)}.")
    told = no_interval or "label more answers to tell"
    return (
        "the judge's scores are not shown to go with people's:",
        f"rank correlation {coefficient(rho)};",
        f"{told}.",
    )
