"""How a verdict is given and read, from the tables of a family: [pair], [pair.cot] and the like."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.family import LAST_MATCH, Form
from judgecli.prompts.grammars import GrammarTable, LabelsTable, ScoresTable, read_grammar
from judgecli.prompts.tables import texts
from judgecli.types import VERDICT

READERS = frozenset({"first_line_scores", "first_label", LAST_MATCH})
FORM_KEYS: Mapping[str, type] = {
    "grammar": dict,
    **dict.fromkeys(("reader", "pattern", "assistant_prefix", "conclusion"), str),
    "max_tokens": int,
    "stop": list,
    "parts": dict,
}


def read_form(where: str, table: Mapping[str, Any], *, n_seats: int) -> Form:
    """Read the keys of a form; `where` ends in the table's name.

    Raises:
        DataError: there is no grammar, or reader, pattern and grammar do not go together.
    """
    if "grammar" not in table:
        raise DataError(
            f"{where}: no grammar; say in {where.rpartition(' ')[2][:-1]}.grammar] what may be answered"
        )
    grammar = read_grammar(f"{where[:-1]}.grammar]", table["grammar"], n_seats=n_seats)
    reader = table.get("reader") or _reader_for(grammar, table)
    _check_reader(where, reader, grammar, table)
    if reader == LAST_MATCH:
        _check_pattern(where, table["pattern"], grammar)
    max_tokens = table.get("max_tokens")
    if max_tokens is not None and not 1 <= max_tokens <= 100_000:
        raise DataError(f"{where}: max_tokens is {max_tokens}; it must be from 1 to 100000")
    return Form(
        grammar=grammar,
        reader=reader,
        pattern=table.get("pattern", ""),
        assistant_prefix=table.get("assistant_prefix", ""),
        conclusion=_conclusion(where, reader, table.get("conclusion", ""), n_seats=n_seats),
        max_tokens=max_tokens,
        stop=texts(f"{where}: stop", table.get("stop", [])),
        parts=_parts(where, table.get("parts", {})),
    )


def _reader_for(grammar: GrammarTable, table: Mapping[str, Any]) -> str:
    if "pattern" in table:
        return LAST_MATCH
    return "first_label" if isinstance(grammar, LabelsTable) else "first_line_scores"


def _check_reader(where: str, reader: str, grammar: GrammarTable, table: Mapping[str, Any]) -> None:
    if reader not in READERS:
        raise DataError(f"{where}: reader is {reader!r}; it must be one of {', '.join(sorted(READERS))}")
    kind = {"first_label": LabelsTable, "first_line_scores": ScoresTable}.get(reader)
    if kind is not None and not isinstance(grammar, kind):
        wanted = "labels" if kind is LabelsTable else "scores"
        raise DataError(f"{where}: reader {reader!r} reads {wanted}, which the grammar has none of")
    if reader == LAST_MATCH and not table.get("pattern"):
        raise DataError(
            f"{where}: reader {LAST_MATCH!r} needs a pattern, such as pattern = '\\[\\[{VERDICT}\\]\\]'"
        )
    if reader != LAST_MATCH and "pattern" in table:
        raise DataError(
            f"{where}: pattern has no use with reader {reader!r}; take {LAST_MATCH!r}, or drop it"
        )


def _check_pattern(where: str, pattern: str, grammar: GrammarTable) -> None:
    if pattern.count(VERDICT) != 1:
        raise DataError(f"{where}: pattern {pattern!r} must hold {VERDICT} once: it stands for the verdict")
    before, _, after = pattern.partition(VERDICT)
    for side, part in (("before", before), ("after", after)):
        try:
            re.compile(part)
        except (re.error, OverflowError, RecursionError) as error:
            message = f"what stands {side} {VERDICT} must be a regular expression of its own ({error})"
            raise DataError(f"{where}: pattern {pattern!r}: {message}") from error
    if re.compile(before).groups or re.compile(after).groups:
        raise DataError(f"{where}: pattern {pattern!r}: write (?:...) for a group")
    for side, part in (("before", before[-1:]), ("after", after[:1])):
        is_escape = side == "before" and re.search(r"\\.\Z", before)
        if re.match(r"\w", part) and not is_escape and _is_word(grammar, side):
            message = (
                f"can match nothing: {VERDICT} is a word of its own, with no letter or digit right {side} it"
            )
            raise DataError(f"{where}: pattern {pattern!r} {message}")


def _is_word(grammar: GrammarTable, side: str) -> bool:
    """Whether every verdict begins (or ends) with a letter or a digit."""
    if isinstance(grammar, ScoresTable):
        return True
    at = 0 if side == "before" else -1
    return all(re.match(r"\w", label.strip()[at]) for label in grammar.labels)


def _conclusion(where: str, reader: str, conclusion: str, *, n_seats: int) -> str:
    if conclusion and n_seats > 2:
        message = "three scores or more come first"
        raise DataError(f"{where}: conclusion has no use here: {message}; leave it out")
    if conclusion and reader != LAST_MATCH:
        message = "conclusion comes after reasons, and this form has the verdict first"
        ways = "add the pattern that finds the verdict in a text, or put the words into assistant_prefix"
        raise DataError(f"{where}: {message}; {ways}")
    return conclusion


def _parts(where: str, parts: Mapping[str, Any]) -> Mapping[str, str]:
    for name, heading in parts.items():
        if not isinstance(heading, str) or not heading.strip():
            raise DataError(f"{where}: parts {name!r} must be the heading that the passage stands under")
    return parts
