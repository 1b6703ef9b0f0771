"""Which charts a page shows: a title, what it says in words, and the drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor
from typing import Any

from markupsafe import Markup

from judgecli.reports.html import pair_figures
from judgecli.reports.html.items import ItemTable, filter_of
from judgecli.reports.html.svg import (
    IntervalRow,
    Part,
    SharePoint,
    count_rows,
    interval_rows,
    points_above,
    points_on_diagonal,
    stacked_bar,
)
from judgecli.reports.wording import Document
from judgecli.reports.wording.rows import clean, hundredths, percent
from judgecli.types import (
    AgreementSummary,
    CalibrationSummary,
    Estimate,
    GradeSummary,
    PairSummary,
    RankSummary,
    ReliabilityBin,
    RunRecord,
    Step,
    Summary,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart with its title and a caption that says how to read it; `legend` are (kind, name)."""

    title: str
    drawing: Markup
    caption: str
    legend: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One outcome in the bar below the headline; `filter` is the one that lists its items, where there is."""

    name: str
    kind: str
    n: int
    share: str
    filter: str | None


_COUNTED = {
    "grade": ("Scores", "answers by the score that the judge would write"),
    "rank": ("Outcomes", "comparisons won by each model, and those that nobody won"),
    "agree": ("Verdicts and labels", "items by how the judge's verdict and the label differ"),
}


def outcome_bar(document: Document) -> Markup:
    """Draw a document's counts as parts of all of them."""
    total = sum(bar.n for bar in document.bars) or 1
    parts = [
        Part(n=bar.n, kind=bar.kind or "even", title=f"{bar.name}: {bar.n:,} ({bar.n / total:.1%})")
        for bar in document.bars
    ]
    return stacked_bar(parts)


def outcomes(document: Document, table: ItemTable | None) -> list[Outcome]:
    """Return what the bar is a legend for, every outcome with its count and the filter that lists it."""
    total = sum(bar.n for bar in document.bars) or 1
    return [
        Outcome(
            name=bar.name,
            kind=bar.kind or "even",
            n=bar.n,
            share=percent(bar.n / total),
            filter=filter_of(table, bar.filter) if table else None,
        )
        for bar in document.bars
    ]


def counts_figure(document: Document, about: str) -> Figure | None:
    """Return a document's counts as a row each, for reports whose bars are no parts of one result."""
    if not document.bars:
        return None
    rows = [(bar.name, bar.n, bar.kind) for bar in document.bars]
    title, caption = _COUNTED.get(about, ("Counts", ""))
    return Figure(title=title, drawing=count_rows(rows), caption=caption)


def figures(record: RunRecord, summary: Summary) -> list[Figure]:
    """Return the charts of a report, without those that have nothing to show."""
    makers: Mapping[str, Callable[[RunRecord, Any], Iterator[Figure]]] = {
        "pair": _of_pairs,
        "grade": _of_grades,
        "rank": _of_ranking,
        "agree": _of_agreement,
        "calibrate": _of_calibration,
    }
    make = makers.get(summary.about)
    return list(make(record, summary)) if make else []


def _of_rows(
    title: str,
    rows: Sequence[IntervalRow],
    caption: str,
    low: float = 0.0,
    high: float = 1.0,
    mark: float | None = 0.5,
) -> Iterator[Figure]:
    """Yield values on one axis; nothing where no row has a value."""
    if any(one.value is not None for one in rows):
        yield Figure(title=title, drawing=interval_rows(rows, low, high, mark), caption=caption)


def _of_pairs(record: RunRecord, summary: PairSummary) -> Iterator[Figure]:
    names = tuple(clean(side.model or name) for side, name in ((summary.side_a, "A"), (summary.side_b, "B")))
    if summary.by_category:
        rows = [share_row(part.name, part.win_rate) for part in summary.by_category]
        yield from _of_rows(
            f"Win rate by {clean(summary.category_field or 'category')}",
            rows,
            "the candidate's, ties half a win, 95% intervals; the line is 50%",
        )
    columns = pair_figures.score_columns(record.verdicts)
    if columns:
        yield Figure(
            title="Scores",
            drawing=pair_figures.drawn_scores(columns, (names[0], names[1])),
            caption="pairs by score, the mean of both orders, whole numbers and up to the next",
            legend=(("side-a", f"A {names[0]}"), ("side-b", f"B {names[1]}")),
        )
    bins = pair_figures.length_bins(record)
    if bins:
        yield Figure(
            title="Length and verdict",
            drawing=pair_figures.drawn_lengths(bins),
            caption="pairs in equal parts by how many characters B is longer than A; right: win rate of B",
            legend=pair_figures.OUTCOMES,
        )
    yield from _reliability(summary.adjusted.reliability if summary.adjusted else ())


