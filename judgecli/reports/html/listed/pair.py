"""The pairs of a run."""

from __future__ import annotations

from judgecli.reports.html.items import Cell, Column, ItemTable, Row, judgment_texts, texts_of
from judgecli.reports.pairs import PairKind, PairView, outcome, views
from judgecli.reports.pairs.kinds import TONES
from judgecli.reports.pairs.phrases import judgment_phrases, seating, verdict_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.types import Judgment, PairSummary, Response, RunRecord

_EXCERPT = 90


def table(record: RunRecord, summary: PairSummary) -> ItemTable:
    """Return every pair with its verdict, in the order of the run."""
    pairs = tuple(views(record))
    has_scores = any(view.verdict.score_a is not None for view in pairs)
    has_p = any(view.verdict.p_b is not None for view in pairs)
    names = _names(record)
    columns = (
        Column(name="pair", kind="id", wide=False),
        Column(name="verdict", kind="outcome", wide=False),
        *((Column(name="A", kind="number", about="score of A"),) if has_scores else ()),
        *((Column(name="B", kind="number", about="score of B"),) if has_scores else ()),
        *((Column(name="P(B)", kind="number", about="probability that B is better"),) if has_p else ()),
        Column(name="length", kind="number", about="characters of B less those of A"),
        Column(name="instruction", kind="text"),
    )
    rows = tuple(_row(view, names, has_scores=has_scores, has_p=has_p) for view in pairs)
    failures = tuple(sorted({outcome(view.verdict) for view in pairs if view.verdict.failure is not None}))
    return ItemTable(
        noun="pair",
        columns=columns,
        filters=tuple(PairKind),
        rows=rows,
        failures=failures,
        field=summary.category_field,
    )


def _row(view: PairView, names: tuple[str, str], *, has_scores: bool, has_p: bool) -> Row:
    verdict, item = view.verdict, view.item
    came_to = outcome(verdict)
    scores: tuple[Cell, ...] = (verdict.score_a, verdict.score_b) if has_scores else ()
    p: tuple[Cell, ...] = (None if verdict.p_b is None else round(verdict.p_b, 3),) if has_p else ()
    longer = len(item.response_b.output) - len(item.response_a.output)
    return Row(
        cells=(item.id, came_to, *scores, *p, longer, one_line(item.instruction, _EXCERPT)),
        tone=TONES.get(came_to, "failed"),
        passes=view.kinds if verdict.failure is None else view.kinds | {came_to},
        item=item,
        texts=texts_of(item, _answers(view, names), verdict_phrases(view), _judgments(view), (0, 1)),
    )


def _answers(view: PairView, names: tuple[str, str]) -> list[tuple[str, str, str]]:
    sides = zip("AB", names, (view.item.response_a, view.item.response_b), strict=True)
    return [
        (f"{letter} {name}".rstrip(), note(response), response.output) for letter, name, response in sides
    ]


def note(response: Response) -> str:
    """Say how long an answer is, and that it was cut off where it was."""
    cut = ", cut off" if response.finish_reason == "length" else ""
    return f"{len(response.output):,} characters{cut}"


def _judgments(view: PairView) -> list[dict[str, object]]:
    own = [judgment_texts(seating(one), _said(one), one) for one in view.judgments]
    judge = view.verdict.judge or "stronger judge"
    stronger = [judgment_texts(f"{seating(one)}, {judge}", _said(one), one) for one in view.escalated]
    return [*own, *stronger]


def _said(judgment: Judgment) -> list[str]:
    return [*judgment_phrases(judgment), *(f"flag {flag}" for flag in judgment.flags)]


def _names(record: RunRecord) -> tuple[str, str]:
    given = record.header.get("input")
    named = [given.get(key) if isinstance(given, dict) else None for key in ("model_a", "model_b")]
    return str(named[0] or "baseline"), str(named[1] or "candidate")
