"""Which rows of a file of labels are about the run: those of its two models, and of the turn it judged.

Human votes on MT-bench are of many models and of both turns:
{"question_id": 81, "model_a": "m1", "model_b": "m2", "winner": "model_a", "judge": "expert_1", "turn": 1}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judgecli.answers.containers import Row
from judgecli.answers.files import file_stem
from judgecli.answers.labels.layout import LabelLayout
from judgecli.answers.paths import look_up
from judgecli.answers.texts import id_text
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError
from judgecli.types import Item

Models = Sequence[str | None]
Sides = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """A row of labels and the item it is about. `exchanged`: its first model is the run's B."""

    item_id: str
    row: Row
    exchanged: bool = False


def read_votes(rows: Sequence[Row], layout: LabelLayout) -> list[Vote]:
    """Return the rows with their items' ids.

    Raises:
        DataError: a row has none.
    """
    ids = [id_text(look_up(row.value, layout.id)) for row in rows]
    without = [row.where for row, item_id in zip(rows, ids, strict=True) if item_id is None]
    if without:
        more = f" and {counted(len(without) - 1, 'other row')}" if len(without) > 1 else ""
        raise DataError(
            f"{without[0]}: no id ({shown(layout.id)}) in this row{more}; a label is found by its item's id, "
            "which can be named with --id-field"
        )
    return [Vote(item_id=item_id or "", row=row) for row, item_id in zip(rows, ids, strict=True)]


def votes_on_models(
    votes: Sequence[Vote], paths: Sequence[str], items: Mapping[str, Item], models: Models
) -> tuple[list[Vote], list[str]]:
    """Return the votes on the run's models, as its A and B, and what should be said about the others.

    `paths` are the fields that name a vote's models; without any, all votes are on the run's. Where the
    run's models have no names, each item's first vote says which of its models is A.

    Raises:
        DataError: no vote is on the run's models, or, where they have no names, on the same two.
    """
    if not paths or not votes:
        return list(votes), []
    seated = [_seated(vote, paths, sides_of(items.get(vote.item_id), models, len(paths))) for vote in votes]
    kept = [vote for vote in seated if vote is not None]
    file = votes[0].row.source.file
    if not kept:
        named = dict.fromkeys(_both(vote, paths) for vote in votes)
        raise DataError(
            f"{file}: no label is of {_run_models(items, models)}; its rows name {listed(named)}; name the "
            "models in the answer files as the labels do"
        )
    kept = _by_first_vote(kept, paths, items, models)
    return kept, _said(file, len(votes) - len(kept), sum(vote.exchanged for vote in kept))


def _said(file: str, n_left_out: int, n_exchanged: int) -> list[str]:
    notes = []
    if n_left_out:
        notes.append(f"{file}: {counted(n_left_out, 'label')} of other models left out")
    if n_exchanged:
        n = counted(n_exchanged, "label")
        notes.append(f"{file}: {n} name the two models the other way round; A and B were exchanged there")
    return notes


def _named(vote: Vote, paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(vote.row.value.get(path)) for path in paths)


def _both(vote: Vote, paths: Sequence[str]) -> str:
    return " and ".join(map(shown, _named(vote, paths)))


def _run_models(items: Mapping[str, Item], models: Models) -> str:
    if models and None not in models:
        return " and ".join(map(str, models))
    item = next(iter(items.values()))
    return " and ".join(str(response.model) for response in item.responses)


def sides_of(item: Item | None, models: Models, n: int) -> Sides | None:
    """Return the names that each model goes by: the run's, the answers', their files'; None for no names."""
    given = list(models) if len(models) == n else [None] * n
    if item is None or len(item.responses) != n:
        names = [{name} - {None} for name in given]
        return tuple(frozenset(map(str, side)) for side in names) if all(names) else None
    sides = [{name, one.model} - {None} for name, one in zip(given, item.responses, strict=True)]
    if not all(sides):
        return None
    stems = [file_stem(one.source.file) for one in item.responses]
    if len(set(stems)) == n:
        sides = [side | {stem} for side, stem in zip(sides, stems, strict=True)]
    return tuple(frozenset(map(str, side)) for side in sides)


def _seated(vote: Vote, paths: Sequence[str], sides: Sides | None) -> Vote | None:
    """Return the vote in the run's seats; None if it is on other models."""
    named = _named(vote, paths)
    if sides is None or all(name in side for name, side in zip(named, sides, strict=True)):
        return vote
    if len(sides) == 2 and named[0] in sides[1] and named[1] in sides[0]:
        return replace(vote, exchanged=True)
    return None


def turned_in_other_fields(votes: Sequence[Vote], layout: LabelLayout, models: Models) -> list[str]:
    """Return what should be said of rows that name the run's B before its A in fields of other names."""
    if layout.models or len(models) != 2:
        return []
    read = (layout.id, *layout.label_paths)
    found = []
    for vote in votes:
        named = {
            name: value for name, value in vote.row.value.items() if value in models and name not in read
        }
        if tuple(named.values()) == tuple(models)[::-1]:
            found.append(tuple(named))
    if not found:
        return []
    fields = " and ".join(map(shown, found[0]))
    n = counted(len(found), "row")
    message = (
        f"{votes[0].row.source.file}: {n} with the run's models the other way round in {fields}; A and B"
    )
    return [f"{message} are read as the run's; call the fields model_a and model_b if they say who is A"]


def _by_first_vote(
    votes: Sequence[Vote], paths: Sequence[str], items: Mapping[str, Item], models: Models
) -> list[Vote]:
    """Seat votes on models without names as the first vote on the same item has them."""
    firsts: dict[str, Vote] = {}
    seated = []
    for vote in votes:
        first = firsts.setdefault(vote.item_id, vote)
        known = sides_of(items.get(vote.item_id), models, len(paths))
        names = tuple(frozenset({name}) for name in _named(first, paths))
        one = vote if known is not None else _seated(vote, paths, names)
        if one is None:
            raise DataError(
                f"{vote.row.where}: a label of {_both(vote, paths)} for {shown(vote.item_id)!r}, whose label "
                f"at {first.row.where} is of {_both(first, paths)}; keep those of the two that were compared"
            )
        seated.append(one)
    return seated


def votes_on_turn(votes: Sequence[Vote], items: Mapping[str, Item]) -> tuple[list[Vote], list[str]]:
    """Return the votes on the turn that was judged, where items have votes on several turns.

    That is the items' own turn; without items, the first that the votes name.
    """
    turns: dict[str, set[int]] = {}
    numbers = [_turn(vote) for vote in votes]
    for vote, number in zip(votes, numbers, strict=True):
        turns.setdefault(vote.item_id, set()).update(() if number is None else (number,))
    if all(len(of_item) < 2 for of_item in turns.values()):
        return list(votes), []
    default = _usual_turn(items) or min(number for of_item in turns.values() for number in of_item)
    kept = [
        vote
        for vote, number in zip(votes, numbers, strict=True)
        if number in (None, items[vote.item_id].n_turns if vote.item_id in items else default)
    ]
    n = counted(len(votes) - len(kept), "label")
    return kept, [f"{votes[0].row.source.file}: {n} of other turns than turn {default} left out"]


def _turn(vote: Vote) -> int | None:
    text = id_text(vote.row.value.get("turn"))
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 6 else None


def _usual_turn(items: Mapping[str, Item]) -> int | None:
    counts = Counter(item.n_turns for item in items.values())
    return counts.most_common(1)[0][0] if counts else None
