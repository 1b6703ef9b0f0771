"""The first sentence of a report, its warnings, and its outcomes."""

from __future__ import annotations

from judgecli.reports.pairs.kinds import FLIPPED, LOSS, OPEN, TIE, WIN
from judgecli.reports.wording import Headline
from judgecli.reports.wording.cautions import Judged, caution_lines, failure_name, few_labels, why_nothing
from judgecli.reports.wording.rows import clean, percent, plural, with_interval
from judgecli.types import Adjusted, Caution, CautionKind, Conclusion, Counts, PairSummary, Side

_BY_LABELS = {
    Conclusion.NO_DIFFERENCE: "show no difference",
    Conclusion.CANDIDATE_BETTER: "show the candidate better",
    Conclusion.BASELINE_BETTER: "show the baseline better",
}


def headline(summary: PairSummary) -> Headline:
    """Say who is better and how sure that is, in one sentence."""
    if summary.conclusion is Conclusion.NO_VERDICTS:
        return Headline(subject="no verdicts", result=why_nothing(judged(summary.counts)))
    rate = f"{with_interval(summary.win_rate)}, n={summary.win_rate.n:,}"
    if summary.gate is not None and summary.conclusion is not Conclusion.NOT_COMPARED:
        # the gate says what follows from it, at a level of its own
        result = f"win rate {rate}{_part_of_a_run(summary)}"
        return Headline(subject=_named("candidate", summary.side_b), result=result)
    pairs = plural(summary.win_rate.n, "pair")
    candidate, baseline = _named("candidate", summary.side_b), _named("baseline", summary.side_a)
    said = {
        Conclusion.CANDIDATE_BETTER: (f"{candidate} better", f"win rate {rate}"),
        Conclusion.BASELINE_BETTER: (f"{baseline} better", f"the candidate's win rate is {rate}"),
        Conclusion.NO_DIFFERENCE: ("no difference shown", f"{candidate} win rate {rate}"),
        Conclusion.NOT_COMPARED: ("no models compared", f"a draw seated the answers of {pairs}"),
    }
    subject, result = said[summary.conclusion]
    return Headline(subject=subject, result=f"{result}{_part_of_a_run(summary)}")


def cautions(summary: PairSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def outcomes(summary: PairSummary) -> list[tuple[str, int]]:
    """Return every outcome a pair can have and its count, kept apart; they add up to all pairs."""
    counts = summary.counts
    rows = [(WIN, counts.n_win), (TIE, counts.n_tie - counts.n_order_dependent)]
    if summary.position.table is not None or counts.n_order_dependent:
        rows.append((FLIPPED, counts.n_order_dependent))
    rows.append((LOSS, counts.n_loss))
    rows.extend((failure_name(failure), n) for failure, n in counts.failures.items())
    if counts.n_open:
        rows.append((OPEN, counts.n_open))
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
    hint = ": see the worst case" if counts.n_verdicts else ""
    own = _of_pairs(caution, summary) or _of_labels(caution, summary.adjusted)
    return own or caution_lines(caution, judged(counts), on_failures=hint)


def _of_pairs(caution: Caution, summary: PairSummary) -> tuple[str, ...]:
    """Return the sentences of a warning that only pairs have; () of another."""
    value, limit = caution.value or 0.0, caution.limit or 0.0
    match caution.kind:
        case CautionKind.DRAWN_SEATS:
            return (
                "A and B are no models here: a draw seated the preferred answers,",
                "so the win rate compares nothing; see consistency, lean and mass.",
            )
        case CautionKind.MISSING_ANSWERS:
            counted = "a loss" if caution.name == "candidate" else "a failure"
            left_out = ", and not in the win rate" if summary.reached is None else ""
            return (
                f"{plural(int(value), 'pair')} without the {caution.name}'s answer:",
                f"each is {counted} to the gate{left_out}.",
            )
        case CautionKind.ONE_ORDER:
            return ("one order only: position bias is in these numbers, unmeasured.",)
        case CautionKind.LOW_CONSISTENCY:
            return (
                f"the judge agrees with itself on {percent(value)} of pairs (under {limit:.0%}):",
                "the rest are ties and pull the win rate to 50%.",
            )
    return ()


def _of_labels(caution: Caution, adjusted: Adjusted | None) -> tuple[str, ...]:
    """Return the sentences of a warning about people's labels; () of another."""
    if caution.kind is CautionKind.LABELS_DIFFER and adjusted is not None:
        rate = f"{with_interval(adjusted.win_rate)}, human-adjusted."
        return f"people's labels {_BY_LABELS[Conclusion(caution.name or '')]}:", rate
    if caution.kind is CautionKind.FEW_LABELS:
        return (few_labels(caution, "pair", "the human-adjusted win rate"),)
    return ()


def _part_of_a_run(summary: PairSummary) -> str:
    if summary.gate is not None and summary.gate.stop is not None:
        return " (stopped early)"
    return " (partial run)" if summary.counts.n_open else ""
