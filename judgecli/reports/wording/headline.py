"""The first sentence of a report, its warnings, and its outcomes."""

from __future__ import annotations

from judgecli.reports.wording.rows import breakdown, clean, percent, plural, with_interval
from judgecli.types import Caution, CautionKind, Conclusion, Counts, Side, Summary


def headline(summary: Summary) -> str:
    """Say who is better and how sure that is, in one sentence."""
    if summary.conclusion is Conclusion.NO_VERDICTS:
        return f"no verdicts: {_why_nothing(summary.counts)}"
    rate = f"{with_interval(summary.win_rate)}, n={summary.win_rate.n:,}"
    candidate, baseline = _named("candidate", summary.side_b), _named("baseline", summary.side_a)
    said = {
        Conclusion.CANDIDATE_BETTER: f"{candidate} better: win rate {rate}",
        Conclusion.BASELINE_BETTER: f"{baseline} better: the candidate's win rate is {rate}",
        Conclusion.NO_DIFFERENCE: f"no difference shown: {candidate} win rate {rate}",
    }
    return said[summary.conclusion] + (" (partial run)" if summary.counts.n_open else "")


def cautions(summary: Summary) -> list[tuple[CautionKind, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution.kind, _caution(caution, summary.counts)) for caution in summary.cautions]


def outcomes(summary: Summary) -> list[tuple[str, int]]:
    """Return every outcome a pair can have and its count, kept apart; they add up to all pairs."""
    counts = summary.counts
    rows = [("win", counts.n_win), ("tie", counts.n_tie - counts.n_order_dependent)]
    if summary.position.table is not None or counts.n_order_dependent:
        rows.append(("order-dependent", counts.n_order_dependent))
    rows.append(("loss", counts.n_loss))
    rows.extend((failure.replace("_", " "), n) for failure, n in counts.failures.items())
    if counts.n_open:
        rows.append(("not judged yet", counts.n_open))
    return rows


def failures(counts: Counts) -> str:
    """Write the failures out of all pairs: `1 of 2 unreadable`, `3 of 80: 2 unreadable, 1 too long`."""
    kinds = [(failure.replace("_", " "), n) for failure, n in counts.failures.items()]
    of_all = f"{counts.n_failed:,} of {counts.n_pairs:,}"
    return f"{of_all} {kinds[0][0]}" if len(kinds) == 1 else f"{of_all}: {breakdown(kinds)}"


def _named(role: str, side: Side) -> str:
    return f"{role} {clean(side.model)}" if side.model else role


def _why_nothing(counts: Counts) -> str:
    if not counts.n_pairs:
        return "no pairs"
    failed = failures(counts) if counts.n_failed else None
    still_open = f"{counts.n_open:,} of {counts.n_pairs:,} not judged yet" if counts.n_open else None
    return "; ".join(filter(None, (failed, still_open)))


def _caution(caution: Caution, counts: Counts) -> tuple[str, ...]:
    value, limit = caution.value or 0.0, caution.limit or 0.0
    lines: tuple[str, ...]
    match caution.kind:
        case CautionKind.DEMO_JUDGE:
            lines = ("demo judge, at chance: it means nothing. A real one: judge pull judgelm-7b",)
        case CautionKind.PARTIAL:
            lines = (
                f"partial run: {int(value):,} of {plural(counts.n_pairs, 'pair')} not judged yet;",
                "the same command resumes.",
            )
        case CautionKind.ONE_ORDER:
            lines = ("one order only: position bias is in these numbers, unmeasured.",)
        case CautionKind.LOW_CONSISTENCY:
            lines = (
                f"the judge agrees with itself on {percent(value)} of pairs (under {limit:.0%}):",
                "the rest are ties and pull the win rate to 50%.",
            )
        case CautionKind.MANY_FAILURES:
            hint = ": see the worst case" if counts.n_verdicts else ""
            lines = (f"{percent(value)} of pairs failed (over {limit:.0%}){hint}.",)
        case CautionKind.WITHOUT_JUDGE:
            lines = (
                f"{percent(value)} of the verdicts come from rules, not from the judge:",
                f"{', '.join(f'{n:,} {name}' for name, n in counts.without_judge.items())}.",
            )
        case CautionKind.LOW_MASS:
            lines = (
                f"only {percent(value)} of the judge's probability is on verdicts:",
                "it does not know this prompt.",
            )
        case CautionKind.FEW_PAIRS:
            lines = (f"only {plural(int(value), 'pair')} (under {limit:.0f}): take the result as a hint.",)
    return lines
