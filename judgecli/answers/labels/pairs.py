"""Labels that pairs of answers carry themselves, and how they are brought to the pairs of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgecli.answers.joining import plain
from judgecli.answers.label_values import majority_of, winners_by_word
from judgecli.answers.wording import counted, listed, none_of, shown
from judgecli.errors import DataError
from judgecli.types import Item, ItemLabel, LabelKind, Labels, LabelSource, Winner

GOLD, ANNOTATORS = "gold", "annotators"
Texts = tuple[str, ...]


def labels_of(items: Sequence[Item], file: str) -> Labels | None:
    """Return the labels that items carry in their metadata; None where none of them has one.

    `gold` is the label that counts and `annotators` lists those of several people; `file` is where the
    items were read.
    """
    people = _annotators(items)
    by_item = {}
    for item in items:
        winner, winners = gold_of(item), dict(people.get(item.id, {}))
        if winner is not None or winners:
            by_item[item.id] = ItemLabel(
                item_id=item.id, winner=winner, winners=winners, metadata=_metadata(item)
            )
    if not by_item:
        return None
    is_majority = all(
        majority_of(one.winners.values()) == one.winner for one in by_item.values() if one.winners
    )
    has_majority = bool(people) and is_majority
    return Labels(
        file=file,
        kind=LabelKind.WINNERS,
        source=LabelSource.MAJORITY if has_majority else LabelSource.GOLD,
        by_item=by_item,
        annotators=tuple(dict.fromkeys(name for winners in people.values() for name in winners)),
    )


def gold_of(item: Item) -> Winner | None:
    """Return the label that an item carries itself; None where it has none."""
    gold = item.metadata.get(GOLD)
    return Winner(gold) if gold in list(Winner) else None


def _annotators(items: Sequence[Item]) -> dict[str, dict[str, Winner]]:
    """Return what annotators say by item; nothing where one of the lists holds something else than labels."""
    lists = {item.id: item.metadata.get(ANNOTATORS) for item in items}
    written = {item_id: words for item_id, words in lists.items() if isinstance(words, list) and words}
    known, unknown = winners_by_word(str(word) for words in written.values() for word in words)
    if unknown:
        return {}
    return {
        item_id: {f"annotator{n}": known[str(word)] for n, word in enumerate(words, 1) if str(word) in known}
        for item_id, words in written.items()
    }


def _metadata(item: Item) -> dict[str, Any]:
    return {name: value for name, value in item.metadata.items() if name not in (GOLD, ANNOTATORS)}


def with_fields(labels: Labels, fields: Mapping[str, Mapping[str, Any]]) -> Labels:
    """Return labels with the fields of rows, by the items' ids, added to what the items kept of them."""
    by_item = {
        item_id: replace(one, metadata={**fields.get(item_id, {}), **one.metadata})
        for item_id, one in labels.by_item.items()
    }
    return replace(labels, by_item=by_item)


def brought_to(labels: Labels, pairs: Sequence[Item], items: Sequence[Item]) -> Labels:
    """Return the labels of pairs under the ids of the run's items, in the run's A and B.

    Found by id where any id is shared, else by what was asked and answered. Labels of other pairs are kept
    under their own ids.

    Raises:
        DataError: an item has other answers under the same id, or not two; or no pair is one of the run's.
    """
    _require_two(labels.file, items)
    known = {item.id: item for item in items}
    shared = [pair for pair in pairs if pair.id in known]
    found = {pair.id: known[pair.id] for pair in shared} if shared else _by_texts(pairs, items)
    if not found:
        raise DataError(
            f"{labels.file}: {none_of(len(pairs), 'pair')} one of the run's, neither by id "
            f"({listed((pair.id for pair in pairs), 3)}; the run has {listed(known, 3)}) nor by the texts; "
            "are these the pairs that were judged?"
        )
    turned = {pair.id: _is_exchanged(pair, found[pair.id]) for pair in pairs if pair.id in found}
    by_item = {}
    for own_id, one in labels.by_item.items():
        if turned.get(own_id, False) is None:
            continue
        item_id = found[own_id].id if own_id in found else own_id
        by_item[item_id] = replace(_swapped(one) if turned.get(own_id) else one, item_id=item_id)
    notes = _said(labels.file, list(turned.values()), by_id=bool(shared))
    return replace(labels, by_item=by_item, notes=(*labels.notes, *notes))


def _said(file: str, turned: Sequence[bool | None], *, by_id: bool) -> Iterator[str]:
    if not by_id:
        n = counted(len(turned), "pair")
        yield f"{file}: {n} found by the texts, for no id is shared with the run"
    if True in turned:
        n = counted(turned.count(True), "pair")
        yield f"{file}: {n} with the answers in other seats than in the run; A and B were exchanged there"
    if None in turned:
        n = counted(turned.count(None), "pair")
        why = "whose two answers differ in blanks or line ends alone, and not as in the run"
        yield f"{file}: {n} left out, {why}"


def _require_two(file: str, items: Sequence[Item]) -> None:
    n = next((len(item.responses) for item in items if len(item.responses) != 2), None)
    if n is not None:
        raise DataError(
            f"{file}: holds labels of pairs, while the run has {counted(n, 'answer')} an item; give a file "
            "of labels by id"
        )


def _by_texts(pairs: Sequence[Item], items: Sequence[Item]) -> dict[str, Item]:
    """Return the run's item of each pair that has one; of pairs with the same texts each has its own."""
    places: dict[tuple[str, Texts], list[Item]] = {}
    for item in items:
        places.setdefault(_key(item), []).append(item)
    found = {}
    for pair in pairs:
        same = places.get(_key(pair))
        if same:
            found[pair.id] = same.pop(0)
    return found


def _key(item: Item) -> tuple[str, Texts]:
    """Return what was asked, whether or not its input stands by itself, and both answers in any order."""
    asked = "\n\n".join(plain(text) for text in (item.instruction, item.input) if text)
    return asked, tuple(sorted("\0".join(side) for side in _answers(item)))


def _as_written(item: Item) -> tuple[Texts, Texts]:
    a, b = ((*one.earlier_outputs, one.output) for one in item.responses)
    return a, b


def _answers(item: Item) -> tuple[Texts, Texts]:
    a, b = (tuple(map(plain, texts)) for texts in _as_written(item))
    return a, b


def _is_exchanged(pair: Item, item: Item) -> bool | None:
    """Whether the run has the pair's answers in the other seats; None where they are too alike to tell.

    Two answers may differ only in what `plain` takes away, so they are compared as written first.

    Raises:
        DataError: it has other answers.
    """
    own, theirs = _as_written(pair), _as_written(item)
    if theirs in (own, own[::-1]):
        return theirs != own
    is_same = _answers(pair) == _answers(item)
    is_turned = _answers(pair) == _answers(item)[::-1]
    if is_same and is_turned and own[0] != own[1]:
        return None
    if is_same or is_turned:
        return not is_same
    raise DataError(
        f"{pair.response_a.source}: the answers to {shown(pair.id)!r} are not those that were judged; are "
        "these the labels of the same answers?"
    )


def _swapped(label: ItemLabel) -> ItemLabel:
    winners = {name: winner.swapped() for name, winner in label.winners.items()}
    return replace(label, winner=label.winner.swapped() if label.winner else None, winners=winners)
