"""The first sentence of a report, its warnings, and its outcomes."""

from __future__ import annotations

from judgecli.reports.wording.cautions import Judged, caution_lines, few_labels, why_nothing
from judgecli.reports.wording.rows import clean, percent, plural, with_interval
from judgecli.types import Caution, CautionKind, Conclusion, Counts, PairSummary, Side

_BY_LABELS = {
    Conclusion.NO_DIFFERENCE: "do not show it",
    Conclusion.CANDIDATE_BETTER: "show the candidate better",
    Conclusion.BASELINE_BETTER: "show the baseline better",
}


def headline(summary: PairSummary) -> str:
    """Say who is better and how sure that is, in one sentence."""
    if summary.conclusion is Conclusion.NO_VERDICTS:
        return f"no verdicts: {why_nothing(judged(summary.counts))}"
    rate = f"{with_interval(summary.win_rate)}, n={summary.win_rate.n:,}"
    if summary.gate is not None and summary.conclusion is not Conclusion.NOT_COMPARED:
        # the gate says what follows from it, at a level of its own
        return f"{_named('candidate', summary.side_b)}: win rate {rate}{_part_of_a_run(summary)}"
    pairs = plural(summary.win_rate.n, "pair")
    candidate, baseline = _named("candidate", summary.side_b), _named("baseline", summary.side_a)
    said = {
        Conclusion.CANDIDATE_BETTER: f"{candidate} better: win rate {rate}",
        Conclusion.BASELINE_BETTER: f"{baseline} better: the candidate's win rate is {rate}",
        Conclusion.NO_DIFFERENCE: f"no difference shown: {candidate} win rate {rate}",
        Conclusion.NOT_COMPARED: f"no models compared: a draw seated the answers of {pairs}",
    }
    return said[summary.conclusion] + _part_of_a_run(summary)


def cautions(summary: PairSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def outcomes(summary: PairSummary) -> list[tuple[str, int]]:
    """Return every outcome a pair can have and its count, kept apart; they add up to all pairs."""
    counts = summary.counts
    rows = [("win", counts.n_win), ("tie", counts.n_tie - counts.n_order_dependent)]
    if summary.position.table is not None or counts.n_order_dependent:
        rows.append(("order-dependent", counts.n_order_dependent))
    rows.append(("loss", counts.n_loss))
    rows.extend((failure.replace("_", " "), n) for failure, n in counts.failures.items())
    if counts.n_open:
        rows.append(("not judged", counts.n_open))
    return rows


def judged(counts: Counts) -> Judged:
    """Return the counts as the words that all modes share want them."""
    return Judged(
        noun="pair",
        results="verdicts",
        n_items=counts.n_pairs,
        n_open=counts.n_open,
        failures=counts.failures,
        without_judge=counts.without_judge,
    )


def _named(role: str, side: Side) -> str:
    return f"{role} {clean(side.model)}" if side.model else role


def _caution(caution: Caution, summary: PairSummary) -> tuple[str, ...]:
    counts = summary.counts
    match caution.kind:
        case CautionKind.LABELS_DIFFER if summary.adjusted:
            rate = f"{with_interval(summary.adjusted.win_rate)}, human-adjusted."
            return f"people's labels {_BY_LABELS[Conclusion(caution.name or '')]}:", rate
        case CautionKind.FEW_LABELS:
            return (few_labels(caution, "pair", "the human-adjusted win rate"),)
        case CautionKind.DRAWN_SEATS:
            return (
                "A and B are no models here: a draw seated the preferred answers,",
                "so the win rate compares nothing; see consistency, lean and mass.",
            )
        case CautionKind.ONE_ORDER:
            return ("one order only: position bias is in these numbers, unmeasured.",)
        case CautionKind.LOW_CONSISTENCY:
            value, limit = caution.value or 0.0, caution.limit or 0.0
            return (
                f"the judge agrees with itself on {percent(value)} of pairs (under {limit:.0%}):",
                "the rest are ties and pull the win rate to 50%.",
            )
    hint = ": see the worst case" if counts.n_verdicts else ""
    return caution_lines(caution, judged(counts), on_failures=hint)


def _part_of_a_run(summary: PairSummary) -> str:
    if summary.gate is not None and summary.gate.stop is not None:
        return " (stopped early)"
    return " (partial run)" if summary.counts.n_open else ""
