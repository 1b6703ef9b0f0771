"""The [[*.block]] tables of a family: which placeholders a block may hold, and under which condition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.blocks import Block, Cut, Each, Role, When
from judgecli.prompts.family import Form, Need
from judgecli.prompts.grammars import LabelsTable
from judgecli.prompts.tables import member, members

PLACEHOLDER = re.compile(r"\{(\w+)\}")
NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven"),
    *("twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ANYWHERE = frozenset(
    {
        *("question", "instruction", "input", "reference", "alternative", "criterion", "rubric", "aspect"),
        *("low", "high", "scores", "n_word", "seats", "ordinal"),
    }
)
_SCALE = frozenset({"low", "high", "scores"})
_IN_PREFIX = _SCALE | {"n_word", "seats"}
_ANSWERS = {1: frozenset({"response"}), 2: frozenset({"response_1", "response_2"}), 3: frozenset[str]()}
_IN_ANSWER = frozenset({"number", "response"})
_IN_SHOT = frozenset({"question", "reference", "verdict", "reasons", "n_word", "seats", *_SCALE})
_KEYS = ("text", "role", "when", "each", "cut")
# what is not always there may only be shown under the condition that it is
_CONDITIONS: Mapping[str, tuple[When, Need | None]] = {
    "input": (When.INPUT, None),
    "reference": (When.REFERENCE, Need.REFERENCE),
    "alternative": (When.REFERENCE, Need.REFERENCE),
    "aspect": (When.ASPECT, None),
    "criterion": (When.RUBRIC, Need.RUBRIC),
    "rubric": (When.RUBRIC, Need.RUBRIC),
    "reasons": (When.COT, None),
}


def read_block(
    where: str, table: Any, *, n_seats: int, needs: frozenset[Need], named: Mapping[str, str]
) -> Block:
    """Read a block; `named` are the family's [texts], put in where their names stand in braces.

    Raises:
        DataError: it has no text, an unknown key or placeholder, or shows what is not always there.
    """
    if not isinstance(table, dict) or not isinstance(table.get("text"), str):
        raise DataError(f"{where} has no text")
    for key in table:
        if key not in _KEYS:
            raise DataError(f"{where}: unknown key {key!r}; known keys: {', '.join(_KEYS)}")
    block = Block(
        text=PLACEHOLDER.sub(lambda match: named.get(match[1], match[0]), table["text"]),
        role=member(f"{where}: role", Role, table.get("role", "user")),
        when=frozenset(members(f"{where}: when", When, table.get("when", []))),
        each=members(f"{where}: each", Each, table.get("each", [])),
        cut=_cut(where, table.get("cut", False)),
    )
    _check_each(where, block, n_seats=n_seats)
    if block.role is Role.SYSTEM and block.cut is not Cut.NEVER:
        raise DataError(f"{where}: cut has no use in a system text, which ends a part anyway")
    _check_named(where, table["text"], _known(block, n_seats), named)
    _check_placeholders(where, block, n_seats=n_seats, needs=needs, named=named)
    return block


def _cut(where: str, value: Any) -> Cut:
    known = {True: Cut.ALWAYS, False: Cut.NEVER, Cut.RANKING.value: Cut.RANKING}
    if not isinstance(value, bool | str) or value not in known:
        raise DataError(f"{where}: cut is {value!r}; it must be true, false or {Cut.RANKING.value!r}")
    return known[value]


def _check_each(where: str, block: Block, *, n_seats: int) -> None:
    if Each.ANSWER in block.each and n_seats <= 2:
        raise DataError(f"{where}: each = 'answer' is for [multi]; name the answers one by one here")
    if Each.SHOT in block.each and (n_seats > 2 or len(block.each) > 1):
        raise DataError(f"{where}: each = 'shot' stands alone, in [single] and [pair]")
    if len(set(block.each)) < len(block.each):
        raise DataError(f"{where}: each names the same twice")


def _known(block: Block, n_seats: int) -> frozenset[str]:
    if Each.SHOT in block.each:
        return _IN_SHOT | _ANSWERS[n_seats]
    known = _ANYWHERE | _ANSWERS[n_seats]
    if Each.ANSWER in block.each:
        known |= _IN_ANSWER
    return known | {"turn"} if Each.TURN in block.each else known


def _check_named(where: str, text: str, known: frozenset[str], named: Mapping[str, str]) -> None:
    """Refuse placeholders that this block does not know in the [texts] put into it."""
    for entry in PLACEHOLDER.findall(text):
        for name in PLACEHOLDER.findall(named.get(entry, "")):
            if name not in known:
                listed = ", ".join(f"{{{one}}}" for one in sorted(known))
                message = f"[texts] {entry}: unknown placeholder {{{name}}}"
                raise DataError(f"{where}: {message}; known here: {listed}")


def _check_placeholders(
    where: str, block: Block, *, n_seats: int, needs: frozenset[Need], named: Mapping[str, str]
) -> None:
    known = _known(block, n_seats)
    for name in PLACEHOLDER.findall(block.text):
        if name not in known:
            listed = ", ".join(f"{{{one}}}" for one in sorted({*known, *named}))
            raise DataError(f"{where}: unknown placeholder {{{name}}}; known here: {listed}")
        when, need = _CONDITIONS.get(name, (None, None))
        if when is None or when in block.when or (need in needs and Each.SHOT not in block.each):
            continue
        if when is When.REFERENCE and When.REFERENCE_BLOCK in block.when:
            continue
        or_needs = f" (or needs = ['{need.value}'] in its table)" if need else ""
        wanted = f"needs when = '{when.value}'{or_needs}"
        raise DataError(f"{where} shows {{{name}}} and {wanted}: not all have one")


def check_blocks(where: str, blocks: Sequence[Block], *, n_seats: int) -> None:
    """Refuse a prompt that leaves out an answer, the question or inputs.

    Raises:
        DataError: the sentence names what is not shown.
    """
    own = [block.text for block in blocks if Each.SHOT not in block.each]
    used = {name for text in own for name in PLACEHOLDER.findall(text)}
    for name in sorted(_ANSWERS[n_seats] or _IN_ANSWER & {"response"}):
        if name not in used:
            raise DataError(f"{where}: no block shows {{{name}}}")
    if not used & {"question", "instruction"}:
        raise DataError(f"{where}: no block shows {{question}} (the instruction and its input)")
    if "instruction" in used and "input" not in used:
        message = "{instruction} without {input} would drop inputs; use {question} for both"
        raise DataError(f"{where}: {message}")


def check_form_texts(where: str, blocks: Sequence[Block], form: Form) -> None:
    """Refuse words begun for the judge with an unknown placeholder, and a scale where there are labels.

    Raises:
        DataError: the sentence names the placeholder.
    """
    used = {name for block in blocks for name in PLACEHOLDER.findall(block.text)}
    begun = (
        ("assistant_prefix", form.assistant_prefix, _IN_PREFIX),
        ("conclusion", form.conclusion, _SCALE),
    )
    for key, text, known in begun:
        names = set(PLACEHOLDER.findall(text))
        for name in sorted(names - known):
            listed = ", ".join(f"{{{one}}}" for one in sorted(known))
            raise DataError(f"{where}: {key}: unknown placeholder {{{name}}}; known here: {listed}")
        used |= names
    scale = sorted(used & _SCALE)
    if isinstance(form.grammar, LabelsTable) and scale:
        raise DataError(f"{where}: {{{scale[0]}}} has no value: a grammar of labels has no scale")
