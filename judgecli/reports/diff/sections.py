"""What a report on two runs says below its headline, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from judgecli.reports.pairs import outcome
from judgecli.reports.wording.rows import (
    MAX_ID,
    Row,
    Section,
    Table,
    coefficient,
    listed,
    plural,
    points_with_interval,
    row,
    section,
    shortened,
    some,
    with_interval,
)
from judgecli.reports.wording.setup import judge_rows, part, word
from judgecli.types import DiffSummary, RunRecord

_MAX_IDS = 5
_MAX_CHANGED = 12
_AXIS = ("A", "tie", "B")


def sections(record: RunRecord, summary: DiffSummary) -> list[Section]:
    """Return everything a report says: which runs, what moved, and which items changed."""
    everything = [
        section("Setup", _setup(record, summary)),
        section("Verdicts", _verdicts(summary), _table(summary) if summary.n_compared else None),
        section("Items", _items(summary)),
    ]
    return [one for one in everything if one.rows or one.table]


def _setup(record: RunRecord, summary: DiffSummary) -> Iterator[Row | None]:
    first, second = summary.names
    yield row("first", first, *_models(summary.first.header))
    yield from _judge(summary.first.header)
    yield row("second", second, *_models(record.header))
    yield from () if summary.same_judge else _judge(record.header)
    yield row("the same", *_common(summary))
    yield row("compared", f"{plural(summary.n_compared, 'pair')} with a verdict in both")


def _judge(header: Mapping[str, Any]) -> Iterator[Row | None]:
    return (one for one in judge_rows(header) if one and one.label in {"judge", "prompt", "stronger"})


def _models(header: Mapping[str, Any]) -> Iterator[str | None]:
    given = part(header, "input")
    for letter, key in (("A", "model_a"), ("B", "model_b")):
        name = word(given, key)
        yield f"{letter} {name}" if name else None


def _common(summary: DiffSummary) -> Iterator[str]:
    changes = summary.changes
    if summary.same_answers:
        yield "all questions and answers"
    else:
        for name, n in (
            ("question", sum(one.same_question for one in changes)),
            ("A's answer", sum(one.same_a for one in changes)),
            ("B's answer", sum(one.same_b for one in changes)),
        ):
            yield f"{name} in {n:,} of {len(changes):,}"
    yield "judge and prompt" if summary.same_judge else "but not the judge"


def _verdicts(summary: DiffSummary) -> Iterator[Row | None]:
    if not summary.n_compared:
        return
    yield row(
        "win rate",
        f"{with_interval(summary.rate_first)} first",
        f"{with_interval(summary.rate_second)} second",
    )
    yield row("difference", points_with_interval(summary.difference), "paired by item, 95%")
    yield row("agreement", with_interval(summary.agreement), "the same verdict in both runs")
    legend = "agreement beyond chance, 0 is chance" if summary.kappa.value is not None else None
    yield row("kappa", coefficient(summary.kappa), legend)


def _table(summary: DiffSummary) -> Table:
    rows = zip(_AXIS, summary.table, strict=True)
    return Table(
        header=("first", "second A", "tie", "B"),
        rows=tuple((name, *(f"{n:,}" for n in counts)) for name, counts in rows),
    )


def _items(summary: DiffSummary) -> Iterator[Row | None]:
    moved = [one for one in summary.changes if one.has_other_verdict]
    yield row("changed", f"{len(moved):,} of {plural(len(summary.changes), 'pair')}")
    said = (f"{_id(one.first.id)}: {outcome(one.before)} to {outcome(one.after)}" for one in moved)
    yield from listed("for example", said, _MAX_CHANGED)
    for label, ids in (("only first", summary.only_first), ("only second", summary.only_second)):
        shown = ", ".join(some(map(_id, ids), _MAX_IDS))
        yield row(label, f"{plural(len(ids), 'id')}: {shown}" if ids else None)


def _id(text: str) -> str:
    return shortened(text, MAX_ID)
