"""The answers of a run that grades one at a time."""

from __future__ import annotations

from collections.abc import Iterator

from judgecli.reports.html.items import Cell, Column, ItemTable, Row, judgment_texts, texts_of
from judgecli.reports.pairs.kinds import OPEN, TONES
from judgecli.reports.pairs.phrases import judgment_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.reports.wording.cautions import failure_name
from judgecli.types import DecidedBy, Item, Judgment, Order, RunRecord, Summary

_EXCERPT = 90
_ALONE = Order("A")
_GRADED = "graded"


def table(record: RunRecord, _summary: Summary) -> ItemTable:
    """Return every answer with its score, in the order of the run."""
    columns = (
        Column(name="item", kind="id", wide=False),
        Column(name="result", kind="outcome", wide=False),
        Column(name="score", kind="number", wide=False),
        Column(name="expected", kind="number", about="mean of the judge's distribution"),
        Column(name="length", kind="number", about="characters of the answer"),
        Column(name="instruction", kind="text"),
    )
    rows = tuple(_row(item, record.judgments.get((item.id, _ALONE))) for item in record.items)
    return ItemTable(
        noun="answer", columns=columns, filters=("failures", "ruled", "open", "flagged"), rows=rows
    )


def _row(item: Item, judgment: Judgment | None) -> Row:
    # an empty answer is not shown to the judge: a rule grades it
    is_ruled = judgment is None and item.response_a.is_empty
    result, tone = (str(DecidedBy.EMPTY), "bad") if is_ruled else _result(judgment)
    score: Cell = judgment.scores.get("A") if judgment else None
    expected = judgment.expected.get("A") if judgment else None
    cells = (score, None if expected is None else round(expected, 2), len(item.responses[0].output))
    answer = ("answer", f"{len(item.responses[0].output):,} characters", item.responses[0].output)
    said = judgment_phrases(judgment) if judgment else []
    return Row(
        cells=(item.id, result, *cells, one_line(item.instruction, _EXCERPT)),
        tone=tone,
        passes=frozenset(_passes(item, judgment, is_ruled=is_ruled)),
        item=item,
        texts=texts_of(
            item, [answer], [result, *said], [judgment_texts("judge", said, judgment)] if judgment else []
        ),
    )


def _result(judgment: Judgment | None) -> tuple[str, str]:
    """Return what the judge came to, and its tone."""
    if judgment is None:
        return OPEN, TONES[OPEN]
    return (_GRADED, "even") if judgment.failure is None else (failure_name(judgment.failure), "failed")


def _passes(item: Item, judgment: Judgment | None, *, is_ruled: bool) -> Iterator[str]:
    if is_ruled:
        yield "ruled"
    elif judgment is None:
        yield "open"
    elif judgment.failure is not None:
        yield "failures"
    if item.flags or (judgment and judgment.flags):
        yield "flagged"
