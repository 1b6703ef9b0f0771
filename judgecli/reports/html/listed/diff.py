"""The items of two runs, with both verdicts and what differs in the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from judgecli.reports.html.items import Column, ItemTable, Row, judgment_texts, texts_of
from judgecli.reports.pairs import PairView, outcome, views
from judgecli.reports.pairs.changes import ChangeKind
from judgecli.reports.pairs.kinds import POINTS
from judgecli.reports.pairs.phrases import judgment_phrases, seating
from judgecli.reports.pairs.texts import one_line
from judgecli.types import Change, DiffSummary, Response, RunRecord

_EXCERPT = 90
_FAILURES = (ChangeKind.NOW_FAILED, ChangeKind.NO_LONGER_FAILED, ChangeKind.FAILED_IN_BOTH)
_FILTERS = tuple(kind for kind in ChangeKind if kind not in _FAILURES)


def table(record: RunRecord, summary: DiffSummary) -> ItemTable:
    """Return every item of both runs, in the order of the second."""
    columns = (
        Column(name="pair", kind="id", wide=False),
        Column(name="second", kind="outcome", wide=False, about="outcome in the second run"),
        Column(name="first", kind="short", wide=False, about="outcome in the first run"),
        Column(name="answers", kind="short", about="whether question and answers are the same"),
        Column(name="instruction", kind="text"),
    )
    before = {view.item.id: view for view in views(summary.first)}
    after = {view.item.id: view for view in views(record)}
    rows = tuple(_row(one, before, after, summary.names) for one in summary.changes)
    return ItemTable(noun="pair", columns=columns, filters=_FILTERS, rows=rows, failures=_FAILURES)


def _row(
    change: Change, before: Mapping[str, PairView], after: Mapping[str, PairView], names: tuple[str, str]
) -> Row:
    was, now = outcome(change.before), outcome(change.after)
    passes = frozenset(_passes(change, was, now))
    differing = [
        name
        for name, same in (("question", change.same_question), ("A", change.same_a), ("B", change.same_b))
        if not same
    ]
    said = [now, f"{was} in {names[0]}", *(f"{name} differs" for name in differing)]
    tone = "good" if ChangeKind.FOR_B in passes else "bad" if ChangeKind.FOR_A in passes else "even"
    made = ((names[0], before.get(change.first.id)), (names[1], after.get(change.second.id)))
    return Row(
        cells=(
            change.second.id,
            now,
            was,
            "same" if not differing else f"other {', '.join(differing)}",
            one_line(change.second.instruction, _EXCERPT),
        ),
        tone="failed" if ChangeKind.FAILURES in passes else tone,
        passes=passes,
        item=change.second,
        texts=texts_of(change.second, _answers(change), said, list(_judgments(made)), (0, 1)),
    )


def _passes(change: Change, was: str, now: str) -> Iterator[ChangeKind]:
    yield ChangeKind.CHANGED if change.has_other_verdict else ChangeKind.SAME
    if change.before.failure is not None or change.after.failure is not None:
        yield ChangeKind.FAILURES
        yield from _failed(change)
    elif was in POINTS and now in POINTS and POINTS[was] != POINTS[now]:
        yield ChangeKind.FOR_B if POINTS[now] > POINTS[was] else ChangeKind.FOR_A
    if not change.is_same_input:
        yield ChangeKind.OTHER_ANSWERS


def _failed(change: Change) -> Iterator[ChangeKind]:
    if change.before.winner is not None:
        yield ChangeKind.NOW_FAILED
    elif change.after.winner is not None:
        yield ChangeKind.NO_LONGER_FAILED
    elif change.before.failure is not None and change.after.failure is not None:
        yield ChangeKind.FAILED_IN_BOTH


def _answers(change: Change) -> list[tuple[str, str, str]]:
    """Return the answers, one that differs between the runs twice, and before one that does not."""
    shown: list[tuple[str, str, str]] = []
    sides = (
        ("A", change.same_a, change.first.response_a, change.second.response_a),
        ("B", change.same_b, change.first.response_b, change.second.response_b),
    )
    for letter, same, old, new in sorted(sides, key=lambda side: side[1]):
        if same:
            shown.append(_answer(letter, new))
        else:
            shown += [_answer(f"{letter} first", old), _answer(f"{letter} second", new)]
    return shown


def _answer(label: str, response: Response) -> tuple[str, str, str]:
    return label, f"{len(response.output):,} characters", response.output


def _judgments(made: tuple[tuple[str, PairView | None], ...]) -> Iterator[Mapping[str, object]]:
    for name, view in made:
        if view is not None:
            for one in (*view.judgments, *view.escalated):
                yield judgment_texts(f"{name}, {seating(one)}", judgment_phrases(one), one)