def _of_grades(_record: RunRecord, summary: GradeSummary) -> Iterator[Figure]:
    scale = summary.scale
    if not summary.by_metadata or scale is None:
        return
    low, high = (0.0, 1.0) if scale.labels else (scale.low, scale.high)
    for name in dict.fromkeys(split.name for split in summary.by_metadata):
        parts = [split for split in summary.by_metadata if split.name == name]
        rows = [
            share_row(one.value, one.result) if scale.labels else number_row(one.value, one.result)
            for one in parts
        ]
        caption = f"from {low:g} to {high:g}, 95% intervals"
        yield from _of_rows(f"By {clean(name)}", rows, caption, low, high, None)


def _of_ranking(_record: RunRecord, summary: RankSummary) -> Iterator[Figure]:
    merits = [(one.side.model or one.letter, one.merit) for one in summary.standings]
    ends = [end for _, merit in merits for end in (merit.value, merit.low, merit.high) if end is not None]
    if len(ends) < 2 or min(ends) == max(ends):
        return
    on_elo = summary.pairs is not None
    rows = [number_row(name, merit, 0 if on_elo else 2) for name, merit in merits]
    yield Figure(
        title="Strength" if on_elo else "Mean score",
        drawing=interval_rows(rows, min(ends), max(ends), 1000 if on_elo else None),
        caption="95% intervals over items" + ("; the line is the mean of all, 1000" if on_elo else ""),
    )


def _of_agreement(_record: RunRecord, summary: AgreementSummary) -> Iterator[Figure]:
    if summary.splits:
        rows = [share_row(part.name, part.agreement.accuracy) for part in summary.splits]
        title = f"Agreement by {clean(summary.splits_by or '')}"
        yield from _of_rows(title, rows, "95% intervals", mark=None)
    yield from _reliability(summary.reliability)


def _of_calibration(_record: RunRecord, summary: CalibrationSummary) -> Iterator[Figure]:
    points, asked = [_step(one) for one in summary.steps if one.n], summary.calibration.agree
    if points:
        confidence = percent(summary.calibration.confidence)
        lowest = min(asked, *(one.y if one.low is None else one.low for one in points))
        yield Figure(
            title="Agreement from a confidence on",
            drawing=points_above(points, _axis(min(one.x for one in points)), _axis(lowest), asked),
            caption="along: the confidence; up: how many verdicts of at least that agree with people, down "
            f"to what holds with {confidence} confidence; the dashed line is what was asked",
            legend=(("point", "certified"), ("doubtful", "not certified")),
        )


def _step(one: Step) -> SharePoint:
    right, low = 1 - one.k / one.n, 1 - one.bound
    said = f"{one.threshold:.3f}, n={one.n:,}: {percent(right)}, at least {percent(low)}"
    kind = "point" if one.passed else "doubtful"
    return SharePoint(x=one.threshold, y=right, low=low, high=right, said=said, kind=kind)


def _axis(lowest: float) -> tuple[float, float]:
    """Return an axis of tenths from at most the lowest value to 1."""
    return min(floor(lowest * 10), 9) / 10, 1.0


def _reliability(bins: Sequence[ReliabilityBin]) -> Iterator[Figure]:
    if bins:
        yield Figure(
            title="Confidence and agreement",
            drawing=points_on_diagonal([_point(one) for one in bins]),
            caption="along: the judge's confidence; up: how many such verdicts agree with people; on the "
            "dashed line it is as sure as it is right",
        )


def _point(one: ReliabilityBin) -> SharePoint:
    right = one.right
    said = f"confidence {hundredths(one.confidence)}: {share_row('', right).said} of {right.n:,} agree"
    return SharePoint(x=one.confidence, y=right.value or 0.0, low=right.low, high=right.high, said=said)


def share_row(name: str, estimate: Estimate) -> IntervalRow:
    """Return a share as a row of a chart."""
    said = "-" if estimate.value is None else percent(estimate.value)
    return IntervalRow(
        name=clean(name), value=estimate.value, low=estimate.low, high=estimate.high, said=said
    )


def number_row(name: str, estimate: Estimate, digits: int = 2) -> IntervalRow:
    """Return a number that is no share as a row of a chart."""
    value = estimate.value
    said = "-" if value is None else hundredths(value) if digits else f"{value:.0f}"
    return IntervalRow(name=clean(name), value=value, low=estimate.low, high=estimate.high, said=said)
