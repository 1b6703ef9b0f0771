"""Records of rankings made up from outcomes: of pairs by two letters a case, of joint prompts by scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgecli.types import (
    LETTERS,
    DecidedBy,
    Failure,
    Item,
    Judgment,
    Order,
    RunRecord,
    rotations,
)
from tests.analysis.made_up import Case, header, record, response

HEADER = {
    "mode": "rank",
    "models": ["alpaca", "bison", "cohere"],
    "input": {"files": ["a.jsonl", "b.jsonl", "c.jsonl"]},
}


def item(item_id: str, n_models: int, **more: Any) -> Item:
    texts = [f"answer of {letter}" for letter in LETTERS[:n_models]]
    return Item(id=item_id, instruction="Why?", responses=tuple(map(response, texts)), **more)


def by_pairs(cases: Mapping[str, Sequence[Case]], **changes: Any) -> RunRecord:
    """Return a ranking in which the models of each two letters came out as told, item by item.

    A case has the letters of `tests.analysis.made_up.record`: A is the first of the two models, B the second.
    """
    n_models = 1 + max(LETTERS.index(letter) for letters in cases for letter in letters)
    ids = [f"q{n}" for n in range(1, 1 + max(map(len, cases.values())))]
    told = header(**{**HEADER, "ranking": "pairs", "rotations": None, **changes})
    comparisons = {Order(letters): replace(record(one), header=told) for letters, one in cases.items()}
    return RunRecord(
        header=told,
        items=tuple(item(one, n_models) for one in ids),
        judgments=_judgments(comparisons),
        verdicts=(),
        comparisons=comparisons,
    )


def _judgments(comparisons: Mapping[Order, RunRecord]) -> dict[tuple[str, Order], Judgment]:
    found = {}
    for letters, compared in comparisons.items():
        names = dict(zip("AB", letters, strict=True))
        for (item_id, order), one in compared.judgments.items():
            key = (item_id, Order("".join(names[letter] for letter in order)))
            found[key] = replace(one, order=key[1], winner=names.get(str(one.winner), one.winner))
    return found


Scores = Sequence[float] | Failure | None


def jointly(items: Sequence[Sequence[Scores] | DecidedBy], n_models: int, **changes: Any) -> RunRecord:
    """Return a ranking by scores: of each item a row a rotation, the scores by letter, a failure, or nothing.

    A rule in the place of an item has decided it.
    """
    n_rotations = changes.pop("rotations", n_models)
    orders = rotations(n_models, n_rotations)
    judgments: dict[tuple[str, Order], Judgment] = {}
    decided = {}
    for n, rows in enumerate(items, 1):
        if isinstance(rows, DecidedBy):
            decided[f"q{n}", orders[0]] = rows
            continue
        for order, row in zip(orders, rows, strict=True):
            if row is not None:
                judgments[f"q{n}", order] = _judgment(f"q{n}", order, row)
    return RunRecord(
        header=header(**{**HEADER, "ranking": "joint", "rotations": n_rotations, **changes}),
        items=tuple(item(f"q{n}", n_models) for n in range(1, len(items) + 1)),
        judgments=judgments,
        verdicts=(),
        decided=decided,
    )


def _judgment(item_id: str, order: Order, row: Sequence[float] | Failure) -> Judgment:
    if isinstance(row, Failure):
        return Judgment(item_id=item_id, order=order, prompt_hash="0", failure=row)
    scores = dict(zip(LETTERS, row, strict=False))
    return Judgment(item_id=item_id, order=order, prompt_hash="0", scores=scores)
