"""A file that is one object, ids to answers or to rows, read as the rows it stands for.

{"v1_0": "x = -1", "v1_1": "12"}    {"v1_0": {"question": "What is x?", "answer": "-1<AND>-5"}, ...}
{"length bias": [{"instruction": "2+2?", "response1": "4", "response2": "5"}, ...], ...}
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from judgecli.answers.containers import Container, Number, Row
from judgecli.answers.finding import present
from judgecli.answers.layout import (
    ID_NAMES,
    INSTRUCTION_NAMES,
    MODEL_NAMES,
    REFERENCE_NAMES,
    RESPONSE_NAMES,
    Value,
)
from judgecli.answers.options import Fields
from judgecli.types import Source

_TEXTS = (*INSTRUCTION_NAMES, *RESPONSE_NAMES, *REFERENCE_NAMES)
_USUAL = (*ID_NAMES, *MODEL_NAMES, *_TEXTS)
_TWO_ANSWERS = ("response1", "response2")


def lone_object(
    container: Container, rows: Iterator[Row], fields: Fields
) -> tuple[Row | None, Iterator[Row]]:
    """Return the only row of a file if it maps ids to answers or rows, or lists pairs; and all rows.

    Texts under keys with a digit are answers by their ids; no usual or named field may be among the keys.
    """
    first = next(rows, None)
    if first is None or container not in {Container.JSONL, Container.OBJECT}:
        return None, iter(()) if first is None else itertools.chain([first], rows)
    second = next(rows, None)
    named = tuple(path for _, paths in fields.named() for path in paths)
    if second is None and _maps_ids(first.value, named):
        return first, spread(first)
    if second is None and _lists_pairs(first.value):
        return first, _spread_pairs(first)
    return None, itertools.chain([first], () if second is None else [second], rows)


def spread(row: Row) -> Iterator[Row]:
    """Yield a row for each id of an object: what it maps to, or that as an answer."""
    source = Source(file=row.source.file)
    for index, (key, inner) in enumerate(row.value.items(), 1):
        fields = inner if isinstance(inner, Mapping) else {"answer": inner}
        yield Row({**fields, "id": key}, source, index, row.repaired and index == 1)


def _spread_pairs(row: Row) -> Iterator[Row]:
    source = Source(file=row.source.file)
    pairs = ((bias, pair) for bias, listed in row.value.items() for pair in listed)
    for index, (bias, pair) in enumerate(pairs, 1):
        yield Row({"bias": bias, **pair}, source, index, row.repaired and index == 1)


def _lists_pairs(value: Value) -> bool:
    """Whether an object holds lists, each of them of pairs: those of OffsetBias, by the type of bias."""
    if not all(isinstance(listed, list) for listed in value.values()):
        return False
    pairs = [pair for listed in value.values() for pair in listed]
    return bool(pairs) and all(
        isinstance(pair, Mapping) and len(present(_TWO_ANSWERS, pair)) == 2 for pair in pairs
    )


def _maps_ids(value: Value, named: tuple[str, ...]) -> bool:
    if not value or present((*_USUAL, *named), value):
        return False
    if all(isinstance(inner, Mapping) for inner in value.values()):
        return all(present((*_TEXTS, *named), inner) for inner in value.values())
    texts = all(_is_text(inner) for inner in value.values())
    return texts and all(any(character.isdigit() for character in key) for key in value)


def _is_text(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not isinstance(value, Number))
