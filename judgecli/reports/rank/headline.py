"""The first sentence of a ranking's report, and its warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from judgecli.reports.rank.names import judged, merit, names_of
from judgecli.reports.wording import Headline
from judgecli.reports.wording.cautions import caution_lines, why_nothing
from judgecli.reports.wording.rows import clean, percent, plural
from judgecli.types import Caution, CautionKind, Fit, RankSummary, Standing

_MAX_NAMED = 2
_MAX_GROUPS = 3


def headline(summary: RankSummary) -> Headline:
    """Say which model is first and how sure that is, in one sentence."""
    ranked = [one for one in summary.standings if one.rank is not None]
    if not ranked:
        return Headline(subject="no ranking", result=why_nothing(judged(summary)) or "nothing was judged")
    first = _first(ranked, summary)
    return replace(first, result=f"{first.result} (partial run)") if summary.counts.n_open else first


def _first(ranked: list[Standing], summary: RankSummary) -> Headline:
    names = {letter: clean(name) for letter, name in names_of(summary).items()}
    if _has_groups(summary):
        return Headline(subject="no first", result="the models fall into groups that were never compared")
    best = ranked[0]
    value = merit(best.merit)
    said = f"{value} on the Elo scale" if summary.pairs is not None else f"mean score {value}"
    result = f"{said}, n={plural(best.merit.n, 'item')}"
    level = [names[one.letter] for one in ranked if one.rank == 1]
    if len(level) > 1:
        return Headline(subject="no clear first", result=f"{_some(level)} are level with {result}")
    if best.rank_high == 1:
        return Headline(subject=f"{names[best.letter]} first", result=result)
    rivals = [names[one.letter] for one in ranked[1:] if one.rank_low == 1]
    also = f"; {_some(rivals)} may be first too" if rivals else ""
    return Headline(subject="no clear first", result=f"{names[best.letter]} is ahead with {result}{also}")


def _some(names: list[str]) -> str:
    shown = names[:_MAX_NAMED]
    rest = len(names) - len(shown)
    return f"{', '.join(shown)} and {rest} more" if rest else " and ".join(shown)


def cautions(summary: RankSummary) -> list[tuple[Caution, tuple[str, ...]]]:
    """Return each warning and its sentences."""
    return [(caution, _caution(caution, summary)) for caution in summary.cautions]


def _caution(caution: Caution, summary: RankSummary) -> tuple[str, ...]:
    value, limit = caution.value or 0.0, caution.limit or 0.0
    match caution.kind:
        case CautionKind.LOW_CONSISTENCY:
            return (
                f"the judge agrees with itself on {percent(value)} of comparisons (under {limit:.0%}):",
                "the rest are ties and draw the models together.",
            )
        case CautionKind.SEPARATION:
            return tuple(_separation(summary.pairs.fit, summary)) if summary.pairs else ()
        case CautionKind.UNEVEN_SEATS:
            seats = f"each answer sat in {plural(int(value), 'seat')} of {limit:.0f}:"
            return (seats, "what the seats do to a score is in these numbers.")
        case CautionKind.FEW_ITEMS:
            return caution_lines(caution, replace(judged(summary), noun="item"))
    return caution_lines(caution, judged(summary))


def _has_groups(summary: RankSummary) -> bool:
    return summary.pairs is not None and len(summary.pairs.fit.groups) > 1


def _separation(fit: Fit, summary: RankSummary) -> Iterable[str]:
    names = {letter: clean(name) for letter, name in names_of(summary).items()}
    if _has_groups(summary):
        groups = [_some([names[letter] for letter in letters]) for letters in fit.groups]
        shown = [f"({group})" for group in groups[:_MAX_GROUPS]]
        more = [f"{len(groups) - len(shown)} more"] if len(groups) > len(shown) else []
        yield f"no verdict links these groups of models: {', '.join([*shown, *more])};"
        yield "ranks across them mean nothing."
        return
    said = [
        f"{_some([names[letter] for letter in letters])} never {verb} a point"
        for letters, verb in ((fit.unbeaten, "lost"), (fit.winless, "won"))
        if letters
    ]
    yield f"{', '.join(said) or 'some models never lost a point to the others'}: strengths have no bound."
    yield "Each two models were given one tie more; read the ranks, not the distances."
