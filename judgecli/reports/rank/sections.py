"""What a ranking's report says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from judgecli.reports.rank.judging import judge_facts
from judgecli.reports.rank.names import judged, merit, names_of, number
from judgecli.reports.wording.answers import incomplete, side_phrases
from judgecli.reports.wording.cautions import ruled
from judgecli.reports.wording.rows import (
    Row,
    Section,
    breakdown,
    listed,
    percent,
    plural,
    row,
    section,
    some,
    with_interval,
)
from judgecli.reports.wording.setup import judge_rows, notes, part, references, turns, word
from judgecli.types import Estimate, JointStanding, PairsStanding, RankSummary, RunRecord, Split, Standing

_MAX_MEETINGS = 10
_MAX_IDS = 5
_MAX_NOTES = 4


def sections(record: RunRecord, summary: RankSummary) -> list[Section]:
    """Return everything a report says: who and with what, the ranks, who met whom, the judge, the answers."""
    everything = [
        section("Setup", _setup(record, summary)),
        section("Ranking", _ranking(summary)),
        section("Meetings", _meetings(summary)),
        section("Judge", judge_facts(record, summary)),
        section("Answers", (*_answers(summary), *_input(record))),
    ]
    return [one for one in everything if one.rows]


def _setup(record: RunRecord, summary: RankSummary) -> Iterator[Row | None]:
    for one in sorted(summary.standings, key=lambda one: one.letter):
        yield row(one.letter, *side_phrases(one.side))
    yield from judge_rows(record.header)
    counts = summary.counts
    judgments = plural(counts.n_judgments, "judgment")
    if summary.joint is not None:
        shown = f"all answers in one prompt, {plural(summary.joint.n_rotations, 'rotation')}"
        yield row("compared", f"{plural(counts.n_items, 'item')} ({judgments})", shown)
    else:
        compared = f"{plural(counts.n_compared, 'comparison')} ({judgments})"
        yield row("compared", f"every two models on {plural(counts.n_items, 'item')}", compared)


def _ranking(summary: RankSummary) -> Iterator[Row | None]:
    names = names_of(summary)
    for one in summary.standings:
        yield row(_place(one), names[one.letter], merit(one.merit), _rank(one), *_more(one))
    best = [one for one in summary.standings if one.p_first]
    if best:
        first = sorted(best, key=lambda one: -(one.p_first or 0.0))
        said = [f"{names[one.letter]} in {percent(one.p_first or 0.0)} of resamples" for one in first]
        yield row("in front", *some(said, _MAX_IDS))
    yield row("method", *_method(summary))


def _place(one: Standing) -> str:
    return f"{'-' if one.rank is None else one.rank:<3}{one.letter}"


def _rank(one: Standing) -> str | None:
    if one.rank_low is None or one.rank_high is None:
        return None
    return f"rank {one.rank_low}" if one.rank_low == one.rank_high else f"rank {one.rank_low}-{one.rank_high}"


def _more(one: Standing) -> Iterator[str | None]:
    if one.rank is None:
        return
    if isinstance(one, PairsStanding):
        yield f"win rate {with_interval(one.win_rate)}"
    if isinstance(one, JointStanding):
        yield f"best on {with_interval(one.best)}"
        yield f"mean rank {number(one.mean_rank, 2)}"


def _method(summary: RankSummary) -> Iterator[str | None]:
    if all(one.rank is None for one in summary.standings):
        return
    if summary.pairs is not None:
        fit = summary.pairs.fit
        yield "Bradley-Terry strengths on the Elo scale, mean 1000"
        yield "a tie counts half"
        yield f"95% intervals of {fit.n_resamples:,} resamples of {plural(fit.n_items, 'item')}"
        if fit.n_separated and not fit.is_separated:
            yield f"{fit.n_separated:,} of them without a bound and given ties"
    else:
        yield "mean scores over items and seats, 95% t intervals"
        yield "a best score that is shared counts in parts"


def _meetings(summary: RankSummary) -> Iterator[Row | None]:
    """Yield the win rate of the higher one of two models; of many models, of neighbours only."""
    if summary.pairs is None:
        return
    places = {one.letter: place for place, one in enumerate(summary.standings)}
    by_place = sorted(
        (tuple(sorted(places[letter] for letter in one.name)), one) for one in summary.pairs.meetings
    )
    shown = [one for (high, low), one in by_place if len(by_place) <= _MAX_MEETINGS or low == high + 1]
    for one in shown:
        yield _meeting(one, places)
    rest = len(by_place) - len(shown)
    yield row("", f"neighbours only; {rest:,} more with --format json") if rest else None


def _meeting(one: Split, places: Mapping[str, int]) -> Row | None:
    first, second = tuple(one.name)
    counts = one.counts
    rate, won, lost = one.win_rate, counts.n_win, counts.n_loss
    if places[first] < places[second]:
        rate, won, lost = _other_way_round(rate), lost, won
    else:
        first, second = second, first
    return row(
        f"{first} against {second}",
        with_interval(rate),
        f"won {won:,} tied {counts.n_tie:,} lost {lost:,}",
        None if one.consistency.value is None else f"consistent {percent(one.consistency.value)}",
        f"{counts.n_failed:,} failed" if counts.n_failed else None,
        f"{counts.n_open:,} not judged yet" if counts.n_open else None,
    )


def _other_way_round(rate: Estimate) -> Estimate:
    """Return the first one's win rate, given the second one's."""
    value, low, high = (None if end is None else 1 - end for end in (rate.value, rate.high, rate.low))
    return replace(rate, value=value, low=low, high=high)


def _answers(summary: RankSummary) -> Iterator[Row | None]:
    counts = summary.counts
    if counts.without_judge:
        told = judged(summary)
        yield row("no judge", f"{plural(counts.n_by_rule, told.noun)} decided by rule: {ruled(told)}")
    by_letter = sorted(summary.standings, key=lambda one: one.letter)
    lengths = [
        f"{one.letter} {one.side.median_characters:,.0f}"
        for one in by_letter
        if one.side.median_characters is not None
    ]
    yield row("lengths", f"median characters {lengths[0]}", *lengths[1:]) if lengths else None
    wanting = ((one.letter, incomplete(one.side)) for one in by_letter)
    yield row("incomplete", *(f"{letter}: {found}" for letter, found in wanting if found))
    yield row("flagged", breakdown(summary.flags.items())) if summary.flags else None


def _input(record: RunRecord) -> Iterator[Row | None]:
    """Say how the answers were joined, what was left out, and what the reading noted."""
    given = part(record.header, "input")
    joined = word(given, "paired_by")
    yield row(
        "joined",
        f"by {joined}" if joined else None,
        f"formats {_formats(given.get('formats'))}" if given.get("formats") else None,
        turns(given),
        references(given, len(record.items)),
    )
    for file, ids in part(given, "missing").items():
        if isinstance(ids, list | tuple) and ids:
            found = ", ".join(some(map(str, ids), _MAX_IDS))
            yield row("left out", f"{plural(len(ids), 'id')} that {file} lacks: {found}")
    yield from listed("notes", notes(record), _MAX_NOTES)


def _formats(formats: Any) -> str:
    return ", ".join(dict.fromkeys(map(str, formats))) if isinstance(formats, list | tuple) else str(formats)
