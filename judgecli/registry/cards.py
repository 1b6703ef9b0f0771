"""Model cards: what is known of each judge model, one TOML file a model."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from judgecli.errors import ModelError

_CARD_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("title", "family", "licence", "licence_note", "base", "note", "default_quant"), str),
    "n_ctx": int,
    "demo": bool,
    "file": list,
}
_REQUIRED = ("title", "family", "licence", "base", "n_ctx")
_FILE_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("quant", "repo", "package", "revision"), str),
    **dict.fromkeys(("paths", "sha256"), list),
    **dict.fromkeys(("size_bytes", "approx_bytes"), int),
}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFile:
    """One quantization of a model: where its file, or its shards, are.

    Either `repo` (on the hub) or `package` (an installed Python distribution) is set. `size_bytes` is
    exact, `approx_bytes` as a page shows it; both are of all shards together. `sha256` has one entry a
    path, None where it is not known. `quant` is "" for a file that was named as `hf:org/repo/file.gguf`.
    """

    quant: str
    repo: str | None
    paths: tuple[str, ...]
    sha256: tuple[str | None, ...]
    revision: str | None = None
    size_bytes: int | None = None
    approx_bytes: int | None = None
    package: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What is known of a judge model.

    `n_ctx` is the trained context in tokens; `note` says what to mind, or what to do where no GGUF file
    is known.
    """

    name: str
    title: str
    family: str
    licence: str
    base: str
    n_ctx: int
    licence_note: str = ""
    note: str = ""
    demo: bool = False
    default_quant: str | None = None
    files: tuple[CardFile, ...] = ()

    @property
    def licence_text(self) -> str:
        """The licence with what to know of it: `LLaMA licence (non-commercial)`."""
        return f"{self.licence} ({self.licence_note})" if self.licence_note else self.licence


@cache
def cards() -> Mapping[str, ModelCard]:
    """Return every model card by name, sorted.

    Raises:
        ModelError: a card has an unknown key, lacks a needed one, or contradicts itself.
    """
    return MappingProxyType({path.stem: load_card(path) for path in sorted(_folder().glob("*.toml"))})


def _folder() -> Path:
    """Return the folder of the cards: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_models"
    return installed if installed.is_dir() else package.parent / "models"


def load_card(path: Path) -> ModelCard:
    """Read one card.

    Raises:
        ModelError: not TOML, an unknown key, a missing one, a wrong type, or a contradiction.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: not a readable model card ({error})") from error
    where = str(path)
    _check_keys(table, _CARD_KEYS, _REQUIRED, where)
    files = tuple(_card_file(entry, where) for entry in table.pop("file", []))
    card = ModelCard(name=path.stem, files=files, **table)
    _check_card(card, where)
    return card


def _card_file(entry: Any, where: str) -> CardFile:
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: write each file as its own [[file]] table")
    _check_keys(entry, _FILE_KEYS, ("quant", "paths"), where)
    paths = tuple(entry["paths"])
    sha256 = tuple(text or None for text in entry.get("sha256", [""] * len(paths)))
    rest = {key: value for key, value in entry.items() if key not in {"paths", "sha256", "repo"}}
    file = CardFile(paths=paths, sha256=sha256, repo=entry.get("repo"), **rest)
    _check_file(file, where)
    return file


def _check_keys(
    table: Mapping[str, Any], types: Mapping[str, type], required: tuple[str, ...], where: str
) -> None:
    for key, value in table.items():
        if key not in types:
            raise ModelError(f"{where}: unknown key {key!r}; known are {', '.join(types)}")
        if type(value) is not types[key]:
            raise ModelError(
                f"{where}: {key} must be of type {types[key].__name__}, not {type(value).__name__}"
            )
    for key in required:
        if not table.get(key):
            raise ModelError(f"{where}: {key} is missing")


def _check_file(file: CardFile, where: str) -> None:
    where = f"{where}: file {file.quant}"
    if (file.repo is None) == (file.package is None):
        raise ModelError(f"{where}: give either repo or package")
    if len(file.sha256) != len(file.paths):
        raise ModelError(f"{where}: give one sha256 a path")
    if any(text is not None and not _SHA256.fullmatch(text) for text in file.sha256):
        raise ModelError(f"{where}: a sha256 is 64 hexadecimal digits")
    if file.revision is not None and not _COMMIT.fullmatch(file.revision):
        raise ModelError(f"{where}: a revision is a whole commit, 40 hexadecimal digits")
    if file.size_bytes is not None and file.approx_bytes is not None:
        raise ModelError(f"{where}: give size_bytes or approx_bytes, not both")


def _check_card(card: ModelCard, where: str) -> None:
    quants = [file.quant.casefold() for file in card.files]
    if len(set(quants)) != len(quants):
        raise ModelError(f"{where}: two files have the same quant")
    if not card.files and not card.note:
        raise ModelError(f"{where}: a card without files needs a note that says what to do")
    if card.files and card.default_quant not in {file.quant for file in card.files}:
        raise ModelError(f"{where}: default_quant {card.default_quant!r} is not the quant of a file")
