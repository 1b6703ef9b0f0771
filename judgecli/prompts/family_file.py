"""A prompt family read from its TOML file; everything wrong with one is said when the file is loaded."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.block_tables import PLACEHOLDER, check_blocks, check_form_texts, read_block
from judgecli.prompts.blocks import Block, Role
from judgecli.prompts.family import LAST_MATCH, RUBRIC_LINE, Need, PromptFamily, Section, Wrapper
from judgecli.prompts.form_tables import FORM_KEYS, read_form
from judgecli.prompts.tables import check_keys, members, texts
from judgecli.types import own_words

ALTERABLE = "[]<>#"
_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("name", "title", "source", "licence", "wrapper", "rubric_line"), str),
    "fine_tuned": bool,
    **dict.fromkeys(("markers", "stop"), list),
    **dict.fromkeys(("sampling", "texts", "single", "pair", "multi"), dict),
}
_SECTION_KEYS: Mapping[str, type] = {**FORM_KEYS, "needs": list, "cot": dict, "block": list}
# how a verdict that comes first is read says nothing about one that comes last
_KEPT_KEYS = ("grammar", "parts", "stop")
_N_SEATS = {"single": 1, "pair": 2, "multi": 3}


def read_family(path: Path) -> PromptFamily:
    """Read a prompt family from a TOML file.

    Raises:
        DataError: the file cannot be read, or holds an unknown key, an unknown placeholder or a grammar that
            cannot be.
    """
    try:
        data = path.read_bytes()
        table = tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:  # of tomllib too: it converts numbers as they are
        raise DataError(
            f"{path}: not a readable prompt family ({getattr(error, 'strerror', None) or error})"
        ) from error
    where = str(path)
    _check_table(where, table)
    wrapper, wrapper_text = _wrapper(where, table.get("wrapper", "raw"))
    stop = texts(f"{where}: stop", table.get("stop", []))
    named = _named_texts(where, table.get("texts", {}))
    sections = {
        name: _section(f"{where}: [{name}]", table[name], n_seats=n_seats, stop=stop, named=named)
        for name, n_seats in _N_SEATS.items()
        if name in table
    }
    _check_used(where, named, [table[name] for name in sections])
    for name, section in sections.items():
        _check_system(f"{where}: [{name}]", section, wrapper, wrapper_text)
    return PromptFamily(
        name=table["name"],
        hash=hashlib.sha256(data).hexdigest(),
        title=table.get("title", ""),
        source=table.get("source", ""),
        licence=table.get("licence", ""),
        fine_tuned=table.get("fine_tuned", False),
        wrapper=wrapper,
        wrapper_text=wrapper_text,
        markers=_markers(where, table.get("markers", [])),
        rubric_line=_rubric_line(where, table.get("rubric_line", RUBRIC_LINE)),
        sampling=table.get("sampling", {}),
        **sections,
    )


def _check_table(where: str, table: Mapping[str, Any]) -> None:
    for name in _N_SEATS:
        if isinstance(table.get(name), list):
            raise DataError(f"{where}: write [{name}], and [[{name}.block]] for each block of its prompt")
    if "grammar" in table:
        raise DataError(f"{where}: [grammar] belongs to a prompt; write [pair.grammar] or [single.grammar]")
    check_keys(where, table, _KEYS)
    if not table.get("name"):
        raise DataError(f"{where}: no name; a prompt family needs one")
    if not any(name in table for name in _N_SEATS):
        raise DataError(f"{where}: no prompt; a family needs [pair] (two answers), [single] (one) or [multi]")


def _wrapper(where: str, text: str) -> tuple[Wrapper, str]:
    if text in {Wrapper.RAW.value, Wrapper.CHAT.value}:
        return Wrapper(text), ""
    if "{user}" not in text:
        hint = "or a text with {user} in it, such as '[INST] {user} [/INST]'"
        raise DataError(f"{where}: wrapper is {text!r}; it must be 'raw', 'chat', {hint}")
    for name in PLACEHOLDER.findall(text):
        if name not in {"system", "user"} or text.count(f"{{{name}}}") > 1:
            raise DataError(
                f"{where}: wrapper can hold {{system}} and {{user}} once each, not {{{name}}} here"
            )
    if "{system}" in text and text.index("{system}") > text.index("{user}"):
        raise DataError(f"{where}: wrapper has {{system}} after {{user}}; a system text comes first")
    return Wrapper.TEXT, text


def _named_texts(where: str, table: Mapping[str, Any]) -> Mapping[str, str]:
    for name, text in table.items():
        if not isinstance(text, str):
            raise DataError(f"{where}: [texts] {name} must be a text")
    return table


def _check_used(where: str, named: Mapping[str, str], tables: Sequence[Mapping[str, Any]]) -> None:
    shown = "".join(block["text"] for table in tables for block in table["block"])
    for name in named:
        if name not in PLACEHOLDER.findall(shown):
            raise DataError(f"{where}: [texts] {name} is in no block; write {{{name}}} in one, or remove it")


def _rubric_line(where: str, layout: str) -> str:
    if "{score}" not in layout or "{description}" not in layout:
        raise DataError(f"{where}: rubric_line must hold {{score}} and {{description}}")
    return layout


def _section(
    where: str, table: Mapping[str, Any], *, n_seats: int, stop: tuple[str, ...], named: Mapping[str, str]
) -> Section:
    check_keys(where, table, _SECTION_KEYS)
    if not table.get("block"):
        name = where.rpartition("[")[2].rstrip("]")
        raise DataError(f"{where}: no [[{name}.block]]; a prompt is made of blocks, each with a text")
    own: dict[str, Any] = {key: value for key, value in table.items() if key in FORM_KEYS}
    form = read_form(where, {"stop": list(stop), **own}, n_seats=n_seats)
    cot = None
    if "cot" in table:
        in_cot = f"{where[:-1]}.cot]"
        check_keys(in_cot, table["cot"], FORM_KEYS)
        kept = {key: own[key] for key in _KEPT_KEYS if key in own}
        cot = read_form(in_cot, {"stop": list(stop), **kept, **table["cot"]}, n_seats=n_seats)
        if cot.reader != LAST_MATCH:
            message = f"{in_cot}: the verdict comes after reasons, so it needs a pattern, such as"
            raise DataError(f"{message} pattern = 'Verdict: {{verdict}}'")
    needs = frozenset(members(f"{where}: needs", Need, table.get("needs", [])))
    blocks = tuple(
        read_block(f"{where}: block {number}", one, n_seats=n_seats, needs=needs, named=named)
        for number, one in enumerate(table["block"], 1)
    )
    check_blocks(where, blocks, n_seats=n_seats)
    check_form_texts(where, blocks, form)
    if cot is not None:
        check_form_texts(f"{where[:-1]}.cot]", blocks, cot)
    return Section(
        form=form,
        blocks=blocks,
        cot=cot,
        needs=needs,
        own_words=_own_words(blocks),
        placeholders=frozenset(name for block in blocks for name in PLACEHOLDER.findall(block.text)),
    )


def _own_words(blocks: Sequence[Block]) -> str:
    """Return what the prompt itself says, placeholders aside, for telling an echo of it."""
    return own_words("\n".join(PLACEHOLDER.sub("\n", block.text) for block in blocks if not block.each))


def _check_system(where: str, section: Section, wrapper: Wrapper, wrapper_text: str) -> None:
    if not any(block.role is Role.SYSTEM for block in section.blocks):
        return
    if wrapper is Wrapper.RAW:
        raise DataError(f"{where}: role = 'system' needs wrapper = 'chat' or one with {{system}} in it")
    if wrapper is Wrapper.TEXT and "{system}" not in wrapper_text:
        raise DataError(f"{where}: the wrapper has no {{system}} for its system text")


def _markers(where: str, markers: Sequence[Any]) -> tuple[str, ...]:
    for marker in markers:
        if not isinstance(marker, str) or not set(marker) & set(ALTERABLE):
            raise DataError(
                f"{where}: marker {marker!r} must hold one of {ALTERABLE}, which is what gets altered"
            )
    return tuple(markers)
