"""What a report on an alternative annotator test says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.wording.rows import (
    Row,
    Section,
    coefficient,
    listed,
    p_value,
    percent,
    plural,
    row,
    section,
)
from judgecli.reports.wording.setup import judge_rows, notes
from judgecli.types import AnnotatorTest, RunRecord, ValidationSummary

_MAX_NOTES = 6


def sections(record: RunRecord, summary: ValidationSummary) -> list[Section]:
    """Return everything a report says: whose verdicts and labels, the test, each annotator."""
    everything = [
        section("Setup", _setup(record, summary)),
        section("Test", _test(summary)),
        section("Annotators", _annotators(summary)),
        section("Notes", listed("notes", [*summary.notes, *notes(record)], _MAX_NOTES)),
    ]
    return [one for one in everything if one.rows]


def _setup(record: RunRecord, summary: ValidationSummary) -> Iterator[Row | None]:
    yield from judge_rows(record.header)
    yield row("labels", summary.labels_file)
    items = f"{plural(summary.n_items, 'item')} with a verdict and labels"
    yield row("compared", items, _groups(summary))


def _groups(summary: ValidationSummary) -> str | None:
    if summary.group is None or summary.n_groups is None:
        return None
    return f"{plural(summary.n_groups, 'group')} by {summary.group}, each of which counts once"


def _test(summary: ValidationSummary) -> Iterator[Row | None]:
    if summary.passes is None:
        return
    share = "share of annotators against whom the judge is shown to hold"
    yield row("omega", coefficient(summary.omega), share, "0.50 or more passes")
    mean = "how often the judge is as good as an annotator or better"
    yield row("rho", coefficient(summary.rho), mean, "mean over annotators")
    allowed = f"the judge may do {100 * summary.epsilon:g} points worse than an annotator"
    yield row("epsilon", f"{summary.epsilon:g}", allowed)
    allowed = f"at most {100 * summary.q:g}% of these said to hold are wrong"
    yield row("level", allowed, "p adjusted for it by Benjamini-Yekutieli")


def _annotators(summary: ValidationSummary) -> Iterator[Row | None]:
    for i, test in enumerate(summary.tests):
        yield row("" if i else "against", f"{test.annotator}: {_held(test)}", *_numbers(test))


def _held(test: AnnotatorTest) -> str:
    if test.p_value is None:
        return test.reason or "not tested"
    return "the judge holds" if test.rejected else "not shown to hold"


def _numbers(test: AnnotatorTest) -> Iterator[str | None]:
    if test.advantage is not None:
        yield f"as good or better on {percent(test.advantage)}"
    if test.human_advantage is not None:
        yield f"the annotator on {percent(test.human_advantage)}"
    yield p_value(test.p_value)
    adjusted = p_value(test.adjusted_p_value)
    yield f"adjusted {adjusted}" if adjusted else None
    yield f"n={test.n:,}"
