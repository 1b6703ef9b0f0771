"""A prompt family read from its TOML file; everything wrong with one is said when the file is loaded."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.tables import member, read_grammar
from judgecli.types import Grammar, LabelsGrammar

PLACEHOLDERS = frozenset({"question", "instruction", "input", "reference", "response_1", "response_2"})
PLACEHOLDER = re.compile(r"\{(\w+)\}")
READERS = frozenset({"first_line_scores", "first_label"})
ALTERABLE = "[]<>#"
_KEYS = {
    "name": str,
    "title": str,
    "source": str,
    "licence": str,
    "wrapper": str,
    "reader": str,
    "markers": list,
    "stop": list,
    "system": str,
    "assistant_prefix": str,
    "grammar": dict,
    "sampling": dict,
    "pair": list,
}
_REQUIRED = ("name", "grammar", "pair")


class Wrapper(StrEnum):
    """What stands around the family's own words: nothing, or the model's chat template."""

    RAW = "raw"
    CHAT = "chat"


class When(StrEnum):
    """The condition under which a block is part of the prompt."""

    ALWAYS = "always"
    REFERENCE = "reference"
    NO_REFERENCE = "no-reference"
    INPUT = "input"
    NO_INPUT = "no-input"


class Cut(StrEnum):
    """When what comes before the end of a block is evaluated apart from what follows, to be shared.

    The first of two answers is shared where each of several models meets each other one, in a ranking;
    elsewhere a cut after it would only make two small calls of a larger one.
    """

    NEVER = "never"
    ALWAYS = "always"
    RANKING = "ranking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a prompt's text with placeholders; `cut` says when an evaluation unit ends after it."""

    text: str
    when: When = When.ALWAYS
    cut: Cut = Cut.NEVER


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFamily:
    """How one kind of judge is asked, and what it may answer. `hash` is the file's SHA-256 (hex)."""

    name: str
    hash: str
    grammar: Grammar
    pair: tuple[Block, ...]
    title: str = ""
    source: str = ""
    licence: str = ""
    wrapper: Wrapper = Wrapper.RAW
    reader: str
    markers: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    system: str = ""
    assistant_prefix: str = ""
    sampling: Mapping[str, Any] = field(default_factory=dict)

    @property
    def uses_reference(self) -> bool:
        """Whether a reference answer has a place in the prompt."""
        return any("{reference}" in block.text for block in self.pair)


def read_family(path: Path) -> PromptFamily:
    """Read a prompt family from a TOML file.

    Raises:
        DataError: the file cannot be read, or holds an unknown key, an unknown placeholder or a grammar that
            cannot be.
    """
    try:
        data = path.read_bytes()
        table = tomllib.loads(data.decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DataError(f"{path}: not a readable prompt family ({error})") from error
    _check_table(path, table)
    wrapper = member(path, "wrapper", Wrapper, table.get("wrapper", "raw"))
    grammar = read_grammar(path, table["grammar"])
    default_reader = "first_label" if isinstance(grammar, LabelsGrammar) else "first_line_scores"
    reader = table.get("reader", default_reader)
    if reader not in READERS:
        raise DataError(f"{path}: reader is {reader!r}; it must be one of {', '.join(sorted(READERS))}")
    if table.get("system") and wrapper is Wrapper.RAW:
        raise DataError(f"{path}: system needs wrapper = 'chat'; put the text into the first block instead")
    return PromptFamily(
        name=table["name"],
        hash=hashlib.sha256(data).hexdigest(),
        grammar=grammar,
        pair=_blocks(path, table["pair"]),
        title=table.get("title", ""),
        source=table.get("source", ""),
        licence=table.get("licence", ""),
        wrapper=wrapper,
        reader=reader,
        markers=_markers(path, table.get("markers", [])),
        stop=_stops(path, table.get("stop", [])),
        system=table.get("system", ""),
        assistant_prefix=table.get("assistant_prefix", ""),
        sampling=table.get("sampling", {}),
    )


def _check_table(path: Path, table: Mapping[str, Any]) -> None:
    for key, value in table.items():
        if key not in _KEYS:
            raise DataError(f"{path}: unknown key {key!r}; known keys: {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[key]):
            raise DataError(f"{path}: {key} must be a {_KEYS[key].__name__}, not a {type(value).__name__}")
    for key in _REQUIRED:
        if not table.get(key):
            raise DataError(f"{path}: no {key}; a prompt family needs {', '.join(_REQUIRED)}")


def _blocks(path: Path, tables: Sequence[Any]) -> tuple[Block, ...]:
    blocks = tuple(_block(path, number, table) for number, table in enumerate(tables, 1))
    used = {name for block in blocks for name in PLACEHOLDER.findall(block.text)}
    for name in ("response_1", "response_2"):
        if name not in used:
            raise DataError(f"{path}: no block of [[pair]] shows {{{name}}}")
    if not used & {"question", "instruction"}:
        raise DataError(f"{path}: no block of [[pair]] shows {{question}} (the instruction and its input)")
    if "instruction" in used and "input" not in used:
        message = f"{path}: {{instruction}} without {{input}} would drop inputs; use {{question}} for both"
        raise DataError(message)
    return blocks


def _block(path: Path, number: int, table: Any) -> Block:
    where = f"{path}: [[pair]] block {number}"
    if not isinstance(table, dict) or not isinstance(table.get("text"), str):
        raise DataError(f"{where} has no text")
    for key in table:
        if key not in {"text", "when", "cut"}:
            raise DataError(f"{where}: unknown key {key!r}; known keys: text, when, cut")
    when = member(path, f"[[pair]] block {number}: when", When, table.get("when", "always"))
    for name in PLACEHOLDER.findall(table["text"]):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{known}}}" for known in sorted(PLACEHOLDERS))
            raise DataError(f"{where}: unknown placeholder {{{name}}}; known: {known}")
        if name in {"reference", "input"} and when.value != name:
            raise DataError(f"{where} shows {{{name}}} and needs when = '{name}', for items that have none")
    return Block(text=table["text"], when=when, cut=_cut(where, table.get("cut", False)))


def _cut(where: str, value: Any) -> Cut:
    known = {True: Cut.ALWAYS, False: Cut.NEVER, Cut.RANKING.value: Cut.RANKING}
    if not isinstance(value, bool | str) or value not in known:
        raise DataError(f"{where}: cut is {value!r}; it must be true, false or {Cut.RANKING.value!r}")
    return known[value]


def _stops(path: Path, stops: Sequence[Any]) -> tuple[str, ...]:
    for stop in stops:
        if not isinstance(stop, str) or not stop:
            raise DataError(f"{path}: stop {stop!r} must be a text that is not empty")
    return tuple(stops)


def _markers(path: Path, markers: Sequence[Any]) -> tuple[str, ...]:
    for marker in markers:
        if not isinstance(marker, str) or not set(marker) & set(ALTERABLE):
            raise DataError(
                f"{path}: marker {marker!r} must hold one of {ALTERABLE}, which is what gets altered"
            )
    return tuple(markers)
