"""The items of a ranking, with every model's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgecli.reports.html.items import Column, ItemTable, Row, judgment_texts, texts_of
from judgecli.reports.pairs import outcome
from judgecli.reports.pairs.kinds import OPEN
from judgecli.reports.pairs.phrases import judgment_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.types import LETTERS, Item, Judgment, Order, RunRecord, Summary, Verdict, Winner

_EXCERPT = 90


def table(record: RunRecord, _summary: Summary) -> ItemTable:
    """Return every item with what each model got on it: points won from others, or its mean score."""
    n_models = max((len(item.responses) for item in record.items), default=0)
    is_by_pairs = bool(record.comparisons)
    got = "points won against the other models" if is_by_pairs else "mean score"
    columns = (
        Column(name="item", kind="id", wide=False),
        Column(name="result", kind="outcome", wide=False),
        *(Column(name=letter, kind="number", about=f"{got}, {letter}") for letter in LETTERS[:n_models]),
        Column(name="instruction", kind="text"),
    )
    verdicts = {
        letters: {verdict.item_id: verdict for verdict in one.verdicts}
        for letters, one in record.comparisons.items()
    }
    made = _judgments(record)
    rows = tuple(
        _row(item, made.get(item.id, []), _of_item(item.id, verdicts), n_models) for item in record.items
    )
    return ItemTable(
        noun="item", columns=columns, filters=("failures", "flips", "open", "flagged"), rows=rows
    )


def _row(item: Item, judgments: Sequence[Judgment], verdicts: dict[Order, Verdict], n_models: int) -> Row:
    points = _points(verdicts, n_models) if verdicts else _means(judgments, n_models)
    passes = frozenset(_passes(item, judgments, verdicts))
    result = next((name for name in ("failures", "open", "flips") if name in passes), "judged")
    answers = [
        (letter, f"{len(response.output):,} characters", response.output)
        for letter, response in zip(LETTERS, item.responses, strict=False)
    ]
    said = [f"{letters[0]} against {letters[1]}: {_result(letters, v)}" for letters, v in verdicts.items()]
    shown = [judgment_texts(f"order {one.order}", judgment_phrases(one), one) for one in judgments]
    return Row(
        cells=(item.id, result, *points, one_line(item.instruction, _EXCERPT)),
        tone={"failures": "failed", "open": "open", "flips": "doubtful"}.get(result, "even"),
        passes=passes,
        item=item,
        texts=texts_of(item, answers, said or [result], shown),
    )


def _judgments(record: RunRecord) -> dict[str, list[Judgment]]:
    made: dict[str, list[Judgment]] = {}
    for (item_id, _), judgment in sorted(record.judgments.items(), key=lambda one: one[0][1]):
        made.setdefault(item_id, []).append(judgment)
    return made


def _of_item(item_id: str, verdicts: dict[Order, dict[str, Verdict]]) -> dict[Order, Verdict]:
    return {letters: known[item_id] for letters, known in verdicts.items() if item_id in known}


def _points(verdicts: dict[Order, Verdict], n_models: int) -> list[float | None]:
    points: list[float | None] = [None] * n_models
    shares = {Winner.A: (1.0, 0.0), Winner.TIE: (0.5, 0.5), Winner.B: (0.0, 1.0)}
    for letters, verdict in verdicts.items():
        if verdict.winner is not None:
            for seat, share in zip(letters.seats, shares[verdict.winner], strict=True):
                points[seat] = (points[seat] or 0.0) + share
    return points


def _means(judgments: Sequence[Judgment], n_models: int) -> list[float | None]:
    means: list[float | None] = []
    for letter in LETTERS[:n_models]:
        scores = [one.scores[letter] for one in judgments if letter in one.scores]
        means.append(round(sum(scores) / len(scores), 2) if scores else None)
    return means


def _result(letters: Order, verdict: Verdict) -> str:
    if verdict.winner in {Winner.A, Winner.B}:
        return f"{letters[0] if verdict.winner is Winner.A else letters[1]} better"
    return outcome(verdict)


def _passes(item: Item, judgments: Sequence[Judgment], verdicts: dict[Order, Verdict]) -> Iterator[str]:
    made: tuple[Judgment | Verdict, ...] = (*judgments, *verdicts.values())
    if any(one.failure for one in made):
        yield "failures"
    if any(one.order_dependent for one in verdicts.values()):
        yield "flips"
    if any(outcome(one) == OPEN for one in verdicts.values()) or not (judgments or verdicts):
        yield "open"
    if item.flags or any(one.flags for one in made):
        yield "flagged"
