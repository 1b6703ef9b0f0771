"""The items of a ranking, with every model's answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from judgecli.reports.html.items import Cell, Column, ItemTable, Row, judgment_texts, texts_of
from judgecli.reports.pairs import outcome
from judgecli.reports.pairs.kinds import FLIPPED, OPEN
from judgecli.reports.pairs.phrases import judgment_phrases
from judgecli.reports.pairs.texts import one_line
from judgecli.reports.wording import Table
from judgecli.reports.wording.rows import clean
from judgecli.types import LETTERS, Item, Judgment, Order, RankSummary, RunRecord, Verdict, Winner

_EXCERPT = 90
_MAX_COLUMNS = 6  # models with a column of their own; of more, only the best few of an item are in the list
_N_BEST = 3
_ENDS = ("better than", "tied with", "worse than", FLIPPED, "no verdict")


def table(record: RunRecord, summary: RankSummary) -> ItemTable:
    """Return every item with what each model got on it: points won from others, or its mean score."""
    n_models = max((len(item.responses) for item in record.items), default=0)
    names = {one.letter: clean(one.side.model or one.letter) for one in summary.standings}
    columns = (
        Column(name="item", kind="id", wide=False),
        Column(name="result", kind="outcome", wide=False),
        *_merits(n_models, "points won against the other models" if record.comparisons else "mean score"),
        Column(name="instruction", kind="text"),
    )
    verdicts = {
        letters: {verdict.item_id: verdict for verdict in one.verdicts}
        for letters, one in record.comparisons.items()
    }
    made = _judgments(record)
    rows = tuple(
        _row(item, made.get(item.id, []), _of_item(item.id, verdicts), names) for item in record.items
    )
    return ItemTable(
        noun="item", columns=columns, filters=("failures", "flips", "open", "flagged"), rows=rows
    )


def _merits(n_models: int, got: str) -> Iterator[Column]:
    if n_models > _MAX_COLUMNS:
        yield Column(name="best", kind="short", wide=False, about=f"the best {_N_BEST}: {got}")
    else:
        yield from (Column(name=name, kind="number", about=f"{got}, {name}") for name in LETTERS[:n_models])


def _row(
    item: Item, judgments: Sequence[Judgment], verdicts: dict[Order, Verdict], names: Mapping[str, str]
) -> Row:
    n_models = len(item.responses)
    points = _points(verdicts, n_models) if verdicts else _means(judgments, n_models)
    got = sorted(zip(LETTERS, points, strict=False), key=lambda one: (one[1] is None, -(one[1] or 0.0)))
    cells: list[Cell] = [_best(got)] if n_models > _MAX_COLUMNS else list(points)
    passes = frozenset(_passes(item, judgments, verdicts))
    result = next((name for name in ("failures", "open", "flips") if name in passes), "judged")
    answers = [
        (_named(letter, names), f"{len(response.output):,} characters", response.output)
        for letter, response in zip(LETTERS, item.responses, strict=False)
    ]
    shown = [judgment_texts(f"order {one.order}", judgment_phrases(one), one) for one in judgments]
    return Row(
        cells=(item.id, result, *cells, one_line(item.instruction, _EXCERPT)),
        tone={"failures": "failed", "open": "open", "flips": "doubtful"}.get(result, "even"),
        passes=passes,
        item=item,
        texts=texts_of(item, answers, [result], shown, table=_results(got, verdicts, names)),
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


def _best(got: Sequence[tuple[str, float | None]]) -> str:
    return ", ".join(f"{letter} {value:g}" for letter, value in got[:_N_BEST] if value is not None)


def _results(
    got: Sequence[tuple[str, float | None]], verdicts: Mapping[Order, Verdict], names: Mapping[str, str]
) -> Table:
    """Return each model's points, the best one's first, and the others by what it came to against them."""
    ends = _ends(verdicts)
    shown = [end for end in _ENDS if any(end in of_model for of_model in ends.values())]
    rows = (
        (
            _named(letter, names),
            "-" if value is None else f"{value:g}",
            *(" ".join(ends.get(letter, {}).get(end, ())) or "-" for end in shown),
        )
        for letter, value in got
    )
    return Table(header=("model", "points" if verdicts else "mean score", *shown), rows=tuple(rows))


def _ends(verdicts: Mapping[Order, Verdict]) -> dict[str, dict[str, list[str]]]:
    """Return of each model the others by what it came to against them, all by letter."""
    ends: dict[str, dict[str, list[str]]] = {}
    for letters, verdict in sorted(verdicts.items()):
        first, second = letters
        for letter, other, won in ((first, second, Winner.A), (second, first, Winner.B)):
            ends.setdefault(letter, {}).setdefault(_end(verdict, won), []).append(other)
    return {
        letter: {end: sorted(others) for end, others in of_model.items()} for letter, of_model in ends.items()
    }


def _end(verdict: Verdict, won: Winner) -> str:
    if verdict.winner in {Winner.A, Winner.B}:
        return "better than" if verdict.winner is won else "worse than"
    if verdict.winner is None:
        return "no verdict"
    return FLIPPED if outcome(verdict) == FLIPPED else "tied with"


def _named(letter: str, names: Mapping[str, str]) -> str:
    name = names.get(letter, letter)
    return letter if name == letter else f"{letter} {name}"


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
